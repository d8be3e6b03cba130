// The contracts that come with Legwork, in an index of their own: contracts and compose steps find them, nobody else does.

import { boundedCopy } from './budget.ts'
import { type Contract, coreContracts } from './built-in-core.ts'
import { checkRequest } from './check-request.ts'
import { ContractError } from './errors.ts'
import { flowContracts } from './flow.ts'
import { runScript } from './script.ts'
import { deeper, objectOf, type Step } from './surroundings.ts'
import { testChecker } from './test-checker.ts'

const contracts: Readonly<Record<string, Contract>> = {
  ...coreContracts,
  ...flowContracts,
  'tooling/script': scriptContract,
  'tooling/test_checker': testChecker,
}

const index = new Map(
  Object.entries(contracts).flatMap(([name, contract]) => spellings(name).map((id) => [id, contract])),
)

/** Calls a contract that comes with Legwork, else a tool of the catalogue. */
export async function callContract(id: string, input: unknown, step: Step): Promise<unknown> {
  const contract = index.get(id)
  if (!contract) return step.call(id, input ?? {})
  if (step.signal.aborted) throw new ContractError('cancelled', 'The run was stopped.')
  return contract(objectOf(boundedCopy(input)), step)
}

/** As a step: whatever happened, its report is the result. */
async function scriptContract(input: Record<string, unknown>, step: Step): Promise<unknown> {
  const request = await checkRequest(input)
  const inner = { ...deeper(step), slots: undefined, state: {} }
  const call = (id: string, value: unknown) => callContract(id, value, inner)
  return (await runScript(request, step, { state: step.state, slots: step.slots, call })).report
}

function spellings(name: string): string[] {
  const names = new Set([name, name.replaceAll('_', '-')])
  return [...names].flatMap((each) => [`lcod://${each}@1`, `lcod://contract/${each}@1`])
}
