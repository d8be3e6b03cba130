// What a server's answer to a call means: structured content first, then text, and everything else as it came.

import { isObject, parseJson } from '../base/json.ts'
import type { Ran } from '../model/tool.ts'
import { visibleText } from '../outcome/visible.ts'

export function ranFromResult(result: unknown): Ran {
  if (!isObject(result)) return failed('The server answered with something that is no result.', result)
  const { isError, structuredContent } = result
  const content = Array.isArray(result.content) ? result.content : []
  const text = textOf(content)
  if (isError === true) {
    const value = structuredContent === undefined ? { content } : { content, structuredContent }
    return failed(text || 'The server says that the tool failed, and not why.', value)
  }
  return { ok: true, value: resultValue(structuredContent, content, text) }
}

/**
 * The structured content, else the text, parsed where it is JSON. Where there is anything besides text, such as an image or a
 * resource, all of it is kept: `{ content: […] }`, with `structuredContent` beside it.
 */
function resultValue(structured: unknown, content: readonly unknown[], text: string): unknown {
  const isKept = content.some((block) => !isText(block))
  if (structured !== undefined && structured !== null) {
    return isKept ? { content, structuredContent: structured } : structured
  }
  if (isKept) return { content }
  const parsed = /^\s*[[{"\dtfn-]/.test(text) ? parseJson(text) : undefined
  return parsed?.ok && !isRounded(parsed.value, text) ? parsed.value : text
}

/** A long number is an id more often than an amount, and would lose its last digits: then all of the text stays text. */
function isRounded(value: unknown, text: string): boolean {
  if (typeof value === 'number') return String(value) !== text.trim()
  // Nothing shorter loses anything, and most texts have nothing longer.
  if (!/[\d.]{16}|\de[+-]?\d{3}/i.test(text)) return false
  let isExact = true
  try {
    JSON.parse(text, (_, inner: unknown, { source = '' }: { source?: string } = {}) => {
      if (typeof inner === 'number' && !isSame(inner, source)) isExact = false
    })
  } catch {
    // Too deep to be looked through.
    return true
  }
  return !isExact
}

/** Whether a number is what was written, to its last digit. */
function isSame(number: number, written: string): boolean {
  if (/^-?\d+$/.test(written)) return Number.isSafeInteger(number)
  const digits = written.replace(/e.*$/i, '').replace(/\D/g, '').replace(/^0+/, '')
  if (digits.length <= 15) return Number.isFinite(number) && (number !== 0 || digits === '')
  if (digits.length > 100) return false
  return number.toPrecision(digits.length).replace(/e.*$/i, '').replace(/\D/g, '').replace(/^0+/, '') === digits
}

function textOf(content: readonly unknown[]): string {
  return content.flatMap((block) => (isText(block) ? [block.text] : [])).join('\n')
}

function isText(block: unknown): block is { readonly type: 'text'; readonly text: string } {
  return isObject(block) && block.type === 'text' && typeof block.text === 'string'
}

function failed(message: string, value: unknown): Ran {
  return { ok: false, code: 'tool-failed', message: visibleText(message), ...(value !== undefined && { value }) }
}
