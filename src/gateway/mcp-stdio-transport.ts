// Messages from and to the client that started this process: one a line. A line that is too long is not kept in memory; its
// request is told so, and the connection goes on.

import type { Readable, Writable } from 'node:stream'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { isObject, parseJson } from '../base/json.ts'
import { answeredId, cancelledIds, idsOf, type RequestId } from './mcp-ids.ts'

/** A request's id stands near its beginning or its end, whichever way its client writes. */
const keptEnds = 1_024

export class StdioServerTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>
  onclose?: () => void
  onerror?: (error: Error) => void

  readonly #input: Readable
  readonly #output: Writable
  readonly #maxBytes: number
  #parts: Buffer[] = []
  #bytes = 0
  #tail = Buffer.alloc(0)
  #isClosed = false
  /** Of requests that have no answer yet. */
  readonly #ids = new Set<RequestId>()

  constructor(input: Readable, output: Writable, maxBytes: number) {
    this.#input = input
    this.#output = output
    this.#maxBytes = maxBytes
  }

  async start(): Promise<void> {
    const close = () => void this.close()
    this.#input.on('data', this.#read).on('end', close).on('close', close).on('error', close)
    this.#output.on('error', close).on('close', close)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new Error('The client is gone.')
    const id = answeredId(message)
    if (id !== undefined) this.#ids.delete(id)
    await this.#write(message)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#input.off('data', this.#read)
    this.#input.pause()
    this.onclose?.()
  }

  readonly #read = (chunk: Buffer): void => {
    let from = 0
    for (let at = chunk.indexOf(10); at >= 0 && !this.#isClosed; at = chunk.indexOf(10, from)) {
      this.#take(chunk.subarray(from, at))
      this.#endLine()
      from = at + 1
    }
    this.#take(chunk.subarray(from))
  }

  #take(part: Buffer): void {
    if (part.length === 0) return
    const isFirstTooLong = this.#bytes <= this.#maxBytes
    this.#bytes += part.length
    if (this.#bytes <= this.#maxBytes) {
      this.#parts.push(part)
      return
    }
    if (isFirstTooLong) this.#parts.push(part.subarray(0, keptEnds))
    this.#tail = Buffer.concat([this.#tail, part.subarray(-keptEnds)]).subarray(-keptEnds)
  }

  #endLine(): void {
    const isWhole = this.#bytes <= this.#maxBytes
    const line = Buffer.concat(this.#parts).toString('utf8').trim()
    const tail = this.#tail.toString('utf8')
    this.#parts = []
    this.#bytes = 0
    this.#tail = Buffer.alloc(0)
    if (!isWhole)
      this.#refuse(idIn(line.slice(0, keptEnds), tail), -32_600, `A message may have ${this.#maxBytes} bytes.`)
    else if (line !== '') this.#deliver(line)
  }

  #deliver(line: string): void {
    const parsed = parseJson(line)
    if (!parsed.ok) {
      this.#refuse(null, -32_700, 'That is not JSON.')
      return
    }
    const messages: readonly unknown[] = Array.isArray(parsed.value) ? parsed.value : [parsed.value]
    for (const message of messages) {
      if (isMessage(message)) this.#pass(message)
      else this.#refuse(null, -32_600, 'That is no message of the protocol.')
    }
  }

  /** Whoever uses an id twice could not tell the answers apart: what comes second is not done. */
  #pass(message: JSONRPCMessage): void {
    const [id] = idsOf(message)
    if (id !== undefined && this.#ids.has(id)) {
      this.#refuse(null, -32_600, `A request of the id ${JSON.stringify(id).slice(0, 100)} is being worked on already.`)
      return
    }
    if (id !== undefined) this.#ids.add(id)
    this.onmessage?.(message)
    for (const each of cancelledIds(message)) this.#ids.delete(each)
  }

  #refuse(id: string | number | null, code: number, message: string): void {
    this.#write({ jsonrpc: '2.0', id, error: { code, message } }).catch(() => {})
  }

  #write(message: object): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#output.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()))
    })
  }
}

/** What the SDK sorts out further. */
function isMessage(value: unknown): value is JSONRPCMessage {
  return isObject(value) && value.jsonrpc === '2.0' && ('method' in value || 'result' in value || 'error' in value)
}

/** The id of a message of which only the beginning and the end are known: its own, and none that stands deeper in it. */
function idIn(beginning: string, end: string): RequestId | null {
  return idAtBeginning(beginning) ?? idAtEnd(end) ?? null
}

/** Reads on from the opening brace, and looks at what stands right inside it. */
function idAtBeginning(text: string): RequestId | undefined {
  let depth = 0
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/gs)) {
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    const found = depth === 1 && token === '"id"' ? readId(text.slice(index + token.length)) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** After an id that is not deeper, only short members of the message itself can come, and one brace. */
function idAtEnd(text: string): RequestId | undefined {
  const [, members] =
    /,\s*"id"(\s*:\s*(?:\d{1,15}|"[^"\\]{1,100}")(?:\s*,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*")*\s*)\}\s*$/.exec(
      text,
    ) ?? []
  return members === undefined ? undefined : readId(`${members}}`)
}

function readId(text: string): RequestId | undefined {
  const [, number, word] = /^\s*:\s*(?:(\d{1,15})(?=[\s,}])|"([^"\\]{1,100})")/.exec(text) ?? []
  return number === undefined ? word : Number(number)
}
