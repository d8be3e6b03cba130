// The descriptors of one process: the ends that it gets, and the ends that we keep.

import { closeSync } from 'node:fs'
import { Socket } from 'node:net'
import { Readable, Writable } from 'node:stream'
import { inputFile } from './input-file.ts'
import { type Output, readPipe, readStream, type TextListener } from './output.ts'
import { readEndOf, takePipes, writeEndOf } from './pipes.ts'
import { type Status, statusOfPipe, statusOfStream } from './status.ts'

export interface StdioRequest {
  readonly stdin?: string | Uint8Array | undefined
  /** Gets standard input to write to while the child runs, in the place of `stdin`. */
  readonly onInput?: ((input: Writable) => void) | undefined
  readonly maxOutputBytes: number
  /** Once it has fired, nothing is waited for. */
  readonly signal: AbortSignal
  readonly onOutput?: ((stream: 'stdout' | 'stderr', text: string) => void | Promise<void>) | undefined
}

/** Open descriptors. Each way out leads through `connect` and `finish`, or through `abandon`. */
export interface Stdio {
  /** For the child: standard input, output, error, and the status where it was asked for. */
  readonly given: readonly (number | 'ignore' | 'pipe')[]
  /** Once the child has its ends: closes ours of those, feeds its input and reads its output. */
  readonly connect: (streams: readonly unknown[] | undefined) => Connected
  readonly abandon: () => void
}

export interface Connected {
  readonly stdout: Output
  readonly stderr: Output
  readonly status: Status | undefined
  /** Takes what is left in the pipes and closes everything. */
  readonly finish: () => Promise<void>
}

export async function openStdio(request: StdioRequest, withStatus: boolean): Promise<Stdio> {
  const file = request.onInput ? undefined : inputFile(request.stdin)
  const toFeed = request.onInput ?? (file === undefined && request.stdin?.length ? request.stdin : undefined)
  const pipes = await takePipes(2 + Number(withStatus) + Number(toFeed !== undefined), request.signal)
  const input = { file, toFeed }
  return pipes ? realPipes(request, input, pipes, withStatus) : nodePipes(request, input, withStatus)
}

type Food = string | Uint8Array | ((input: Writable) => void)

/** Standard input as a file that holds it, or as what is fed while the child runs: a text, or by whoever wants to write it. */
interface Input {
  readonly file: number | undefined
  readonly toFeed: Food | undefined
}

function realPipes(request: StdioRequest, input: Input, pipes: readonly number[], withStatus: boolean): Stdio {
  const kept = new Set(pipes)
  const lent: number[] = input.file === undefined ? [] : [input.file]
  const abandon = () => {
    for (const descriptor of [...lent.splice(0), ...kept]) closeSync(descriptor)
    kept.clear()
  }
  try {
    const [stdoutPipe = -1, stderrPipe = -1, ...rest] = pipes
    const statusPipe = withStatus ? rest.shift() : undefined
    const given: (number | 'ignore')[] = [input.file ?? 'ignore']
    for (const pipe of [stdoutPipe, stderrPipe, statusPipe]) {
      if (pipe === undefined) continue
      const end = writeEndOf(pipe)
      lent.push(end)
      given.push(end)
    }
    const [inputPipe] = rest
    let source: number | undefined
    if (inputPipe !== undefined) {
      source = writeEndOf(inputPipe)
      kept.add(source)
      given[0] = readEndOf(inputPipe)
      kept.delete(inputPipe)
      lent.push(given[0], inputPipe)
    }
    const connect = () => {
      for (const descriptor of lent.splice(0)) closeSync(descriptor)
      const feeding = source === undefined ? undefined : feed(new Socket({ fd: source, readable: false }), input.toFeed)
      const stdout = readPipe(stdoutPipe, request.maxOutputBytes, listenerOf(request, 'stdout'))
      const stderr = readPipe(stderrPipe, request.maxOutputBytes, listenerOf(request, 'stderr'))
      const status = statusPipe === undefined ? undefined : statusOfPipe(statusPipe)
      return connected(stdout, stderr, status, feeding)
    }
    return { given, connect, abandon }
  } catch (error) {
    abandon()
    throw error
  }
}

/** Sockets of Node's, where the system gives no pipes. Reopening /dev/stderr fails on them. */
function nodePipes(request: StdioRequest, { file, toFeed }: Input, withStatus: boolean): Stdio {
  const first = file ?? (toFeed === undefined ? 'ignore' : 'pipe')
  const given = [first, 'pipe', 'pipe', ...(withStatus ? ['pipe' as const] : [])] as const
  const abandon = () => {
    if (file !== undefined) closeSync(file)
  }
  const connect = (streams: readonly unknown[] = []) => {
    abandon()
    const [input, output, error, state] = streams
    const feeding = input instanceof Writable ? feed(input, toFeed) : undefined
    const stdout = readStream(readable(output), request.maxOutputBytes, listenerOf(request, 'stdout'))
    const stderr = readStream(readable(error), request.maxOutputBytes, listenerOf(request, 'stderr'))
    const status = withStatus ? statusOfStream(readable(state)) : undefined
    return connected(stdout, stderr, status, feeding)
  }
  return { given, connect, abandon }
}

function connected(
  stdout: Output,
  stderr: Output,
  status: Status | undefined,
  feeding: Writable | undefined,
): Connected {
  const finish = async () => {
    feeding?.destroy()
    await Promise.all([stdout.finish(), stderr.finish(), status?.finish()])
  }
  return { stdout, stderr, status, finish }
}

/** A child that closes its input early makes an error here, which is none. */
function feed(stream: Writable, input: Food | undefined): Writable {
  stream.on('error', () => {})
  if (typeof input === 'function') input(stream)
  else stream.end(input)
  return stream
}

function listenerOf({ onOutput }: StdioRequest, stream: 'stdout' | 'stderr'): TextListener | undefined {
  return onOutput && ((text) => onOutput(stream, text))
}

function readable(stream: unknown): Readable {
  return stream instanceof Readable ? stream : Readable.from([])
}

/** What was kept of both streams, and how much there was. */
export function keptOutput({ stdout: { capture: out }, stderr: { capture: err } }: Connected, maxOutputBytes: number) {
  const [stdoutBytes, stderrBytes] = [out.bytes(), err.bytes()]
  const truncated = Math.max(stdoutBytes, stderrBytes) > maxOutputBytes
  return { stdout: out.text(), stderr: err.text(), stdoutBytes, stderrBytes, truncated }
}
