// A project and the files of clients in it, for tests of `init` and `link`. The project is its owner's home folder too.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type CommandOptions, runLegwork } from './command.ts'
import { temporaryFolder } from './temporary.ts'

export function makeFiles(files: Readonly<Record<string, string | Uint8Array>>, folder = temporaryFolder()): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

export const read = (folder: string, file: string) => readFileSync(join(folder, file), 'utf8')

export const legworkIn = (folder: string, words: readonly string[], options: Partial<CommandOptions> = {}) =>
  runLegwork(words, { cwd: folder, ...options })
