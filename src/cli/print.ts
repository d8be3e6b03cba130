// Everything that the command prints: JSON for programs, safe text for people.

import { styleText } from 'node:util'
import { visibleText } from '../outcome/visible.ts'

type Style = Parameters<typeof styleText>[0]

/** One JSON value, on a terminal and in a pipe alike. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, process.stdout.isTTY ? 2 : undefined)}\n`)
}

/** For people: nothing in it can move the cursor or hide what it says. */
export function print(text: string): void {
  process.stdout.write(ended(visibleText(text)))
}

/** Beside the answer: warnings, failures, questions. */
export function printAside(text: string): void {
  process.stderr.write(ended(visibleText(text)))
}

/** Text in a colour where the terminal has colours; the text is made safe first. */
export function paint(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return styleText(style, visibleText(text), { stream, validateStream: true })
}

/** A line that is painted already. */
export function printPainted(line: string, stream: NodeJS.WriteStream = process.stdout): void {
  stream.write(ended(line))
}

/** Rows with their columns in line; the last column is as long as it is. */
export function columns(given: readonly (readonly string[])[]): string[] {
  const rows = given.map((row) => row.map(oneLine))
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? []
  return rows.map((row) =>
    row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('  '),
  )
}

/** A cell is one line whatever it holds, so that nothing in it can pass for another row. */
function oneLine(cell: string): string {
  return visibleText(cell).replace(/\s*[\n\r\u0085\u2028\u2029]\s*/g, ' ⏎ ')
}

function ended(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`
}
