// Keeps output beyond the limit whole, in files that only their owner can read. Secrets are redacted in what comes in.

import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../base/json.ts'
import { makeFolder } from '../base/make-folder.ts'

export interface KeptOutput {
  /** The files that hold a stream whole, for the streams that were longer than the limit. */
  readonly files: { readonly stdout?: string; readonly stderr?: string }
  readonly warnings: readonly string[]
}

export interface Keeper {
  /** Waits while it is written. */
  readonly add: (stream: 'stdout' | 'stderr', text: string) => void | Promise<void>
  /** Closes the files, and removes those of streams that were not cut after all. */
  readonly end: (isCut: { readonly stdout: boolean; readonly stderr: boolean }) => Promise<KeptOutput>
}

/** A file has a bound too: a program that never stops printing must not fill the disk. */
const maxFileBytes = 1_073_741_824

/** Nothing is written before a stream exceeds the limit. */
export function startKeeping(folder: string, name: string, maxBytes: number): Keeper {
  const streams = {
    stdout: keepStream(folder, `${name}-stdout.txt`, maxBytes),
    stderr: keepStream(folder, `${name}-stderr.txt`, maxBytes),
  }
  return {
    add: (stream, text) => streams[stream].add(text),
    end: async (isCut) => {
      const [stdout, stderr] = await Promise.all([streams.stdout.end(isCut.stdout), streams.stderr.end(isCut.stderr)])
      return {
        files: { ...(stdout.file && { stdout: stdout.file }), ...(stderr.file && { stderr: stderr.file }) },
        warnings: [...stdout.warnings, ...stderr.warnings],
      }
    },
  }
}

function keepStream(folder: string, name: string, maxBytes: number) {
  const path = join(folder, name)
  const warnings: string[] = []
  let waiting: string[] = []
  let bytes = 0
  let file: FileHandle | undefined
  let work: Promise<void> = Promise.resolve()

  const write = async () => {
    const text = waiting.join('')
    waiting = []
    if (text === '' || warnings.length) return
    try {
      if (!file) {
        makeFolder(folder, 0o700)
        file = await open(path, 'wx', 0o600)
      }
      await file.appendFile(text)
    } catch (error) {
      warnings.push(`The output could not be kept in "${path}": ${messageOf(error)}`)
    }
  }
  const add = (text: string): void | Promise<void> => {
    if (bytes > maxFileBytes) return
    bytes += Buffer.byteLength(text)
    waiting.push(text)
    if (bytes > maxFileBytes) waiting.push('\n[TRUNCATED]\n')
    if (bytes <= maxBytes) return
    work = work.then(write)
    return work
  }
  const end = async (isCut: boolean) => {
    await work
    if (isCut) await write()
    await file?.close()
    if (file && !isCut) await unlink(path).catch(() => {})
    return { file: file && isCut ? path : undefined, warnings }
  }
  return { add, end }
}
