// `legwork apply DIFF.xml FILE.xml`: a document with a diff applied, on stdout or into the file.

import { readFile } from 'node:fs/promises'
import { messageOf } from '../base/json.ts'
import type { ParsedDocument } from '../document/document.ts'
import { type DocumentFault, describeFault } from '../document/faults.ts'
import { readDocument } from '../document/parse.ts'
import { writeDocument } from '../document/write-file.ts'
import { printAside, printJson } from './print.ts'
import type { Globals } from './program.ts'
import { UsageError } from './usage.ts'

interface ApplyOptions extends Globals {
  /** Writes the file instead of printing it. */
  readonly write?: boolean
}

export async function applyVerb(diffFile: string, file: string, options: ApplyOptions): Promise<number> {
  const parsed = await read(file, readDocument)
  if (!parsed.ok) return refuse(file, parsed.faults, options)
  const diff = await read(diffFile, (path) => readFile(path, 'utf8'))
  const applied = parsed.document.apply(diff)
  if (!applied.ok) return refuse(diffFile, applied.faults, options)
  if (options.write) {
    const written = await writeDocument(file, parsed.document.text, () => applied.text)
    if (!written.ok) return fail(written.code, written.message, options)
  }
  if (options.json) printJson({ ok: true, file, written: options.write === true, text: applied.text })
  else if (options.write) printAside(`"${file}" is changed.`)
  else process.stdout.write(applied.text)
  return 0
}

async function read<T extends ParsedDocument | string>(path: string, reader: (path: string) => Promise<T>): Promise<T> {
  try {
    return await reader(path)
  } catch (error) {
    throw new UsageError(`"${path}" cannot be read: ${messageOf(error)}`)
  }
}

function refuse(file: string, faults: readonly DocumentFault[], { json }: ApplyOptions): number {
  if (json) printJson({ ok: false, code: 'invalid-input', file, faults })
  else for (const fault of faults) printAside(`${describeFault(file, fault)}\n`)
  return 2
}

function fail(code: string, message: string, { json }: ApplyOptions): number {
  if (json) printJson({ ok: false, code, message })
  else printAside(message)
  return 1
}
