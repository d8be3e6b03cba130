// Words and letters: nearest spellings, lists in sentences, frames around a place in a file.

/** The candidates that differ least from a word, best first, none that is merely remote. */
export function nearest(word: string, candidates: Iterable<string>, most = 3): string[] {
  const wanted = fold(word)
  const bound = wanted.length < 3 ? 0 : Math.floor(wanted.length / 3)
  const found: { candidate: string; distance: number }[] = []
  for (const candidate of candidates) {
    const folded = fold(candidate)
    const distance = folded.includes(wanted) && wanted.length > 2 ? 1 : editDistance(wanted, folded, bound)
    if (distance <= bound) found.push({ candidate, distance })
  }
  found.sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
  return found.slice(0, most).map(({ candidate }) => candidate)
}

/** "Did you mean "a" or "b"?", or nothing. */
export function didYouMean(candidates: readonly string[]): string {
  return candidates.length ? ` Did you mean ${candidates.map((candidate) => `"${candidate}"`).join(' or ')}?` : ''
}

/** `1 tool`, `2 tools`. */
export function count(amount: number, noun: string): string {
  return `${grouped(amount)} ${noun}${amount === 1 ? '' : 's'}`
}

/** `1,234,567`. Node's own way loads what it knows of all languages first, which takes longer than most commands. */
export function grouped(amount: number): string {
  return String(amount).replace(/\B(?=(\d{3})+$)/g, ',')
}

export interface Place {
  readonly line: number
  readonly column: number
}

/** Line and column, from 1, of an offset in a text. */
export function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return { line, column: offset - (before.lastIndexOf('\n') + 1) + 1 }
}

/** The lines around a place, with a caret below it. */
export function codeFrame(text: string, place: Place, context = 1): string {
  const lines = text.split('\n')
  const first = Math.max(1, place.line - context)
  const last = Math.min(lines.length, place.line + context)
  const width = String(last).length
  const frame: string[] = []
  for (let number = first; number <= last; number++) {
    const line = (lines[number - 1] ?? '').replace(/\r$/, '').replaceAll('\t', ' ')
    frame.push(`${number === place.line ? '>' : ' '} ${String(number).padStart(width)} | ${line}`)
    if (number === place.line) frame.push(`  ${' '.repeat(width)} | ${' '.repeat(place.column - 1)}^`)
  }
  return frame.join('\n')
}

/** How many letters must be added, removed, changed or swapped; anything above the bound is reported as bound + 1. */
export function editDistance(a: string, b: string, bound = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) > bound) return bound + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    let best = i
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1))
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1)
      row.push(cost)
      if (cost < best) best = cost
    }
    if (best > bound) return bound + 1
    beforeLast = last
    last = row
  }
  return Math.min(last[b.length] ?? 0, bound + 1)
}

/** Case and separators do not count when words are compared. */
function fold(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}
