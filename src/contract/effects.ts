// What a contract of the catalogue may do to the world, as far as its file tells.

import type { Effects } from '../model/effects.ts'
import { contractName } from './built-in.ts'
import type { ComposeSlots, ComposeStep } from './compose.ts'
import type { ContractFile } from './compose-file.ts'

/**
 * What the file declares. Otherwise steps are known to change nothing where each is a built-in contract that computes, reads or
 * decides which steps run; a script, and steps that call tools, may do anything. Each call is decided by itself in any case.
 */
export function effectsOf({ does, effects }: ContractFile): Effects {
  if (effects) return effects
  return does.type === 'compose' && does.steps.every(changesNothing) ? harmless : {}
}

const harmless: Effects = { destructive: false, network: false, filesystem: { write: false, delete: false } }

function changesNothing({ call, slots, children }: ComposeStep): boolean {
  const name = contractName(call)
  const isHarmless = name !== undefined && name !== 'core/fs/write_file' && !name.startsWith('tooling/')
  return isHarmless && [...stepsIn(slots), ...stepsIn(children)].every(changesNothing)
}

function stepsIn(slots: ComposeSlots | undefined | null): readonly ComposeStep[] {
  return Object.values(slots ?? {}).flat()
}
