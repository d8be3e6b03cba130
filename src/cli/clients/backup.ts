// The file as it was before the link, beside it. Its name tells what it holds, so that nobody else's file is taken for one.

import { createHash } from 'node:crypto'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { messageOf } from '../../base/json.ts'
import { FileError } from '../file-error.ts'
import { checkFolder, readTextFile } from '../text-file.ts'
import { maxClientFileBytes } from './known.ts'

export interface Backup {
  readonly path: string
  readonly text: string
}

/** Gives back what takes it away again, if it was not there before. */
export function keepBackup(file: string, text: string): () => void {
  const path = backupPath(file, text)
  if (ownBackups(file).some((backup) => backup.path === path)) return () => {}
  checkFolder(dirname(path))
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600, flush: true })
  } catch (error) {
    throw new FileError(`No backup could be written to "${path}": ${messageOf(error)}. Nothing was changed.`)
  }
  return () => rmSync(path, { force: true })
}

/** Those that hold what their name says. */
export function ownBackups(file: string): Backup[] {
  const beginning = `${basename(file)}.before-legwork-`
  return readdirSync(dirname(file))
    .filter((name) => name.startsWith(beginning))
    .flatMap((name) => {
      const path = join(dirname(file), name)
      const text = readBackup(path)
      return text !== undefined && path === backupPath(file, text) ? [{ path, text }] : []
    })
}

function readBackup(path: string): string | undefined {
  try {
    return readTextFile(path, maxClientFileBytes)
  } catch {
    return undefined
  }
}

function backupPath(file: string, text: string): string {
  return `${file}.before-legwork-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`
}
