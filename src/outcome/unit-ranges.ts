// Sets of UTF-16 code units, as the classes and escapes of a regular expression have them.

/** Ranges with both ends included. */
export type UnitRanges = readonly (readonly [first: number, last: number])[]

export const lineBreaks: UnitRanges = [single(10), single(13), [[0x2028, 0x2029] as const]].flat()
const digits: UnitRanges = [[48, 57]]
export const wordUnits: UnitRanges = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
]
const spaces: UnitRanges = [
  [9, 13],
  [32, 32],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]
export const namedClasses: { readonly [spelling: string]: UnitRanges } = {
  '\\d': digits,
  '\\D': invert(digits),
  '\\w': wordUnits,
  '\\W': invert(wordUnits),
  '\\s': spaces,
  '\\S': invert(spaces),
}
export const controlLetters: { readonly [letter: string]: number } = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0, b: 8 }

export function single(unit: number): UnitRanges {
  return [[unit, unit]]
}

export function invert(ranges: UnitRanges): UnitRanges {
  const gaps: (readonly [number, number])[] = []
  let from = 0
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    if (first > from) gaps.push([from, first - 1])
    from = Math.max(from, last + 1)
  }
  if (from <= 0xffff) gaps.push([from, 0xffff])
  return gaps
}

/** ASCII letters in both cases; of the others, those that stand alone. */
export function bothCases(ranges: UnitRanges): UnitRanges {
  return ranges.flatMap(([first, last]) => {
    const both: (readonly [number, number])[] = [[first, last]]
    for (const [from, to, distance] of [
      [65, 90, 32],
      [97, 122, -32],
    ] as const) {
      const low = Math.max(first, from)
      const high = Math.min(last, to)
      if (low <= high) both.push([low + distance, high + distance])
    }
    if (first === last && first > 127) {
      const letter = String.fromCharCode(first)
      for (const other of [letter.toLowerCase(), letter.toUpperCase()]) {
        if (other.length === 1) both.push([other.charCodeAt(0), other.charCodeAt(0)])
      }
    }
    return both
  })
}
