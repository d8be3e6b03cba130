// A Legwork for one command: configured from the file, asking on the terminal, ended by Ctrl-C.

import { type CodeOptions, createLegwork, type Legwork } from '../legwork.ts'
import { endAllChildren } from '../run/children.ts'
import { askOnTerminal } from './ask.ts'
import { printAside } from './print.ts'
import type { Globals } from './program.ts'
import { withSignals } from './signals.ts'

/** Opens, works, closes. A signal cancels what runs. */
export function withLegwork(
  globals: Globals,
  work: (legwork: Legwork, signal: AbortSignal) => Promise<number>,
  code: CodeOptions = {},
): Promise<number> {
  return withSignals(async (signal, ready) => {
    const legwork = await createLegwork({
      ...(globals.config !== undefined && { configuration: globals.config }),
      approve: askOnTerminal(),
      ...code,
    })
    ready()
    try {
      if (!globals.json) for (const warning of legwork.warnings) printAside(`Warning: ${warning}`)
      return await work(legwork, signal)
    } finally {
      await endAllChildren()
      await legwork.close()
    }
  })
}
