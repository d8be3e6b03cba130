// Standard input that is small lies ready in a file without a name. Through a named pipe it would be written and the pipe closed
// before a script opens /dev/stdin, and opening a pipe that nobody writes to waits for ever. What is larger than a pipe cannot
// be written before somebody reads, so it has no such problem.

import { randomUUID } from 'node:crypto'
import { closeSync, constants, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const maxFileBytes = 65_536

/** A descriptor to read the input from, at its beginning; nothing for no input, for a large one, or without a place for files. */
export function inputFile(input: string | Uint8Array | undefined): number | undefined {
  if (input === undefined || input.length === 0 || Buffer.byteLength(input) > maxFileBytes) return undefined
  const path = join(tmpdir(), `legwork-${randomUUID()}`)
  let writing: number | undefined
  try {
    writing = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
    writeFileSync(writing, input)
    return openSync(path, constants.O_RDONLY)
  } catch {
    return undefined
  } finally {
    if (writing !== undefined) {
      closeSync(writing)
      rmSync(path, { force: true })
    }
  }
}
