// The lines in which two texts differ, in the order in which they stand.

export interface DifferingLine {
  /** `-` went, `+` came. */
  readonly sign: '-' | '+'
  readonly line: string
}

/** Beyond this the middle is not compared line by line: all of it went, and all of it came. */
const mostComparisons = 250_000

export function lineDifference(before: readonly string[], now: readonly string[]): DifferingLine[] {
  let start = 0
  while (start < before.length && start < now.length && before[start] === now[start]) start++
  let end = 0
  const shorter = Math.min(before.length, now.length) - start
  while (end < shorter && before.at(-1 - end) === now.at(-1 - end)) end++
  const went = before.slice(start, before.length - end)
  const came = now.slice(start, now.length - end)
  return went.length * came.length > mostComparisons ? [...marked('-', went), ...marked('+', came)] : merged(went, came)
}

function marked(sign: '-' | '+', lines: readonly string[]): DifferingLine[] {
  return lines.map((line) => ({ sign, line }))
}

/** Walks both along their longest common row of lines. */
function merged(before: readonly string[], now: readonly string[]): DifferingLine[] {
  const width = now.length + 1
  const lengths = new Uint32Array((before.length + 1) * width)
  const lengthAt = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const same = before[i] === now[j]
      lengths[i * width + j] = same ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1))
    }
  }
  const lines: DifferingLine[] = []
  let i = 0
  let j = 0
  while (i < before.length || j < now.length) {
    if (i < before.length && before[i] === now[j]) {
      i++
      j++
    } else if (i < before.length && (j >= now.length || lengthAt(i + 1, j) >= lengthAt(i, j + 1))) {
      lines.push({ sign: '-', line: before[i++] ?? '' })
    } else {
      lines.push({ sign: '+', line: now[j++] ?? '' })
    }
  }
  return lines
}
