// The contracts that come with Legwork, in an index of their own: contracts and compose steps find them, nobody else does.

import { type Contract, coreContracts } from './built-in-core.ts'
import { checkRequest } from './check-request.ts'
import { ContractError } from './errors.ts'
import { flowContracts } from './flow.ts'
import { throwIfStopped } from './pace.ts'
import { runScript } from './script.ts'
import { deeper, objectOf, type Step } from './surroundings.ts'
import { testChecker } from './test-checker.ts'

const contracts: Readonly<Record<string, Contract>> = {
  ...coreContracts,
  ...flowContracts,
  'tooling/script': scriptContract,
  'tooling/test_checker': testChecker,
}

/** Every spelling of every contract, with its name. */
const names: ReadonlyMap<string, string> = new Map(
  Object.keys(contracts).flatMap((name) => spellings(name).map((id) => [id, name])),
)

/** The name of the contract that is meant, such as `flow/if`; nothing for a tool. */
export function contractName(id: string): string | undefined {
  return names.get(id)
}

/** Calls a contract that comes with Legwork, else a tool of the catalogue. The input is a copy of plain data. */
export async function callContract(id: string, input: unknown, step: Step): Promise<unknown> {
  throwIfStopped(step.signal)
  const contract = contracts[names.get(id) ?? '']
  if (contract) return contract(objectOf(input), step)
  return step.call(id, input ?? {}, step.signal).catch((error: unknown) => {
    const meant = names.get(`lcod://${id.replace(/^lcod:\/\/|@\d+$/g, '')}@1`)
    const isUnknown = error instanceof ContractError && error.code === 'unknown-tool'
    throw isUnknown && meant ? new ContractError('unknown-tool', suggestion(id, meant)) : error
  })
}

function suggestion(id: string, name: string): string {
  return `There is no tool "${id}". Did you mean the contract "lcod://${name}@1"?`
}

/**
 * As a step: whatever a script does, its report is the result, that of one that throws included. A call that fails inside it
 * and that it does not catch is a call of the steps that failed, and ends them.
 */
async function scriptContract(input: Record<string, unknown>, step: Step): Promise<unknown> {
  const request = await checkRequest(input)
  const inner = { ...deeper(step), slots: undefined, state: {} }
  const call = (id: string, value: unknown, signal: AbortSignal) => callContract(id, value, { ...inner, signal })
  const end = await runScript(request, step, { state: step.state, slots: step.slots, call })
  if (end.type !== 'failed' || !end.inner) return end.report
  const { code, message, outcome } = end.inner
  throw new ContractError(code, message, { data: end.report, ...(outcome && { outcome }) })
}

function spellings(name: string): string[] {
  const all = new Set([name, name.replaceAll('_', '-')])
  return [...all].flatMap((each) => [`lcod://${each}@1`, `lcod://contract/${each}@1`])
}
