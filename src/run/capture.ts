// Keeps the first bytes of an output stream and counts the rest, in memory that never grows beyond what is kept.

import { StringDecoder } from 'node:string_decoder'

export interface Capture {
  readonly add: (chunk: Uint8Array) => void
  /** How many bytes there were in truth. */
  readonly bytes: () => number
  /** What was kept, as text. Bad UTF-8 becomes U+FFFD; a letter that the limit cut in two is left out. */
  readonly text: () => string
}

const smallestBuffer = 1024

export function startCapture(maxBytes: number): Capture {
  let kept = Buffer.alloc(0)
  let keptBytes = 0
  let bytes = 0

  const add = (chunk: Uint8Array) => {
    bytes += chunk.length
    const wanted = Math.min(chunk.length, maxBytes - keptBytes)
    if (wanted <= 0) return
    if (keptBytes + wanted > kept.length) kept = grown(kept, keptBytes, keptBytes + wanted, maxBytes)
    kept.set(wanted === chunk.length ? chunk : chunk.subarray(0, wanted), keptBytes)
    keptBytes += wanted
  }
  const text = () => {
    const content = kept.subarray(0, keptBytes)
    return bytes > keptBytes ? new StringDecoder('utf8').write(content) : content.toString('utf8')
  }
  return { add, bytes: () => bytes, text }
}

function grown(old: Buffer, used: number, needed: number, maxBytes: number): Buffer<ArrayBuffer> {
  const size = Math.min(maxBytes, Math.max(needed, 2 * old.length, smallestBuffer))
  const larger = Buffer.allocUnsafe(size)
  old.copy(larger, 0, 0, used)
  return larger
}
