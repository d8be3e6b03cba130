// Finds where in a text one of many words may begin, by its first three letters, five bits of each: case does not count.
// It only ever rules places out; what stands there has to be looked at. A full Aho-Corasick automaton, which knows the words
// whole, took twice as long for the same text: each of its steps waits for the memory that the one before it looked up.

export interface Trigrams<Item> {
  /** Of each trigram, where in `items` stands what begins with it; 0 if nothing does. */
  readonly places: Uint16Array
  readonly items: readonly (readonly Item[])[]
}

/** Bytes are read faster than the units of a string, and their low bits are all that counts. */
const block = Buffer.alloc(16_384)

/** Visits each offset from `from` up to but without `to` where something may begin. A visit must not look for trigrams itself. */
export function visitTrigrams(
  places: Uint16Array,
  text: string,
  from: number,
  to: number,
  visit: (place: number, start: number) => void,
): void {
  let trigram = 0
  for (let blockStart = from; blockStart < to + 2; blockStart += block.length) {
    const length = Math.min(block.length, to + 2 - blockStart)
    const written = block.write(text.slice(blockStart, blockStart + length), 0, 'latin1')
    block.fill(0, written, length)
    for (let at = 0; at < length; at++) {
      trigram = nextTrigram(trigram, block[at] ?? 0)
      const place = places[trigram] ?? 0
      if (place !== 0 && blockStart + at - 2 >= from) visit(place, blockStart + at - 2)
    }
  }
}

/** The trigram after `trigram` and one more code unit. */
function nextTrigram(trigram: number, unit: number): number {
  return ((trigram << 5) | (unit & 31)) & 0x7fff
}

/** A word of less than three letters is expected before any others, and before the end of the text, for which 0 stands. */
export function trigramsOf<Item>(words: Iterable<readonly [word: string, item: Item]>): Trigrams<Item> {
  const places = new Uint16Array(0x8000)
  const items: Item[][] = [[]]
  for (const [word, item] of words) {
    for (const trigram of trigramsOfWord(word)) {
      const known = items[places[trigram] || items.length]
      if (known) known.push(item)
      else places[trigram] = items.push([item]) - 1
    }
  }
  return { places, items }
}

function trigramsOfWord(word: string): number[] {
  let trigrams = [0]
  for (let at = 0; at < 3; at++) {
    const units = at < word.length ? [word.charCodeAt(at)] : Array.from({ length: 32 }, (_, unit) => unit)
    trigrams = trigrams.flatMap((trigram) => units.map((unit) => nextTrigram(trigram, unit)))
  }
  return trigrams
}
