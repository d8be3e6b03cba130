// Every word that any tool has, and where: found as it is, by its beginning, and with a letter or two wrong.

import { editDistance } from '../base/text.ts'

export interface Likeness {
  /** Place and weight by turns. */
  readonly places: readonly number[]
  /** How near the word is to the one that was asked for: 1 for the same. */
  readonly likeness: number
}

/** Bounds on what one word may lead to, whatever the tools are called. */
const maxBeginnings = 50
const maxNear = 50

/** How many more words one search may compare letter by letter. */
export interface Patience {
  comparisons: number
}

export class Vocabulary {
  readonly #places = new Map<string, number[]>()
  #sorted: readonly string[] = []

  add(word: string, place: number, weight: number): void {
    const places = this.#places.get(word)
    if (places) places.push(place, weight)
    else this.#places.set(word, [place, weight])
  }

  /** To be called when all words are there. */
  sort(): void {
    this.#sorted = [...this.#places.keys()].sort()
  }

  /** The word, and those that begin with it; mistyped ones only where there is none of these. */
  like(word: string, patience: Patience): Likeness[] {
    const exact = this.#places.get(word)
    const begun = word.length < 3 ? [] : this.#beginningWith(word)
    const found = [
      ...(exact ? [{ places: exact, likeness: 1 }] : []),
      ...begun.map((other) => this.#likeness(other, (0.8 * word.length) / other.length)),
    ]
    return found.length ? found : this.#mistyped(word, patience)
  }

  #beginningWith(word: string): string[] {
    const words = this.#sorted
    const found: string[] = []
    for (let at = firstFrom(words, word); at < words.length && found.length < maxBeginnings; at++) {
      const other = words[at] ?? ''
      if (!other.startsWith(word)) break
      if (other !== word) found.push(other)
    }
    return found
  }

  /** One wrong letter for every four, and none of the first two of them missing. */
  #mistyped(word: string, patience: Patience): Likeness[] {
    const bound = Math.min(2, Math.floor(word.length / 4))
    if (bound === 0) return []
    const words = this.#sorted
    const found: Likeness[] = []
    for (const letter of new Set(word.slice(0, 2))) {
      for (let at = firstFrom(words, letter); at < words.length && found.length < maxNear; at++) {
        const other = words[at] ?? ''
        if (!other.startsWith(letter) || patience.comparisons === 0) break
        if (Math.abs(other.length - word.length) > bound) continue
        patience.comparisons--
        const distance = editDistance(word, other, bound)
        if (distance <= bound) found.push(this.#likeness(other, 0.5 / distance))
      }
    }
    return found
  }

  #likeness(word: string, likeness: number): Likeness {
    return { places: this.#places.get(word) ?? [], likeness }
  }
}

/** Where the words begin that are not before this one. */
function firstFrom(words: readonly string[], word: string): number {
  let low = 0
  let high = words.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((words[middle] ?? '') < word) low = middle + 1
    else high = middle
  }
  return low
}
