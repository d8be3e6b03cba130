// What a model is told beside a result: that the call was made without something it wrote. The notes are the last lines of the text.

import type { Outcome } from '../model/outcome.ts'
import { truncateText } from './truncate.ts'
import { visibleText } from './visible.ts'

/** Whoever got more names wrong than that has them all in the warnings. */
const most = 5
const maxNoteLength = 400

/** The text cut to its length, with the notes whole below it. */
export function withNotes(text: string, warnings: readonly string[], maxLength: number): string {
  if (warnings.length === 0) return truncateText(text, maxLength)
  const notes = [...new Set(warnings)].slice(0, most).map(noteOf).join('\n')
  if (notes.length + 1 >= maxLength) return truncateText(text, maxLength)
  const told = truncateText(text, maxLength - notes.length - 1).replace(/\n$/, '')
  return told === '' ? notes : `${told}\n${notes}`
}

/** The notes in an outcome's text, for those who show its value instead; empty where there are none. */
export function notesIn({ text, warnings }: Pick<Outcome, 'text' | 'warnings'>): string {
  if (warnings.length === 0) return ''
  const known = new Set(warnings.map(noteOf))
  const lines = text.split('\n')
  const last = lines.findLastIndex((line) => !known.has(line))
  return lines.slice(last + 1).join('\n')
}

function noteOf(warning: string): string {
  const line = visibleText(warning).replace(/\s+/g, ' ')
  return `Note: ${truncateText(line, maxNoteLength).replace('\n', ' ')}`
}
