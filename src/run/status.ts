// What bubblewrap tells of the process inside: the pid of the namespace's first process, and how the command ended.

import { closeSync, readSync } from 'node:fs'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import type { Exit } from './launch-here.ts'
import { streamEnd } from './output.ts'

export interface Status {
  /** The namespace's first process, as the host numbers it; undefined before there is one. */
  readonly first: () => number | undefined
  /** The command's exit code; undefined while it runs, and for ever when it never ran. */
  readonly exitCode: () => number | undefined
  /** Takes what has been written up to now, and lets go of the descriptor. */
  readonly finish: () => void | Promise<void>
}

const buffer = Buffer.allocUnsafe(4096)

/** Reads from a pipe that does not block whatever has been written to it. */
export function statusOfPipe(pipe: number): Status {
  let text = ''
  let closed = false
  const read = () => {
    try {
      // The number of a closed descriptor may be another's by now.
      if (!closed) text += buffer.toString('utf8', 0, readSync(pipe, buffer))
    } catch {
      // Nothing new.
    }
    return text
  }
  const finish = () => {
    read()
    closed = true
    closeSync(pipe)
  }
  return { ...fields(read), finish }
}

/** The same from one of Node's own streams. */
export function statusOfStream(stream: Readable): Status {
  let text = ''
  stream.on('error', () => {})
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8')
  })
  return { ...fields(() => text), finish: () => streamEnd(stream) }
}

/**
 * Bubblewrap gives 128 + n for a command that signal n ended, which cannot be told from one that exits with that number.
 * Such a code is taken for the signal; the number stays beside it.
 */
export function endOf(exitCode: number): Exit {
  return { code: exitCode, signal: exitCode > 128 ? (signalNames.get(exitCode - 128) ?? null) : null }
}

/** Of several names of one signal, the first is the usual one: SIGABRT and not SIGIOT. */
const signalNames = new Map(
  Object.entries(constants.signals)
    .toReversed()
    .map(([name, number]) => [number, name]),
)

function fields(text: () => string): Pick<Status, 'first' | 'exitCode'> {
  const field = (pattern: RegExp) => {
    const found = pattern.exec(text())?.[1]
    return found === undefined ? undefined : Number(found)
  }
  return { first: () => field(/"child-pid": (\d+)/), exitCode: () => field(/"exit-code": (\d+)/) }
}
