// A call as a request's body: the input alone, or the input with what goes beside it, told apart by the content type.

import type { IncomingMessage } from 'node:http'
import { isObject } from '../base/json.ts'
import { limitSpecs } from '../model/limits.ts'
import { readJson } from './body.ts'
import { type Refusal, refusal } from './refusal.ts'

interface GivenCall {
  readonly input: unknown
  readonly content?: string
  readonly timeoutMs?: number
}

export type ReadCall = { readonly ok: true; readonly call: GivenCall } | Refusal

export async function readCall(incoming: IncomingMessage, maxBytes: number): Promise<ReadCall> {
  const read = await readJson(incoming, maxBytes)
  if (!read.ok) return read
  if (!/vnd\.legwork\.call/i.test(incoming.headers['content-type'] ?? ''))
    return { ok: true, call: { input: read.json } }
  if (!isObject(read.json)) return refusal('bad-request', 'The body must be an object with "input".')
  const { input, content, timeoutMs } = read.json
  if (content !== undefined && typeof content !== 'string') return refusal('bad-request', '"content" must be text.')
  if (timeoutMs !== undefined && !isTimeout(timeoutMs)) return badTimeout
  return {
    ok: true,
    call: { input, ...(content !== undefined && { content }), ...(timeoutMs !== undefined && { timeoutMs }) },
  }
}

const { min, max } = limitSpecs.timeoutMs

export function isTimeout(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
}

export const badTimeout: Refusal = refusal('bad-request', `"timeoutMs" must be a whole number from ${min} to ${max}.`)
