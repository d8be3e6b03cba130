// A document's blocks as they run: on a terminal a line that turns until the block has ended, elsewhere a plain line for each.

import type { BlockResult } from '../document/block-result.ts'
import type { DocumentEvent } from '../document/events.ts'
import type { CallEvent } from '../model/event.ts'
import { visibleText } from '../outcome/visible.ts'
import { errorText } from './error-text.ts'
import { paint, print, printPainted } from './print.ts'

export interface ShownDocument {
  readonly tell: (event: DocumentEvent) => void
  /** Leaves the terminal as it was. */
  readonly end: () => void
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const turnMs = 80

/** How much of a result is shown. */
const shownLines = 20
const shownLength = 2_000

export function showDocument(stream: NodeJS.WriteStream = process.stdout): ShownDocument {
  const spinner = stream.isTTY ? turning(stream) : undefined
  const tell = (event: DocumentEvent): void => {
    if (event.type === 'block-started') spinner?.start(`${event.id}  ${event.tool}`)
    if (event.type === 'block-event' && spinner) spin(spinner, event.event)
    if (event.type !== 'block-ended') return
    spinner?.stop()
    showBlock(event.id, event.tool, event.result)
  }
  return { tell, end: () => spinner?.stop() }
}

/** While a person is asked, the question has the terminal to itself. */
function spin(spinner: Spinner, event: CallEvent): void {
  if (event.type === 'decided' && event.decision.verdict === 'ask') spinner.stop()
  else if (event.type === 'decided') spinner.resume()
  else if (event.type === 'progress') spinner.note(event.progress.message ?? '')
}

function showBlock(id: string, tool: string, result: BlockResult): void {
  const { error, duration = 0, warnings = [] } = result
  const mark = error ? paint('red', '✗') : paint('green', '✓')
  printPainted(`${mark} ${paint('bold', oneLine(id))}  ${oneLine(tool)}  ${paint('dim', `${Math.round(duration)} ms`)}`)
  if (error) {
    print(indented(errorText(error)))
  } else {
    print(indented(typeof result.result === 'string' ? result.result : JSON.stringify(result.result, null, 2)))
  }
  for (const warning of warnings) print(`    Warning: ${warning}`)
}

function indented(text: string): string {
  const lines = visibleText(text.slice(0, shownLength)).trimEnd().split('\n')
  const shown = lines.slice(0, shownLines)
  const isCut = text.length > shownLength || lines.length > shownLines
  return [...shown, ...(isCut ? ['…'] : [])].map((line) => `    ${line}`).join('\n')
}

interface Spinner {
  readonly start: (text: string) => void
  readonly note: (text: string) => void
  readonly stop: () => void
  readonly resume: () => void
}

function turning(stream: NodeJS.WriteStream): Spinner {
  let text = ''
  let note = ''
  let turn = 0
  let began = 0
  let timer: NodeJS.Timeout | undefined
  const draw = () => {
    const seconds = ((performance.now() - began) / 1_000).toFixed(1)
    const line = oneLine(`${frames[turn++ % frames.length]} ${text}  ${seconds} s  ${note}`)
    stream.write(`\r\u001b[2K${cutToWidth(line, (stream.columns || 80) - 1)}`)
  }
  const resume = () => {
    if (timer) return
    timer = setInterval(draw, turnMs)
    draw()
  }
  const stop = () => {
    if (!timer) return
    clearInterval(timer)
    timer = undefined
    stream.write('\r\u001b[2K')
  }
  const start = (given: string) => {
    text = given
    note = ''
    began = performance.now()
    resume()
  }
  const say = (given: string) => {
    note = given
  }
  return { start, stop, resume, note: say }
}

function oneLine(text: string): string {
  return visibleText(text).replace(/\s+/g, ' ').trim()
}

/** As much of a line as surely fits: a line that goes on in the next could not be taken back. */
function cutToWidth(line: string, columns: number): string {
  let width = 0
  let end = 0
  for (const letter of line) {
    width += wide.test(letter) ? 2 : 1
    if (width > columns) break
    end += letter.length
  }
  return line.slice(0, end)
}

/** Letters that take two columns: East Asian ones and pictures. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f000}-\u{3ffff}]|\p{Extended_Pictographic}/u
