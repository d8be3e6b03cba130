// What is left of a long result when it is not handed over at once: its beginning, and the whole as it is kept.

import type { KeptResult } from '../model/large-result.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Redactor } from './redact.ts'
import { render } from './render.ts'
import { visibleText } from './visible.ts'

export interface WholeResult {
  readonly text: string
  readonly mediaType: KeptResult['mediaType']
}

/** Everything that an outcome gave back, safe to show and redacted, however long. */
export function wholeResult(outcome: Outcome, redactor: Redactor, maxOutputBytes: number): WholeResult {
  const isText = outcome.value === undefined || typeof outcome.value === 'string' || !outcome.ok
  const whole = isText ? render(outcome, maxOutputBytes) : JSON.stringify(outcome.value)
  const visible = visibleText(whole)
  // Where something was dropped, what stood on both sides of it may be a secret now.
  const text = visible === whole ? whole : redactor.text(visible)
  return { text, mediaType: isText ? 'text/plain' : 'application/json' }
}

const previewLength = 2_000

/** The beginning, and how to go on. */
export function previewOf({ text }: WholeResult, uri: string, bytes: number): string {
  const beginning = text.slice(0, previewLength).replace(/[\ud800-\udbff]$/, '')
  const offset = Buffer.byteLength(beginning)
  return `${beginning}\n[The first ${offset} of ${bytes} bytes. The whole is at ${uri}: read on at ${uri}?offset=${offset}, or by the tool legwork--readResult, in a script tools.legwork.readResult.]`
}
