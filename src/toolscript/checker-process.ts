// The process of the type checker, which TypeScript's API starts and does not show: found, measured, ended with the host.

import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import { isObject } from '../base/json.ts'
import { register } from '../run/children.ts'

export interface Started {
  readonly child: EventEmitter
  readonly gone: Promise<unknown>
}

/**
 * The process behind the API, which does not show it: known from the moment it is there, so that it is ended with the host
 * whenever that leaves.
 */
export function processOf(api: unknown): Promise<Started> {
  const client: unknown = isObject(api) ? Reflect.get(api, 'client') : undefined
  return new Promise((resolve) => {
    let known: unknown
    if (!isObject(client)) return
    Object.defineProperty(client, 'process', {
      get: () => known,
      set: (child: unknown) => {
        known = child
        if (!(child instanceof EventEmitter)) return
        const gone = once(child, 'exit').catch(() => {})
        forgiveWrites(child)
        const tree = { terminate: () => endProcess(child), kill: () => void endProcess(child) }
        register(tree, gone)
        resolve({ child, gone })
      },
    })
  })
}

export function isStarted(api: unknown): boolean {
  const client: unknown = isObject(api) ? Reflect.get(api, 'client') : undefined
  return isObject(client) && client.process instanceof EventEmitter
}

export async function deathOf({ gone }: Started): Promise<never> {
  await gone
  throw new Error('The type checker ended.')
}

/** What is written to a process that has just died would be a rejection that nobody can handle; its death is told by its exit. */
function forgiveWrites(child: EventEmitter): void {
  const input: unknown = Reflect.get(child, 'stdin')
  if (!(input instanceof Writable)) return
  input.on('error', () => {})
  const write = input.write.bind(input)
  const forgiving = (chunk: unknown, ...rest: readonly unknown[]) => {
    const [encoding] = rest
    const done = rest.at(-1)
    const told = () => typeof done === 'function' && done()
    return encoding === 'ascii' || encoding === 'utf-8' ? write(chunk, encoding, told) : write(chunk, told)
  }
  Object.defineProperty(input, 'write', { value: forgiving })
}

/** It has nothing to put in order. */
export function endProcess(child: EventEmitter): boolean {
  const pid: unknown = Reflect.get(child, 'pid')
  const isThere = Reflect.get(child, 'exitCode') === null && Reflect.get(child, 'signalCode') === null
  if (typeof pid !== 'number' || !isThere) return true
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has gone already.
  }
  return true
}

const pageBytes = 4_096

/** Nothing where the system does not tell. */
export function residentBytes(child: EventEmitter): number {
  try {
    const [, pages] = readFileSync(`/proc/${Reflect.get(child, 'pid')}/statm`, 'utf8').split(' ')
    return Number(pages) * pageBytes
  } catch {
    return 0
  }
}
