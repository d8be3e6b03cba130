// Toolscripts on an engine of their own, with the real gateway and the real Deno; closed when the test file ends.

import { tmpdir } from 'node:os'
import { systemClock } from '../../src/base/clock.ts'
import { Catalogue } from '../../src/catalogue/catalogue.ts'
import { createEngine, type Engine, type EngineOptions } from '../../src/engine/engine.ts'
import type { FunctionTool } from '../../src/function/define-tool.ts'
import { functionSource } from '../../src/function/source.ts'
import { engineParts } from '../../src/gateway/engine-parts.ts'
import { openRunDoors } from '../../src/gateway/run-doors.ts'
import { memoryJournal } from '../../src/journal/memory.ts'
import type { CallEvent } from '../../src/model/event.ts'
import type { Outcome } from '../../src/model/outcome.ts'
import { describeTool, type Source, type ToolDescription } from '../../src/model/tool.ts'
import { createRedactor } from '../../src/outcome/redact.ts'
import { makePolicy } from '../../src/policy/policy.ts'
import { findDeno } from '../../src/sandbox/deno-find.ts'
import {
  createToolscripts,
  type ScriptOptions,
  type ToolscriptParts,
  type Toolscripts,
} from '../../src/toolscript/library.ts'
import type { RunDoor } from '../../src/toolscript/run-door.ts'

/** Where Deno is missing, tests that need it are skipped on a user's machine and fail in CI. */
export const withoutDeno = !findDeno().ok && !process.env.CI

export interface RunOptions extends ScriptOptions {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  readonly readOnly?: boolean
}

export interface SeenDoor {
  readonly url: string
  readonly close: () => void
  /** When the guest's value or error was there, as `performance.now()` has it. */
  endedAt?: number
}

export interface Opened {
  readonly toolscripts: Toolscripts
  readonly engine: Engine
  readonly catalogue: Catalogue
  readonly journal: ReturnType<typeof memoryJournal>
  /** Those of the runs so far, for tests that want to see or shut one. */
  readonly doors: SeenDoor[]
  readonly run: (source: string, options?: RunOptions) => Promise<Outcome>
  readonly events: CallEvent[]
  /** A door whose calls take the one path, without a box. */
  readonly openDoor: () => Promise<RunDoor>
  readonly close: () => Promise<void>
}

export interface OpenOptions extends Partial<Pick<ToolscriptParts, 'workspace' | 'poolSize' | 'findDeno'>> {
  readonly functions?: readonly FunctionTool[]
  readonly sources?: readonly Source[]
  readonly policy?: Parameters<typeof makePolicy>[0]
  readonly approve?: EngineOptions['approve']
}

export async function openToolscripts(options: OpenOptions = {}): Promise<Opened> {
  const { functions = [], sources = [], workspace = tmpdir() } = options
  const catalogue = new Catalogue()
  let version = 0
  catalogue.onChange(() => version++)
  if (functions.length) await catalogue.add(functionSource('functions', functions))
  for (const source of sources) await catalogue.add(source)
  const journal = memoryJournal()
  const redactor = createRedactor({ values: [], patterns: [] })
  const policy = makePolicy(options.policy ?? {})
  const engine = createEngine({ catalogue, policy, journal, redactor, clock: systemClock, approve: options.approve })
  const events: CallEvent[] = []
  // Output is left out: there may be a great deal of it.
  engine.on((event) => void (event.type !== 'output' && events.push(event)))
  const runDoors = await openRunDoors({
    ...engineParts(engine, catalogue),
    tools: async () => catalogue.listLoaded().map(describeTool),
  })
  const doors: SeenDoor[] = []
  // With many tools, making their descriptions takes longer than checking a script against them.
  let described: { readonly version: number; readonly tools: readonly ToolDescription[] } | undefined
  const toolscripts = createToolscripts({
    tools: async (modules) => {
      if (modules === 'all') await catalogue.list()
      else for (const module of modules) await catalogue.resolve(`tools.${module}.`)
      if (described?.version !== version) described = { version, tools: catalogue.listLoaded().map(describeTool) }
      return described.tools
    },
    version: () => version,
    makeRunDoor: async () => {
      const door = await runDoors.makeRunDoor()
      const seen: SeenDoor = { url: door.url, close: door.close }
      doors.push(seen)
      const open: RunDoor['open'] = ({ call, end }) => {
        const note = (...said: Parameters<typeof end>) => {
          seen.endedAt = performance.now()
          end(...said)
        }
        door.open({ call, end: note })
      }
      return { ...door, open }
    },
    workspace,
    ...(options.poolSize !== undefined && { poolSize: options.poolSize }),
    ...(options.findDeno && { findDeno: options.findDeno }),
  })
  const run = (source: string, { timeoutMs, signal, readOnly, ...rest }: RunOptions = {}) =>
    engine.executeTool(toolscripts.definition(source, rest), {
      caller: { front: 'library', ...(readOnly !== undefined && { readOnly }) },
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(signal && { signal }),
    })
  const openDoor = async () => {
    const door = await runDoors.makeRunDoor()
    const call = (tool: string, input: unknown) => engine.execute({ tool, input, caller: { front: 'toolscript' } })
    door.open({ call, end: () => {} })
    return door
  }
  const close = async () => {
    await toolscripts.close()
    await runDoors.close()
    await catalogue.close()
    await journal.close()
  }
  return { toolscripts, engine, catalogue, journal, doors, run, events, openDoor, close }
}
