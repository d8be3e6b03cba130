// Finds where in a text one of many words may begin, by its first three letters, five bits of each: case does not count.
// It only ever rules places out; what stands there has to be looked at. A full Aho-Corasick automaton, which knows the words
// whole, took twice as long for the same text: each of its steps waits for the memory that the one before it looked up.

export interface Trigrams<Item> {
  /** Not 0 where there is anything below. */
  readonly flags: Uint8Array
  /** What begins with the three letters. */
  readonly items: readonly (readonly Item[] | undefined)[]
}

/** The trigram after `trigram` and one more code unit. */
export function nextTrigram(trigram: number, unit: number): number {
  return ((trigram << 5) | (unit & 31)) & 0x7fff
}

/** A word of less than three letters is expected before any others, and before the end of the text, for which 0 stands. */
export function trigramsOf<Item>(words: Iterable<readonly [word: string, item: Item]>): Trigrams<Item> {
  const flags = new Uint8Array(0x8000)
  const items: Item[][] = []
  for (const [word, item] of words) {
    for (const trigram of trigramsOfWord(word)) {
      flags[trigram] = 1
      const known = items[trigram]
      if (known) known.push(item)
      else items[trigram] = [item]
    }
  }
  return { flags, items }
}

function trigramsOfWord(word: string): number[] {
  let trigrams = [0]
  for (let at = 0; at < 3; at++) {
    const units = at < word.length ? [word.charCodeAt(at)] : Array.from({ length: 32 }, (_, unit) => unit)
    trigrams = trigrams.flatMap((trigram) => units.map((unit) => nextTrigram(trigram, unit)))
  }
  return trigrams
}
