// Redaction of a text that has something hidden in it: escape sequences or invisible characters may take a secret apart, as the
// colours of a search do, and it would show as soon as they are dropped. So the steps of redaction are given the visible form.
// A line of which they leave every letter goes on as it was; of any other, what they made of its visible form. It guarantees
// that making the result visible shows no secret.

import type { Stage } from './cover.ts'
import { maxSecretLength } from './patterns.ts'
import { hasHidden, settledLength, visibleText } from './visible.ts'

/** A longer line is not held until it ends: it goes on in pieces, each in its visible form if anything is hidden in it. */
const maxLine = 2 * maxSecretLength

/**
 * @param steps All steps of redaction, for this text.
 * @param redact Redacts a whole text.
 */
export function createHiddenStage(steps: Stage, redact: (text: string) => string): Stage {
  let pending = ''
  /** Within a line that goes on in pieces. */
  let inPieces = false

  return { take, holds: () => pending !== '' || steps.holds() }

  function take(chunk: string, final: boolean): string {
    pending += chunk
    if (!final && pending.length < maxLine && !/[\r\n]/.test(chunk)) return ''
    const text = pending
    const to = final ? text.length : Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1
    const shown = takeLines(text.slice(0, to), final)
    const pieces = takePieces(text.slice(to))
    pending = pieces.rest
    return shown + pieces.shown
  }

  function takeLines(lines: string, final: boolean): string {
    if (lines === '' && !final) return ''
    if (!hasHidden(lines)) {
      inPieces = false
      return steps.take(lines, final)
    }
    let shown = ''
    /** Lines with nothing hidden in them, up to the next with something. */
    let plain = ''
    for (const line of lines.match(eachLine) ?? []) {
      if (hasHidden(line)) {
        shown += steps.take(plain, false) + takeLine(line, final)
        plain = ''
      } else {
        plain += line
      }
      inPieces = false
    }
    return shown + steps.take(plain, final)
  }

  function takeLine(line: string, final: boolean): string {
    const ending = /[\r\n]*$/.exec(line)?.[0] ?? ''
    const body = line.slice(0, line.length - ending.length)
    if (inPieces || body.length >= maxLine) {
      const { shown, rest } = takePieces(body)
      return shown + steps.take(visibleIfHidden(rest) + ending, false)
    }
    const isCalm = !steps.holds()
    const visible = visibleText(body) + ending
    const shown = steps.take(visible, final && ending === '')
    return isCalm && shown === visible ? takeAsItIs(line) : shown
  }

  /** Only what is dropped from the visible form, such as the title of a window, may still hold a secret. */
  function takeAsItIs(line: string): string {
    const redacted = redact(line)
    if (redacted === line) return line
    const visible = visibleText(redacted)
    const shown = redact(visible)
    return shown === visible ? redacted : shown
  }

  /** All of a line but its last piece, which may get longer. */
  function takePieces(line: string): { readonly shown: string; readonly rest: string } {
    let shown = ''
    let rest = line
    while (rest.length >= maxLine) {
      inPieces = true
      const length = settledLength(rest.slice(0, maxLine)) || maxLine
      shown += steps.take(visibleIfHidden(rest.slice(0, length)), false)
      rest = rest.slice(length)
    }
    return { shown, rest }
  }
}

const eachLine = /[^\r\n]*(?:\r\n?|\n)|[^\r\n]+/g

function visibleIfHidden(piece: string): string {
  return hasHidden(piece) ? visibleText(piece) : piece
}
