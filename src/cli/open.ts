// A Legwork for one command: configured from the file, asking on the terminal, ended by Ctrl-C.

import { type CodeOptions, createLegwork, type Legwork } from '../legwork.ts'
import { endAllChildren } from '../run/children.ts'
import { askOnTerminal } from './ask.ts'
import { printAside } from './print.ts'
import type { Globals } from './program.ts'
import { withProgress } from './progress.ts'
import { withSignals } from './signals.ts'

/** Opens, works, closes. A signal cancels what runs. */
export function withLegwork(
  globals: Globals,
  work: (legwork: Legwork, signal: AbortSignal) => Promise<number>,
  code: CodeOptions = {},
): Promise<number> {
  return withSignals(async (signal, ready) => {
    const settings = {
      ...(globals.config !== undefined && { configuration: globals.config }),
      approve: askOnTerminal(),
      ...code,
    }
    const legwork = await withProgress('Loading what is configured', globals, () => createLegwork(settings))
    ready()
    try {
      if (!globals.json) for (const warning of legwork.warnings) printAside(`Warning: ${warning}`)
      return await work(legwork, signal)
    } finally {
      await withProgress('Ending what was started', globals, async () => {
        await endAllChildren()
        await legwork.close()
      })
    }
  })
}
