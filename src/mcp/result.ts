// What a server's answer to a call means: structured content first, then text, and everything else as it came.

import { isObject, parseJson } from '../base/json.ts'
import type { Ran } from '../model/tool.ts'

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

/** A long number is an id more often than an amount, and would lose its last digits. */
function isRounded(value: unknown, text: string): boolean {
  return typeof value === 'number' && String(value) !== text.trim()
}

function textOf(content: readonly unknown[]): string {
  return content.flatMap((block) => (isText(block) ? [block.text] : [])).join('\n')
}

function isText(block: unknown): block is { readonly type: 'text'; readonly text: string } {
  return isObject(block) && block.type === 'text' && typeof block.text === 'string'
}

function failed(message: string, value: unknown): Ran {
  return { ok: false, code: 'tool-failed', message, ...(value !== undefined && { value }) }
}
