// The door `legwork/toolscript`: scripts that call tools given in code, with a journal in memory unless one is named.

import { createLegwork, type Legwork, type LegworkOptions } from '../legwork.ts'
import { declarations } from '../toolscript/declarations.ts'

export type { ScriptRunOptions } from '../runs.ts'
export { ambientDeclarations, declarations, signature } from '../toolscript/declarations.ts'
export type { Dry, ScriptOptions } from '../toolscript/library.ts'

export interface ToolscriptRunner {
  /** Checks a script against the types of the tools, then runs it shut in with nothing but its calls. */
  readonly run: Legwork['script']
  /** Checks a script and says which tools it can call, without running it. */
  readonly dry: Legwork['dryScript']
  /** Gets everything ready, so that the first script starts as fast as the next. */
  readonly warm: () => Promise<void>
  /** The types that a script finds under `toolscript`, as TypeScript declarations. */
  readonly types: () => Promise<string>
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

export async function createToolscriptRunner(options: LegworkOptions): Promise<ToolscriptRunner> {
  const legwork = await createLegwork({ journal: { path: ':memory:' }, ...options })
  const { script: run, dryScript: dry, warmScripts: warm, close } = legwork
  const types = async () => declarations(await legwork.tools())
  return { run, dry, warm, types, close, [Symbol.asyncDispose]: close }
}
