// The step before all others: a secret that escape sequences or invisible characters take apart, such as the colours of a
// search, would show as soon as they are dropped. Lines that hold one go on without them.

import type { Stage } from './cover.ts'
import { maxSecretLength } from './patterns.ts'
import { hasHidden, visibleText } from './visible.ts'

/** Lines longer than this go on as they are. */
const maxLine = 2 * maxSecretLength

/** @param redact Redacts a whole text. */
export function createHiddenStage(redact: (text: string) => string): Stage {
  let pending = ''
  /** Within a line that is too long. */
  let passing = false

  return (chunk, final) => {
    pending += chunk
    const breaks = /[\r\n]/.test(chunk)
    if (!final && !breaks && !passing && pending.length < maxLine) return ''
    const text = pending
    const lineEnd = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1
    const tooLong = passing ? lineEnd === 0 : text.length - lineEnd >= maxLine
    const to = final || tooLong ? text.length : lineEnd
    const shown = text.slice(0, to)
    const plain = hasHidden(shown)
      ? shown.replace(/[^\r\n]+/g, (line, at) => (at === 0 && passing ? line : reveal(line)))
      : shown
    pending = text.slice(to)
    passing = tooLong
    return plain
  }

  function reveal(line: string): string {
    if (line.length >= maxLine || !hasHidden(line)) return line
    const plain = visibleText(line)
    return redact(plain) === plain ? line : plain
  }
}
