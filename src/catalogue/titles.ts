// Tools that have a title are found by it as people write it: case, spaces and punctuation do not count, and a letter or two may
// differ. Nothing is guessed where two tools are equally near.

import { editDistance } from '../base/text.ts'
import type { Tool } from '../model/tool.ts'

export class Titles {
  readonly #byTitle = new Map<string, readonly Tool[]>()

  add(tool: Tool): void {
    const title = folded(tool.title)
    if (title) this.#byTitle.set(title, [...(this.#byTitle.get(title) ?? []), tool])
  }

  remove(tool: Tool): void {
    const title = folded(tool.title)
    const rest = this.#byTitle.get(title)?.filter(({ id }) => id !== tool.id) ?? []
    if (rest.length) this.#byTitle.set(title, rest)
    else this.#byTitle.delete(title)
  }

  clear(): void {
    this.#byTitle.clear()
  }

  /** The tools whose title is nearest to a name; several where it could be any of them. */
  near(name: string): readonly Tool[] {
    if (this.#byTitle.size === 0 || name.length > maxLength || isSpelling.test(name)) return []
    const wanted = folded(name)
    const same = this.#byTitle.get(wanted)
    if (same) return same
    let bound = mayDiffer(wanted)
    let found: readonly Tool[] = []
    for (const [title, tools] of bound ? this.#byTitle : []) {
      const distance = editDistance(wanted, title, bound)
      if (distance > bound) continue
      found = distance < bound ? tools : [...found, ...tools]
      bound = distance
    }
    return found
  }
}

const maxLength = 200

/** `module:function` and its like name one tool or none. */
const isSpelling = /^[\w$-]+(:|\.|__|--)[\w$.:-]+$/

/** In a short title every letter tells. */
function mayDiffer(title: string): number {
  return Math.min(2, Math.floor(title.length / 3))
}

function folded(title = ''): string {
  return title
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '')
}
