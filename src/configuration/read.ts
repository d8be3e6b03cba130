// Reads the text of a configuration file, whatever stands in its place.

import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { messageOf } from '../base/json.ts'
import { ConfigurationError } from '../model/errors.ts'
import { fileNames, refuseForeign } from './find.ts'

const maxBytes = 10 * 1_048_576

export interface ReadText {
  /** Without a byte order mark. */
  readonly text: string
  readonly warnings: readonly string[]
}

/** A file that was found, rather than named by the user, must be theirs: checked again on the very file that is read. */
export async function readText(path: string, wasFound: boolean): Promise<ReadText> {
  // A FIFO would otherwise wait for its other end.
  await using file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) =>
    fail(path, `The file cannot be read: ${messageOf(error)}. Check that it is there and yours to read.`, error),
  )
  const stats = await file.stat()
  if (wasFound) refuseForeign(path, stats, process.getuid?.())
  if (!stats.isFile()) fail(path, 'This is not a file. Write the configuration into a file of that name.')
  if (stats.size > maxBytes) fail(path, `The file has ${stats.size} bytes; at most ${maxBytes} are read.`)
  const text = decode(path, await file.readFile())
  if (wasFound) await refuseSecond(path)
  return { text, warnings: openToAll(path, stats.mode) }
}

function decode(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return fail(path, 'The file is not UTF-8 text. Save it as UTF-8.')
  }
}

function openToAll(path: string, mode: number): string[] {
  if (process.platform === 'win32' || !(mode & 0o002)) return []
  return [`${path}: Every user of this machine may change this file. Run "chmod o-w" on it.`]
}

/** A tool that may write beside a configuration, and not to it, could otherwise put one there that goes before it. */
async function refuseSecond(path: string): Promise<void> {
  const [read, other] = fileNames
  if (!path.endsWith(read)) return
  const second = join(dirname(path), other)
  const isThere = await lstat(second).then(
    () => true,
    () => false,
  )
  if (isThere) fail(path, `${other} stands beside it, so that it is not sure which one is yours. Remove one of them.`)
}

function fail(path: string, message: string, cause?: unknown): never {
  const error = new ConfigurationError(path, [{ path: '', message }])
  if (cause !== undefined) error.cause = cause
  throw error
}
