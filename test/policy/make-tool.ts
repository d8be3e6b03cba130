// Tools and plans for the tests of the policy.

import type { Plan } from '../../src/model/decision.ts'
import type { Effects } from '../../src/model/effects.ts'
import { spell, type ToolName } from '../../src/model/name.ts'
import { anySchema } from '../../src/model/schema.ts'
import type { Tool } from '../../src/model/tool.ts'

export const caller = { front: 'library' } as const

/** Says of everything that it does nothing of it. */
export const harmless = {
  destructive: false,
  reversible: true,
  idempotent: true,
  network: false,
  subprocess: false,
  filesystem: { read: false, write: false, delete: false },
  cost: { billable: false, estimate: 'free' },
} as const satisfies Effects

/** A function of the owner's own, unless the fields say otherwise. `name` is `module:function` or one word. */
export function makeTool(name = 'demo:echo', fields: Partial<Omit<Tool, 'name'>> = {}, aliases?: string[]): Tool {
  const kind = fields.kind ?? 'function'
  const [first = '', ...path] = name.split(/[: ]/)
  const parts: ToolName = path.length ? { module: first, path } : { path: [first] }
  const toolName = aliases ? { ...parts, aliases } : parts
  const { spellings } = spell(kind, toolName, () => false)
  return {
    name: toolName,
    kind,
    description: 'A tool for tests.',
    input: anySchema,
    effects: {},
    trust: 'native',
    run: async () => ({ ok: true, value: null }),
    id: spellings.id,
    source: 'tests',
    spellings,
    ...fields,
  }
}

/** A tool of a program: `gh pr create` is `gh:prCreate`. */
export function makeProgram(name: string, fields: Partial<Omit<Tool, 'name'>> = {}): Tool {
  return makeTool(name, { kind: 'program', ...fields })
}

/** What starts the words of a command line; `command` is the same without global options. */
export function makePlan(argv: string, command?: string): Plan {
  return { argv: argv.split(' '), ...(command && { command: command.split(' ') }) }
}
