// Files that are named and not there: known without looking for those that patterns fit.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/** One sentence a path without a pattern in it that leads nowhere; `key` is the setting that names it. */
export function missingFiles(folder: string, paths: readonly string[], key: string): readonly string[] {
  const plain = paths.filter((path) => !/[*?[\]{}!()]/.test(path))
  return plain.filter((path) => !existsSync(resolve(folder, path))).map((path) => noFile(path, key))
}

export function noFile(path: string, key: string): string {
  return `No file fits "${path}" of "${key}".`
}
