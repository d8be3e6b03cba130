// Regular expressions from other people's schemas, run so that none of them can hang the host: `^(a+)+$` takes the
// platform's own engine minutes on forty letters, and this one microseconds.

import { messageOf } from '../base/json.ts'
import { compilePattern, runPattern } from './pattern-program.ts'
import { parsePattern, UnusablePattern } from './pattern-syntax.ts'

export type SafePattern =
  | { readonly ok: true; readonly test: (text: string) => boolean }
  /** Cannot be run in time that grows with the text alone, or is no pattern at all. */
  | { readonly ok: false; readonly reason: string }

/** A pattern with the meaning it has in JSON Schema: Unicode, or the older syntax where only that reads it. Never throws. */
export function safePattern(source: string): SafePattern {
  try {
    const flag = isPattern(source, 'u') ? 'u' : ''
    if (!flag) new RegExp(source)
    const program = compilePattern(parsePattern(source, flag))
    return { ok: true, test: (text) => runPattern(program, text, flag === 'u') }
  } catch (error) {
    return { ok: false, reason: error instanceof UnusablePattern ? error.message : `is faulty: ${messageOf(error)}` }
  }
}

function isPattern(source: string, flag: string): boolean {
  try {
    new RegExp(source, flag)
    return true
  } catch {
    return false
  }
}
