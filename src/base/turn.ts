// Turns between processes that change the same file. The system itself lets go of a turn when its process ends, however it
// ends, so that none is ever left behind and no clock has a say in it.

import { setTimeout as sleep } from 'node:timers/promises'
import { isObject } from './json.ts'

/** A turn takes milliseconds: whoever holds it for so long is stuck. */
const patienceMs = 4_000
const lookAgainMs = 5

/** Does the work while no other process does work for the same file of turns. Rejects when the turn does not come. */
export async function inTurn<T>(turns: string, work: () => T): Promise<T> {
  const { DatabaseSync } = await import('node:sqlite')
  // An empty database, of which nothing but its lock is used. Without a timeout nothing here waits but the loop.
  const lock = new DatabaseSync(turns, { timeout: 0 })
  try {
    for (let waitedMs = 0; !begin(lock); waitedMs += lookAgainMs) {
      if (waitedMs >= patienceMs) throw new Error(`Another process holds "${turns}" for too long.`)
      await sleep(lookAgainMs)
    }
    return work()
  } finally {
    lock.close()
  }
}

function begin(lock: { readonly exec: (text: string) => void }): boolean {
  try {
    lock.exec('BEGIN IMMEDIATE')
    return true
  } catch (error) {
    if (isObject(error) && error.errcode === busy) return false
    throw error
  }
}

const busy = 5
