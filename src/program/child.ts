// For child processes that somebody else has started: reads their output within bounds, and ends them in time.

import type { Readable } from 'node:stream'
import { checkLimit } from '../model/limits.ts'
import { startCapture } from '../run/capture.ts'

export interface CapturedOutput {
  readonly stdout: string
  readonly stderr: string
  readonly stdoutBytes: number
  readonly stderrBytes: number
  readonly truncated: boolean
}

/** What a child process of Node's has of it. */
export interface PrintingProcess {
  readonly stdout: Readable | null
  readonly stderr: Readable | null
}

export interface EndingProcess {
  readonly exitCode: number | null
  readonly signalCode: string | null
  readonly once: (event: 'exit', listener: () => void) => unknown
  readonly kill: (signal: 'SIGTERM' | 'SIGKILL') => unknown
}

/** All that a process prints, up to the limit; the rest is counted and dropped. Settles when its streams have closed. */
export async function captureOutput(
  process: PrintingProcess,
  limits: { readonly maxOutputSize?: number } = {},
): Promise<CapturedOutput> {
  const maxBytes = checkLimit('maxOutputBytes', limits.maxOutputSize)
  const [stdout, stderr] = await Promise.all([read(process.stdout, maxBytes), read(process.stderr, maxBytes)])
  return {
    stdout: stdout.text(),
    stderr: stderr.text(),
    stdoutBytes: stdout.bytes(),
    stderrBytes: stderr.bytes(),
    truncated: Math.max(stdout.bytes(), stderr.bytes()) > maxBytes,
  }
}

export interface TimeoutHandle {
  /** Whether the time was over before the process was. */
  readonly timedOut: () => boolean
  /** Lets the process go on for as long as it likes. */
  readonly cancel: () => void
}

const graceMs = 50

/** Ends a process that is still there when its time is over: SIGTERM, and SIGKILL 50 ms later. */
export function handleTimeout(process: EndingProcess, timeout: number): TimeoutHandle {
  let timedOut = false
  let timer = setTimeout(end, checkLimit('timeoutMs', timeout))
  const cancel = () => clearTimeout(timer)
  process.once('exit', cancel)
  if (process.exitCode !== null || process.signalCode !== null) cancel()
  return { timedOut: () => timedOut, cancel }

  function end() {
    timedOut = true
    process.kill('SIGTERM')
    timer = setTimeout(() => process.kill('SIGKILL'), graceMs)
  }
}

function read(stream: Readable | null, maxBytes: number): Promise<ReturnType<typeof startCapture>> {
  const capture = startCapture(maxBytes)
  if (!stream || stream.destroyed) return Promise.resolve(capture)
  stream.on('data', (chunk: Buffer | string) => capture.add(Buffer.from(chunk)))
  return new Promise((settle) => {
    stream.once('error', () => {})
    stream.once('close', () => settle(capture))
  })
}
