// Text files as the command reads and writes them: what cannot be done is a mistake of whoever named the file.

import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { messageOf } from '../base/json.ts'
import { makeFolder } from '../base/make-folder.ts'
import { decodeText, replaceFile } from '../base/text-file.ts'
import { UsageError } from './usage.ts'

/** The text; undefined where there is no such file. */
export function readTextFile(file: string): string | undefined {
  if (!existsSync(file)) return undefined
  const bytes = attempt(file, 'read', () => readFileSync(file))
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw new UsageError(`"${file}" is written in UTF-16. Save it as UTF-8, then try again.`)
  }
  const text = decodeText(bytes)
  if (text === undefined) throw new UsageError(`"${file}" is not written in UTF-8. Save it as UTF-8, then try again.`)
  return text
}

/** A new file is for its owner alone; its folder is made where there is none. */
export async function replaceTextFile(file: string, text: string): Promise<void> {
  attempt(file, 'written', () => makeFolder(dirname(file)))
  const replaced = await replaceFile(file, text, { newMode: 0o600 })
  if (!replaced.ok) throw new UsageError(replaced.message)
}

function attempt<T>(file: string, what: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new UsageError(`"${file}" cannot be ${what}: ${messageOf(error)}`)
  }
}
