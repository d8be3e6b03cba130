// A request's body, read with a bound.

import type { IncomingMessage } from 'node:http'
import { parseJson } from '../base/json.ts'
import { grouped } from '../base/text.ts'
import { type Refusal, refusal } from './refusal.ts'

export type ReadText = { readonly ok: true; readonly text: string } | Refusal
export type ReadJson = { readonly ok: true; readonly json: unknown } | Refusal

/** The whole body as text. One that is too large is not read to its end. */
export async function readText(incoming: IncomingMessage, maxBytes: number): Promise<ReadText> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) return tooLarge(maxBytes)
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length
      if (bytes > maxBytes) return tooLarge(maxBytes)
      chunks.push(chunk)
    }
  } catch {
    return refusal('bad-request', 'The body ended too early.')
  }
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)) }
  } catch {
    return refusal('bad-request', 'The body is not UTF-8.')
  }
}

/** An empty body is no value at all. */
export async function readJson(incoming: IncomingMessage, maxBytes: number): Promise<ReadJson> {
  const read = await readText(incoming, maxBytes)
  if (!read.ok) return read
  if (read.text === '') return { ok: true, json: undefined }
  const parsed = parseJson(read.text)
  if (parsed.ok) return { ok: true, json: parsed.value }
  return refusal('bad-request', `The body is not JSON: ${parsed.message}`)
}

function tooLarge(maxBytes: number): Refusal {
  const message = `The body is larger than ${grouped(maxBytes)} bytes.`
  return refusal('too-large', message, { connection: 'close' })
}
