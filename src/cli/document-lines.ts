// A document's blocks as they run: a line and the result for each that has ended, and word of the one that runs.

import type { BlockResult } from '../document/block-result.ts'
import type { DocumentEvent } from '../document/events.ts'
import { visibleText } from '../outcome/visible.ts'
import { errorText } from './error-text.ts'
import { paint, print, printPainted } from './print.ts'
import type { Say } from './progress.ts'

/** How much of a result is shown. */
const shownLines = 20
const shownLength = 2_000

/** `say` is told which block runs, and how far it is. */
export function showDocument(say: Say): (event: DocumentEvent) => void {
  let block = ''
  return (event) => {
    if (event.type === 'block-started') {
      block = `block ${event.at + 1} of ${event.total}: ${event.id} ${event.tool}`
      say(block)
    }
    if (event.type === 'block-event' && event.event.type === 'progress') say(block, event.event.progress.message)
    if (event.type === 'block-ended') showBlock(event.id, event.tool, event.result)
  }
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

function oneLine(text: string): string {
  return visibleText(text).replace(/\s+/g, ' ').trim()
}
