// How a text is laid out around a place, so that what is put there looks like what is there already.

import type { DocumentContent } from './read.ts'

/** The blanks from the line's start up to an offset; undefined when something else stands before it on the line. */
export function indentBefore(text: string, offset: number, from = 0): string | undefined {
  let start = offset
  while (start > from && isBlank(text[start - 1])) start--
  const before = text[start - 1]
  return start > from && (before === '\n' || before === '\r') ? text.slice(start, offset) : undefined
}

/** The end of the line that an offset is in, just after its line break; undefined when more than blanks follow. */
export function lineEndAfter(text: string, offset: number): number | undefined {
  let end = offset
  while (isBlank(text[end])) end++
  if (text[end] === '\r') return text[end + 1] === '\n' ? end + 2 : end + 1
  return text[end] === '\n' ? end + 1 : undefined
}

/** The line break just before an offset, which must be one. */
export function lineBreakAt(text: string, lineStart: number): string {
  if (text[lineStart - 1] === '\r') return '\r'
  return text[lineStart - 2] === '\r' ? '\r\n' : '\n'
}

/** One step of indentation: that of the first block. */
export function unitOf({ text, blocks }: Pick<DocumentContent, 'text' | 'blocks'>): string {
  const [first] = blocks
  return (first && indentBefore(text, first.source.start)) || '  '
}

/** The first line break of a text; `\n` when it has none. */
export function firstLineBreak(text: string): string {
  return /\r\n?|\n/.exec(text)?.[0] ?? '\n'
}

function isBlank(letter: string | undefined): boolean {
  return letter === ' ' || letter === '\t'
}
