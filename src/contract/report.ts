// The report of a script: what it returned with its messages, or what went wrong with its logs.

import type { Json } from '../base/json.ts'
import { isObject } from '../base/json.ts'
import { failureMessage } from '../model/inner-failure.ts'
import type { Outcome } from '../model/outcome.ts'

export interface Report {
  readonly success: false
  readonly messages: readonly string[]
  readonly error: {
    readonly name: string
    readonly message: string
    /** That of the call which failed, where nothing caught it. */
    readonly code?: string
    /** The lines of the script's own functions. */
    readonly stack?: string
  }
  readonly logs: readonly unknown[]
}

/** The return value as it is; messages are added to those of an object, or stand beside anything else. */
export function successReport(value: unknown, logs: readonly unknown[]): unknown {
  if (logs.length === 0) return value
  if (!isObject(value)) return { result: value, messages: logs }
  return { ...value, messages: [...messagesOf(value), ...logs] }
}

export function failureReport({ name, message, code, stack }: Report['error'], logs: readonly unknown[]): Report {
  const own = stack && ownLines(stack)
  const error = { name, message, ...(code !== undefined && { code }), ...(own && { stack: own }) }
  return { success: false, messages: [message], error, logs }
}

/** Without the functions that the sandbox itself brings. */
function ownLines(stack: string): string {
  return stack.replace(/^.*\bguest:\d+(?::\d+)?\)?\n?/gm, '')
}

/** The outcome with a report as its value, whatever happened: a call that was refused has none of its own. */
export function withReport(outcome: Outcome): Outcome {
  if (outcome.ok || outcome.value !== undefined) return outcome
  const { error, ...report } = failureReport({ name: 'Error', message: failureMessage(outcome) }, [])
  const value: Json = { ...report, error: { ...error }, logs: [] }
  return { ...outcome, value }
}

function messagesOf({ messages }: Record<string, unknown>): readonly unknown[] {
  if (Array.isArray(messages)) return messages
  return messages === undefined || messages === null ? [] : [messages]
}
