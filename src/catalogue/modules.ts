// Which kinds of tools each module has. A skill's author chooses its name freely; it must not share a module with tools of
// another kind, or it would come under rules that were written for those, such as `allow "git:*"`.

import { camelCase, type ToolName } from '../model/name.ts'
import type { Tool, ToolDefinition, ToolKind } from '../model/tool.ts'

export class Modules {
  readonly #kinds = new Map<string, Map<ToolKind, number>>()

  add(tool: Tool): void {
    this.#count(tool, 1)
  }

  remove(tool: Tool): void {
    this.#count(tool, -1)
  }

  clear(): void {
    this.#kinds.clear()
  }

  /** The name as it is, or one of its own for a skill that bears the name of something else; then with the reason. */
  ownName({ kind, name }: ToolDefinition): { readonly name: ToolName; readonly note?: string } {
    if (kind !== 'skill') return { name }
    const module = moduleOf(name)
    const other = [...(this.#kinds.get(module)?.keys() ?? [])].find((taken) => taken !== 'skill')
    // `tools.` begins the spelling of every tool in scripts.
    if (!other && module !== 'tools') return { name }
    const [first = '', ...rest] = name.path
    const prefixed = `skill-${name.module ?? first}`
    const own = name.module === undefined ? { path: [prefixed, ...rest] } : { module: prefixed, path: name.path }
    return { name: own, note: `its name is that of a ${other ?? 'spelling'}, so it is called "${prefixed}" here.` }
  }

  #count({ kind, name }: Tool, more: 1 | -1): void {
    const module = moduleOf(name)
    const kinds = this.#kinds.get(module) ?? new Map<ToolKind, number>()
    const amount = (kinds.get(kind) ?? 0) + more
    if (amount > 0) kinds.set(kind, amount)
    else kinds.delete(kind)
    if (kinds.size) this.#kinds.set(module, kinds)
    else this.#kinds.delete(module)
  }
}

export function moduleOf({ module, path }: ToolName): string {
  return camelCase(module ?? path[0] ?? '')
}
