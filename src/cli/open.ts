// A Legwork for one command: configured from the file, asking on the terminal, ended by Ctrl-C.

import { createLegwork, type Legwork } from '../legwork.ts'
import { endAllChildren } from '../run/children.ts'
import { askOnTerminal } from './ask.ts'
import { printAside } from './print.ts'
import type { Globals } from './program.ts'

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143 } as const

/** Opens, works, closes. A signal cancels what runs; the command then ends with that signal's exit code. */
export async function withLegwork(
  globals: Globals,
  work: (legwork: Legwork, signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const controller = new AbortController()
  let signalled: number | undefined
  let loading = true
  const stop = (signal: keyof typeof exitCodes) => {
    signalled ??= exitCodes[signal]
    controller.abort()
    // Nothing runs yet that could be cancelled, and whatever a module does while it loads is not waited for.
    if (loading) process.exit(signalled)
  }
  const signals = Object.keys(exitCodes) as (keyof typeof exitCodes)[]
  for (const signal of signals) process.on(signal, stop)
  const legwork = await createLegwork({
    ...(globals.config !== undefined && { configuration: globals.config }),
    approve: askOnTerminal(),
  })
  loading = false
  try {
    if (!globals.json) for (const warning of legwork.warnings) printAside(`Warning: ${warning}`)
    const exitCode = await work(legwork, controller.signal)
    return signalled ?? exitCode
  } finally {
    await endAllChildren()
    await legwork.close()
    for (const signal of signals) process.off(signal, stop)
  }
}
