// Lines and columns of offsets, and the lines around them. All of them at once: one sweep over the text, however many there are.

export interface Frame {
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 units. */
  readonly column: number
  readonly frame: string
}

/** A line may be as long as the text; a frame is not. */
const maxWidth = 120

export function framesOf(text: string, offsets: Iterable<number>): ReadonlyMap<number, Frame> {
  const starts = lineStarts(text)
  const frames = new Map<number, Frame>()
  for (const offset of offsets) if (!frames.has(offset)) frames.set(offset, frameAt(text, starts, offset))
  return frames
}

/** Lines end as XML has it: with LF, CR LF or CR. */
export function lineStarts(text: string): readonly number[] {
  const starts = [0]
  for (const end of text.matchAll(/\r\n?|\n/g)) starts.push(end.index + end[0].length)
  return starts
}

/** Which line an offset is in, from 1. */
export function lineAt(starts: readonly number[], offset: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low + 1
}

function frameAt(text: string, starts: readonly number[], offset: number): Frame {
  const line = lineAt(starts, offset)
  const column = offset - (starts[line - 1] ?? 0) + 1
  const first = Math.max(1, line - 1)
  const last = Math.min(starts.length, line + 1)
  const from = column > maxWidth ? column - maxWidth / 2 : 1
  const width = String(last).length
  const frame: string[] = []
  for (let number = first; number <= last; number++) {
    const shown = lineFrom(text, starts, number, from)
    frame.push(`${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${shown}`.trimEnd())
    if (number === line) frame.push(`  ${' '.repeat(width)} | ${' '.repeat(column - from)}^`)
  }
  return { line, column, frame: frame.join('\n') }
}

function lineFrom(text: string, starts: readonly number[], number: number, from: number): string {
  const start = starts[number - 1] ?? 0
  const end = starts[number] ?? text.length
  const shown = text.slice(Math.min(start + from - 1, end), Math.min(start + from - 1 + maxWidth, end))
  return shown.replace(/[\r\n]+$/, '').replaceAll('\t', ' ')
}
