// A question to a person in words: everything that the call would do, however it is asked.

import type { ShownRequest } from '../model/approval.ts'

/** How a part of it looks where there are colours. */
export type Paint = (style: 'bold' | 'reset' | 'yellow' | 'cyan', text: string) => string

/** Of a tool's own words, so much is shown. */
const mostLines = 8
const mostLetters = 2_000

/**
 * The full command line, or the whole input, with the prose that goes with it. Whatever the tool and its caller say stands behind a
 * mark, or on one line of ours: nothing that they write can pass for a second question.
 */
export function describeRequest(request: ShownRequest, paint: Paint = (_, text) => text): string {
  const { tool, title, description, argv, input, content, reasons } = request
  return [
    `${paint('bold', oneLine(title === undefined ? tool : `${title} (${tool})`))} asks to run:`,
    ...ownWords(description).map((line) => `  | ${paint('reset', line)}`),
    ...reasons.map((reason) => `  ${paint('yellow', oneLine(reason))}`),
    ...(argv ? [oneLine(argv.map(quoted).join(' '))] : inputLines(input)).map((line) => `  ${paint('cyan', line)}`),
    ...(content === undefined ? [] : [`  ${paint('cyan', oneLine(JSON.stringify(content)))}`]),
  ].join('\n')
}

function ownWords(description: string): readonly string[] {
  const lines = unhidden(description.slice(0, mostLetters)).split('\n')
  const isCut = lines.length > mostLines || description.length > mostLetters
  return isCut ? [...lines.slice(0, mostLines), '…'] : lines
}

/** JSON has no line that its strings could break. */
function inputLines(input: unknown): readonly string[] {
  return unhidden(JSON.stringify(input, null, 2) ?? '').split('\n')
}

/** Arguments are quoted, so that none can pass for two. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

function oneLine(text: string): string {
  return unhidden(text).replaceAll('\n', String.raw`\u{a}`)
}

/** What a person says yes to must be what runs: characters that a terminal would obey or hide are spelt out, never dropped. */
function unhidden(text: string): string {
  return text.replace(/[^\P{C}\n]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (letter) => {
    return `\\u{${letter.codePointAt(0)?.toString(16)}}`
  })
}
