// A process that stays, such as a server: its input stays open and its output is listened to. It is run like every other, so
// it ends like every other, with its whole tree, and when the host does.

import type { Writable } from 'node:stream'
import { type ProcessRequest, type ProcessResult, runProcess } from './process.ts'
import { endWithHost } from './survivors.ts'

export interface StartRequest extends Pick<ProcessRequest, 'argv' | 'cwd' | 'env' | 'confine' | 'profile'> {
  /** Gets all output as it comes. While a promise it returned is pending, no more of that stream is read. */
  readonly onOutput: (stream: 'stdout' | 'stderr', text: string) => void | Promise<void>
}

export interface StayingProcess {
  readonly pid: number
  /**
   * Passes text on to its standard input. What a process that has gone does not read is lost, without an error. False, and the
   * text is lost, where too much lies there that it does not read: it is as good as gone.
   */
  readonly write: (text: string) => boolean
  /** How it ended, once it has. Never rejects. */
  readonly ended: Promise<ProcessResult>
  /** Closes its input, and soon after ends the whole tree. Settles when it has gone. */
  readonly end: () => Promise<void>
}

export type Started =
  | ({ readonly started: true } & StayingProcess)
  /** It never began, or was over before anybody could speak to it. */
  | { readonly started: false; readonly ended: ProcessResult }

/** The first bytes of each stream are kept for the report; the rest goes to whoever listens. */
const keptBytes = 4_096

/** How much of what was written may lie there unread before no more is taken. */
const maxUnreadBytes = 67_108_864

/** How long a process may take to leave by itself once its input is closed. */
const leavingMs = 100

export async function startProcess(request: StartRequest): Promise<Started> {
  const ending = new AbortController()
  const started = Promise.withResolvers<Started>()
  const ended = runProcess({
    ...request,
    maxOutputBytes: keptBytes,
    signal: ending.signal,
    onStart: ({ pid, input }) => {
      endWithHost(pid, ended)
      const { write, flush } = gathered(input)
      let leaving: Promise<void> | undefined
      const end = () => {
        flush()
        leaving ??= leave(input, ended, ending)
        return leaving
      }
      started.resolve({ started: true, pid, write, ended, end })
    },
  })
  ended.then((result) => started.resolve({ started: false, ended: result }), started.reject)
  return started.promise
}

/** What is written in one go of the host is passed on in one piece: every piece wakes the reader up, which costs more than its bytes. */
function gathered(input: Writable): { write: (text: string) => boolean; flush: () => void } {
  let waiting = ''
  const flush = () => {
    const text = waiting
    waiting = ''
    if (text && input.writable) input.write(text)
  }
  const write = (text: string) => {
    if (input.writableLength + waiting.length > maxUnreadBytes) return false
    if (waiting === '') process.nextTick(flush)
    waiting += text
    return true
  }
  return { write, flush }
}

async function leave(input: Writable, ended: Promise<ProcessResult>, ending: AbortController): Promise<void> {
  input.end()
  const patience = setTimeout(() => ending.abort(), leavingMs)
  await ended
  clearTimeout(patience)
}
