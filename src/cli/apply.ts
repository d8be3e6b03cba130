// `legwork apply DIFF.xml FILE.xml`: a document with a diff applied, on stdout or into the file.

import { type DocumentFault, describeFault } from '../document/faults.ts'
import { parseDocument } from '../document/parse.ts'
import { writeDocument } from '../document/write-file.ts'
import { printAside, printJson } from './print.ts'
import type { Globals } from './program.ts'
import { withProgress } from './progress.ts'
import { readTextFile } from './text-file.ts'
import { UsageError } from './usage.ts'

interface ApplyOptions extends Globals {
  /** Writes the file instead of printing it. */
  readonly write?: boolean
}

export async function applyVerb(diffFile: string, file: string, options: ApplyOptions): Promise<number> {
  const parsed = parseDocument(read(file), { path: file })
  if (!parsed.ok) return refuse(file, parsed.faults, options)
  const applied = parsed.document.apply(read(diffFile))
  if (!applied.ok) return refuse(diffFile, applied.faults, options)
  if (options.write) {
    const { document } = parsed
    const written = await withProgress(`Writing ${file}`, options, () =>
      writeDocument(file, document.text, () => applied.text),
    )
    if (!written.ok) return fail(written.code, written.message, options)
  }
  const { text, warnings } = applied
  if (options.json) printJson({ ok: true, file, written: options.write === true, text, warnings })
  else for (const warning of warnings) printAside(`Warning: ${describeFault(diffFile, warning)}\n`)
  if (options.json) return 0
  if (options.write) printAside(`"${file}" is changed.`)
  else process.stdout.write(text)
  return 0
}

function read(file: string): string {
  const text = readTextFile(file)
  if (text === undefined) throw new UsageError(`There is no file "${file}".`)
  return text
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
