// The report of a script: what it returned with its messages, or what went wrong with its logs.

import { isObject, maxJsonDepth } from '../base/json.ts'

export interface Report {
  readonly success: false
  readonly messages: readonly string[]
  readonly error: { readonly name: string; readonly message: string; readonly stack?: string }
  readonly logs: readonly unknown[]
}

/** The return value as it is; messages are added to those of an object, or stand beside anything else. */
export function successReport(value: unknown, logs: readonly unknown[]): unknown {
  if (logs.length === 0) return value
  if (!isObject(value)) return { result: value, messages: logs }
  return { ...value, messages: [...messagesOf(value), ...logs] }
}

export function failureReport({ name, message, stack }: Report['error'], logs: readonly unknown[]): Report {
  return { success: false, messages: [message], error: { name, message, ...(stack && { stack }) }, logs }
}

/** Whether JSON text is nested more deeply than values are passed on. */
export function isTooDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const letter = text.charCodeAt(at)
    if (letter === quote) at = endOfText(text, at)
    else if (letter === openList || letter === openObject) {
      // The report that it stands in may be one level more.
      if (++depth >= maxJsonDepth) return true
    } else if (letter === closeList || letter === closeObject) depth--
  }
  return false
}

const [quote, backslash, openList, closeList, openObject, closeObject] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d]

/** Where the text that begins at a quotation mark ends. */
function endOfText(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end > 0; end = json.indexOf('"', end + 1)) {
    let slashes = 0
    while (json.charCodeAt(end - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return end
  }
  return json.length
}

function messagesOf({ messages }: Record<string, unknown>): readonly unknown[] {
  if (Array.isArray(messages)) return messages
  return messages === undefined || messages === null ? [] : [messages]
}
