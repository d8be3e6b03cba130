// Synthetic streams: bytes that a request brings along, read piece by piece through a handle.

import { isObject, messageOf } from '../base/json.ts'
import type { Issue } from '../model/schema.ts'
import { encodingOf, isWritten } from './encoding.ts'
import { ContractError } from './errors.ts'
import { parsePath, writePath } from './path.ts'

export interface StreamSpec {
  /** Where its handle is put in the state: `body`, `a.b` or `$.a.b`. */
  readonly target: string
  readonly chunks: readonly string[]
  /** How the chunks are written. Default `utf-8`. */
  readonly encoding?: string
  readonly mediaType?: string
}

export interface StreamHandle {
  readonly id: string
  readonly encoding: string
  readonly mediaType?: string
}

interface Stream {
  readonly handle: StreamHandle
  readonly chunks: Buffer[]
  readonly decoder: InstanceType<typeof TextDecoder>
  seq: number
}

/** The streams of one run. They end with it. */
export class Streams {
  readonly #open = new Map<string, Stream>()
  #made = 0

  /** Makes each stream and puts its handle into the state. The faults of those that cannot be made. */
  register(specs: readonly StreamSpec[], state: Record<string, unknown>): readonly Issue[] {
    return specs.flatMap((spec, at) => {
      const fault = specFault(spec)
      const target = parsePath(spec.target)
      if (!target.ok || target.path.length === 0 || fault) {
        const message =
          fault ?? (target.ok ? 'A stream needs a place inside the state, such as "body".' : target.message)
        return [{ path: `streams[${at}]`, code: 'INVALID_VALUE', message }]
      }
      writePath(state, target.path, this.#add(spec))
      return []
    })
  }

  /** The next piece; `done` after the last one. */
  read({ stream, maxBytes, decode }: Record<string, unknown>): unknown {
    const found = this.#find(stream)
    const encoding = encodingOf(decode ?? found.handle.encoding)
    const piece = take(found.chunks, maxBytes)
    const bytes = piece?.length ?? 0
    const done = piece === undefined
    const chunk =
      encoding === 'utf-8'
        ? found.decoder.decode(piece ?? Buffer.alloc(0), { stream: !done })
        : (piece ?? Buffer.alloc(0)).toString(encoding)
    const seq = done ? found.seq : found.seq++
    return { done: done && chunk === '', chunk, encoding, bytes, seq, stream: found.handle }
  }

  close({ stream }: Record<string, unknown>): unknown {
    return { released: this.#open.delete(this.#find(stream).handle.id) }
  }

  /** All that is left of it, as bytes. The stream is closed then. */
  drain(stream: unknown): Buffer {
    const { chunks, handle } = this.#find(stream)
    this.#open.delete(handle.id)
    return Buffer.concat(chunks)
  }

  /** What is left of it, chunk by chunk as text. */
  texts(stream: unknown): string[] {
    const { chunks, decoder } = this.#find(stream)
    return chunks.splice(0).map((chunk) => decoder.decode(chunk, { stream: true }))
  }

  #add({ chunks, encoding = 'utf-8', mediaType }: StreamSpec): StreamHandle {
    const known = encodingOf(encoding)
    const id = `stream-${++this.#made}`
    const handle = { id, encoding: known, ...(mediaType !== undefined && { mediaType }) }
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    this.#open.set(id, { handle, chunks: chunks.map((chunk) => Buffer.from(chunk, known)), decoder, seq: 0 })
    return handle
  }

  #find(stream: unknown): Stream {
    const id = isObject(stream) ? stream.id : stream
    const found = typeof id === 'string' ? this.#open.get(id) : undefined
    if (found) return found
    const known = typeof id === 'string' && Number(/^stream-(\d+)$/.exec(id)?.[1] ?? 0) <= this.#made
    const message =
      known && typeof id === 'string' && id.startsWith('stream-')
        ? `The stream "${id}" is closed.`
        : 'There is no such stream. Give the handle that stands in the state.'
    throw new ContractError('invalid-input', message)
  }
}

/** Takes up to so many bytes from the front; a piece never reaches into the next chunk. */
function take(chunks: Buffer[], maxBytes: unknown): Buffer | undefined {
  while (chunks[0]?.length === 0) chunks.shift()
  const first = chunks.shift()
  if (!first) return undefined
  if (maxBytes === undefined || maxBytes === null) return first
  if (typeof maxBytes !== 'number' || !Number.isInteger(maxBytes) || maxBytes < 1) {
    chunks.unshift(first)
    throw new ContractError('invalid-input', `"maxBytes" is ${JSON.stringify(maxBytes)}; write a whole number above 0.`)
  }
  if (first.length > maxBytes) chunks.unshift(first.subarray(maxBytes))
  return first.subarray(0, maxBytes)
}

function specFault({ chunks, encoding }: StreamSpec): string | undefined {
  try {
    const known = encodingOf(encoding)
    const broken = chunks.findIndex((chunk) => !isWritten(chunk, known))
    return broken < 0 ? undefined : `Chunk ${broken} is not ${known}.`
  } catch (error) {
    return messageOf(error)
  }
}
