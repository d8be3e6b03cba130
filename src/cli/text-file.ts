// Text files of other programs: only what is surely UTF-8 is read, and a file is replaced whole or not at all.

import { existsSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { messageOf } from '../base/json.ts'
import { writeBeside } from '../base/private-file.ts'
import { UsageError } from './usage.ts'

/** The text; undefined where there is no such file. */
export function readTextFile(file: string): string | undefined {
  if (!existsSync(file)) return undefined
  const bytes = readBytes(file)
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw new UsageError(`"${file}" is written in UTF-16. Save it as UTF-8, then try again.`)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new UsageError(`"${file}" is not written in UTF-8. Save it as UTF-8, then try again.`)
  }
}

/** Written beside and renamed, with the rights that the file had. A link stays a link. */
export function replaceTextFile(file: string, text: string): void {
  const target = existsSync(file) ? realpathSync(file) : file
  try {
    mkdirSync(dirname(target), { recursive: true })
    const mode = existsSync(target) ? statSync(target).mode & 0o777 : 0o600
    if (existsSync(target) && !(mode & 0o200)) throw new Error('it is read-only')
    writeBeside(target, text, mode)
  } catch (error) {
    throw new UsageError(`"${file}" cannot be written: ${messageOf(error)}`)
  }
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new UsageError(`"${file}" cannot be read: ${messageOf(error)}`)
  }
}
