// The helper: a small process that starts programs for a host that has grown large. It opens the ends that a program gets
// through the host's own descriptors, so that no byte of input or output passes through it.

import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { connectHelper, type Helper } from './helper-connection.ts'

let current: Helper | undefined
let starting: Promise<Helper | undefined> | undefined

/** The helper, if it is up. */
export function helper(): Helper | undefined {
  return current
}

/** Starts the helper, once. Nothing when it cannot be had. */
export function startHelper(): Promise<Helper | undefined> {
  starting ??= forkHelper()
  return starting
}

async function forkHelper(): Promise<Helper | undefined> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const program = fileURLToPath(new URL(`./helper-main.${extension}`, import.meta.url))
  try {
    const child = fork(program, [String(process.pid)], {
      execArgv: [],
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      detached: true,
    })
    const up = await new Promise<boolean>((settle) => {
      child.once('message', () => settle(true))
      child.once('error', () => settle(false))
      child.once('exit', () => settle(false))
    })
    if (up) current = connectHelper(child, forget)
  } catch {
    // Left as it is: programs are started from here.
  }
  return current
}

/** The next large start makes another. */
function forget(): void {
  current = undefined
  starting = undefined
}
