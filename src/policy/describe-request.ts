// A question to a person in words: everything that the call would do, however it is asked.

import { unseen } from '../base/unseen.ts'
import type { ShownRequest } from '../model/approval.ts'

/** How a part of it looks where there are colours. */
export type Paint = (style: 'bold' | 'reset' | 'yellow' | 'cyan', text: string) => string

/** Of a tool's own words, so much is shown. */
const mostLines = 8
const mostLetters = 2_000
const mostOfName = 200
/** A longer row of spaces could lead to where the terminal begins another line. */
const mostSpaces = 8

/**
 * The full command line, or the whole input, with the prose that goes with it. Whatever the tool and its caller say stands behind a
 * mark, or on one line of ours: nothing that they write can pass for a second question.
 */
export function describeRequest(request: ShownRequest, paint: Paint = (_, text) => text): string {
  const { tool, title, description, argv, input, content, reasons } = request
  return [
    `${paint('bold', title === undefined ? named(tool) : `${named(title)} (${named(tool)})`)} asks to run:`,
    ...ownWords(description).map((line) => `  | ${paint('reset', line)}`),
    ...reasons.map((reason) => `  ${paint('yellow', oneLine(reason))}`),
    ...(argv ? [oneLine(argv.map(quoted).join(' '))] : inputLines(input)).map((line) => `  ${paint('cyan', line)}`),
    ...(content === undefined ? [] : [`  ${paint('cyan', oneLine(JSON.stringify(content)))}`]),
  ].join('\n')
}

function named(name: string): string {
  const shown = oneLine(name.slice(0, mostOfName))
  return name.length > mostOfName ? `${shown}…` : shown
}

function ownWords(description: string): readonly string[] {
  const lines = unhidden(description.slice(0, mostLetters)).split('\n')
  const isCut = lines.length > mostLines || description.length > mostLetters
  return isCut ? [...lines.slice(0, mostLines), '…'] : lines
}

/** JSON has no line that its strings could break; the spaces that a line begins with are ours. */
function inputLines(input: unknown): readonly string[] {
  const lines = (JSON.stringify(input, null, 2) ?? '').split('\n')
  return lines.map((line) => {
    const text = line.trimStart()
    return line.slice(0, line.length - text.length) + unhidden(text)
  })
}

/** Arguments are quoted, so that none can pass for two. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

function oneLine(text: string): string {
  return unhidden(text).replaceAll('\n', String.raw`\u{a}`)
}

/** What a person says yes to must be what runs: what a terminal would obey, hide or leave blank is spelt out, never dropped. */
function unhidden(text: string): string {
  return text
    .replace(unseen, (letter) => (letter === '\n' ? letter : `\\u{${letter.codePointAt(0)?.toString(16)}}`))
    .replace(longRow, (spaces) => `\\u{20}×${spaces.length}`)
}

const longRow = new RegExp(` {${mostSpaces + 1},}`, 'g')
