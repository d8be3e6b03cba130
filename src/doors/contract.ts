// The door `legwork/contract`: scripts of `tooling/script@1` and compose steps, with a small engine of its own and a journal
// in memory. With a whole Legwork, `legwork.contract(request)` calls its tools.

import { systemClock } from '../base/clock.ts'
import { Catalogue } from '../catalogue/catalogue.ts'
import {
  type ComposeRequest,
  type ContractCallOptions,
  type ContractRequest,
  contractDefinition,
} from '../contract/definition.ts'
import { ContractError } from '../contract/errors.ts'
import { withReport } from '../contract/report.ts'
import type { ScriptRequest } from '../contract/request.ts'
import { createEngine, type Engine } from '../engine/engine.ts'
import type { Journal } from '../journal/journal.ts'
import { memoryJournal } from '../journal/memory.ts'
import type { Outcome } from '../model/outcome.ts'
import { createRedactor } from '../outcome/redact.ts'
import { makePolicy } from '../policy/policy.ts'

export type { ComposeSlots, ComposeStep } from '../contract/compose.ts'
export type { ComposeRequest, ContractRequest, SlotFunction } from '../contract/definition.ts'
export type { Files } from '../contract/files.ts'
export type { Report } from '../contract/report.ts'
export type { Binding, ScriptRequest } from '../contract/request.ts'
export type { StreamHandle, StreamSpec } from '../contract/streams.ts'
export type { Outcome } from '../model/outcome.ts'

export type RunScriptOptions = Omit<ContractCallOptions, 'caller' | 'approvalWaitMs'>

/** Runs one script. Its report is the outcome's value, whatever happened. */
export function runScript(request: ScriptRequest, options: RunScriptOptions = {}): Promise<Outcome> {
  return run(request, options)
}

/** Runs steps. The state they leave is the outcome's value. */
export function runCompose(request: ComposeRequest, options: RunScriptOptions = {}): Promise<Outcome> {
  return run(request, options)
}

/** How many entries the journal in memory keeps. */
const keptEntries = 1_000

let small: { readonly engine: Engine; readonly journal: Journal } | undefined
let calls = 0

async function run(request: ContractRequest, { signal, timeoutMs, ...options }: RunScriptOptions): Promise<Outcome> {
  small ??= smallEngine()
  const { engine, journal } = small
  if (++calls % keptEntries === 0) await journal.prune({ keep: keptEntries })
  const call = options.call ?? noTools
  const definition = contractDefinition(request, { ...options, call })
  const outcome = await engine.executeTool(definition, {
    input: request,
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
  return withReport(outcome)
}

function smallEngine(): { engine: Engine; journal: Journal } {
  const journal = memoryJournal()
  const engine = createEngine({
    catalogue: new Catalogue(),
    policy: makePolicy({}),
    journal,
    redactor: createRedactor({ values: [], patterns: [] }),
    clock: systemClock,
  })
  return { engine, journal }
}

function noTools(id: string): never {
  const message = `There is no contract "${id}". Give a function "call" for those that are not built in.`
  throw new ContractError('unknown-tool', message)
}
