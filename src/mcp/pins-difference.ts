// What has changed in a tool, as lines for a person. Every character can be seen: one that is invisible, or that would turn
// the reading order, stands there as its number, because instructions to a model are hidden in such characters.

import { lineDifference } from '../base/line-difference.ts'
import { count } from '../base/text.ts'
import { unseen } from '../base/unseen.ts'
import type { PinEntry } from './pins-entry.ts'

/** How many lines of it a question shows. */
const fewLines = 24

const parts = {
  description: 'description',
  inputSchema: 'input schema',
  outputSchema: 'output schema',
  annotations: 'annotations',
} as const

/** The lines that went, marked with `-`, and those that came, marked with `+`. */
export function difference(before: PinEntry, now: PinEntry, isWhole = false): string {
  const lines: string[] = []
  for (const [part, title] of Object.entries(parts)) {
    const changes = lineDifference(linesOf(before, part), linesOf(now, part))
    if (changes.length) lines.push(`${title}:`, ...changes.map(({ sign, line }) => `  ${sign} ${plainly(line)}`))
  }
  if (lines.length === 0) return 'It differs in a part that is too long to be kept.'
  const rest = isWhole ? 0 : lines.length - fewLines
  return rest > 0 ? [...lines.slice(0, fewLines), `… and ${count(rest, 'more line')}.`].join('\n') : lines.join('\n')
}

/** The text with every character that cannot be seen as its number. */
export function plainly(text: string): string {
  return text.replace(unseen, (letter) => {
    const code = letter.codePointAt(0) ?? 0
    return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
  })
}

function linesOf(entry: PinEntry, part: string): readonly string[] {
  const { description = [] } = entry
  if (part === 'description') return description.flatMap(pieces)
  const schema = Object.entries(entry).find(([name]) => name === part)?.[1]
  return schema === undefined ? [] : JSON.stringify(schema, null, 2).split('\n').flatMap(pieces)
}

const pieceLength = 160

/** A long line by its sentences, so that one that was slipped into the middle stands out. */
function pieces(line: string): string[] {
  if (line.length <= pieceLength) return [line]
  return line.split(/(?<=[.;:!?]) /).flatMap((sentence) => {
    const found: string[] = []
    for (let at = 0; at < sentence.length; at += pieceLength) found.push(sentence.slice(at, at + pieceLength))
    return found
  })
}
