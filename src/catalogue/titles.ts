// Tools that have a title are found by it as people write it: case, spaces and punctuation do not count, and a letter or two may
// differ. Nothing is guessed where two tools are equally near, and a tool that is known not to work is not taken for another.

import { editDistance } from '../base/text.ts'
import { looksLikeSpelling } from '../model/name.ts'
import type { Tool } from '../model/tool.ts'

/** What a title leads to: a tool, or why there is none. */
export type Titled = { readonly tool: Tool } | { readonly tool?: never; readonly fault: string }

export class Titles {
  readonly #byTitle = new Map<string, readonly Titled[]>()

  add(tool: Tool): void {
    if (tool.title !== undefined) this.#put(tool.title, { tool })
  }

  remove({ id, title }: Tool): void {
    if (title !== undefined) this.#take(title, ({ tool }) => tool?.id === id)
  }

  /** Titles of tools that cannot be used, with the reasons. */
  addBroken(broken: ReadonlyMap<string, string> = new Map()): void {
    for (const [title, fault] of broken) this.#put(title, { fault })
  }

  removeBroken(broken: ReadonlyMap<string, string> = new Map()): void {
    for (const [title, fault] of broken) this.#take(title, (titled) => 'fault' in titled && titled.fault === fault)
  }

  clear(): void {
    this.#byTitle.clear()
  }

  /** What the nearest title leads to; several where it could be any of them. */
  near(name: string): readonly Titled[] {
    if (this.#byTitle.size === 0 || name.length > maxLength || looksLikeSpelling(name)) return []
    const wanted = folded(name)
    const same = this.#byTitle.get(wanted)
    if (same) return same
    let bound = mayDiffer(wanted)
    let found: readonly Titled[] = []
    for (const [title, titled] of bound ? this.#byTitle : []) {
      const distance = editDistance(wanted, title, bound)
      if (distance > bound) continue
      found = distance < bound ? titled : [...found, ...titled]
      bound = distance
    }
    return found
  }

  /** A title that could be a name is none to find a tool by: it would be another tool's. */
  #put(title: string, titled: Titled): void {
    const key = folded(title)
    if (key && !looksLikeSpelling(title)) this.#byTitle.set(key, [...(this.#byTitle.get(key) ?? []), titled])
  }

  #take(title: string, isMeant: (titled: Titled) => boolean): void {
    const key = folded(title)
    const rest = this.#byTitle.get(key)?.filter((titled) => !isMeant(titled)) ?? []
    if (rest.length) this.#byTitle.set(key, rest)
    else this.#byTitle.delete(key)
  }
}

const maxLength = 200

/** In a short title every letter tells. */
function mayDiffer(title: string): number {
  return Math.min(2, Math.floor(title.length / 3))
}

function folded(title: string): string {
  return title
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '')
}
