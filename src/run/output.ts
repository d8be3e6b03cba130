// Reads one output stream of a process: into a capture, and on to whoever listens live.

import { readSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { type Capture, startCapture } from './capture.ts'

/** Takes text as it comes. While a promise it returned is pending, no more is read. */
export type TextListener = (text: string) => void | Promise<void>

export interface Output {
  readonly capture: Capture
  /** Takes what is in the pipe already, and lets go of it; whoever else may still hold it is not waited for. */
  readonly finish: () => void | Promise<void>
}

/** A chunk is used up before the next is read, so that all streams can share one buffer. */
const shared = Buffer.allocUnsafe(65_536)

/** The most that is taken from a pipe once its process has ended: a pipe holds less, but somebody may be filling it. */
const maxLeftoverBytes = 4 * 1_048_576

const leftoverMs = 20

/** Reads the read end of a real pipe. */
export function readPipe(pipe: number, maxBytes: number, listener: TextListener | undefined): Output {
  const capture = startCapture(maxBytes)
  const live = listener && liveText(listener)
  const take = (length: number) => {
    const chunk = shared.subarray(0, length)
    capture.add(chunk)
    return live?.add(chunk)
  }
  const socket = new Socket({
    fd: pipe,
    readable: true,
    writable: false,
    onread: {
      buffer: shared,
      callback: (length) => {
        const busy = take(length)
        if (!busy) return true
        busy.then(() => socket.resume())
        return false
      },
    },
  })
  socket.on('error', () => {})

  const finish = () => {
    // A socket that has seen the end has closed its descriptor, and the number may be another's by now.
    if (!socket.destroyed) for (const length of leftover(pipe)) take(length)
    live?.end()
    socket.destroy()
  }
  return { capture, finish }
}

/** Reads one of Node's own streams, where real pipes cannot be had. */
export function readStream(stream: Readable, maxBytes: number, listener: TextListener | undefined): Output {
  const capture = startCapture(maxBytes)
  const live = listener && liveText(listener)
  stream.on('error', () => {})
  stream.on('data', (chunk: Buffer) => {
    capture.add(chunk)
    const busy = live?.add(chunk)
    if (!busy) return
    stream.pause()
    busy.then(() => stream.resume())
  })
  const finish = async () => {
    await streamEnd(stream)
    live?.end()
  }
  return { capture, finish }
}

/** Takes what comes from a stream whose process has ended, for a moment, and closes it. */
export async function streamEnd(stream: Readable): Promise<void> {
  stream.resume()
  await new Promise<void>((settle) => {
    if (stream.closed) return settle()
    const timer = setTimeout(settle, leftoverMs)
    stream.once('close', () => {
      clearTimeout(timer)
      settle()
    })
  })
  stream.destroy()
}

/** Passes text on with letters whole, and gives a promise when the listener wants to be waited for. */
function liveText(listener: TextListener) {
  const decoder = new StringDecoder('utf8')
  const pass = (text: string): Promise<void> | undefined => {
    if (text === '') return undefined
    try {
      const busy = listener(text)
      // A listener that fails is no reason to lose the rest.
      return busy instanceof Promise ? busy.catch(() => {}) : undefined
    } catch {
      return undefined
    }
  }
  return { add: (chunk: Buffer) => pass(decoder.write(chunk)), end: () => void pass(decoder.end()) }
}

function* leftover(pipe: number): Generator<number> {
  for (let total = 0; total < maxLeftoverBytes; ) {
    let length = 0
    try {
      length = readSync(pipe, shared)
    } catch {
      return
    }
    if (length === 0) return
    total += length
    yield length
  }
}
