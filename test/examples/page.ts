// The pages of the documentation as the tests read them: their snippets, in order, each with what the page says of it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

export interface Snippet {
  readonly page: string
  readonly line: number
  readonly language: string
  readonly text: string
  /** The file that it is, where the line before ends with that name in backticks and a colon. */
  readonly file: string | undefined
  /** What a comment right before it says, for the tests alone: a file of the repository, `fragment`, or `given: CODE`. */
  readonly note: string | undefined
}

export function readPage(page: string): string {
  return readFileSync(join(root, page), 'utf8')
}

export function snippetsOf(page: string): readonly Snippet[] {
  const text = readPage(page)
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ index, 1: language = '', 2: code = '' }) => {
    const before = text.slice(0, index).trimEnd().split('\n')
    const note = /^<!-- (.*) -->$/.exec(before.at(-1) ?? '')?.[1]
    const said = (note === undefined ? before : before.slice(0, -1)).findLast((line) => line.trim() !== '') ?? ''
    const line = text.slice(0, index).split('\n').length
    return { page, line, language, text: code, file: /`([^`\s]+)`:$/.exec(said)?.[1], note }
  })
}
