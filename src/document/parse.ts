// The door to documents: a text or a file becomes a Document, or all of its faults.

import { readFile } from 'node:fs/promises'
import { decodeText } from '../base/text-file.ts'
import { attributeAt } from './attributes.ts'
import { applyDiff } from './diff.ts'
import type { Document, ParsedDocument } from './document.ts'
import { type DocumentFault, faultsOf } from './faults.ts'
import { type Read, readDocumentText } from './read.ts'
import { checkResults } from './result-hash.ts'
import { stripped, withResults } from './write-back.ts'
import { writeDocument } from './write-file.ts'

export interface ParseOptions {
  /** The file that the text is from, for writing back. Default none. */
  readonly path?: string
}

/** Never throws for what a text holds. Linear in its length. */
export function parseDocument(text: string, { path }: ParseOptions = {}): ParsedDocument {
  const read = readDocumentText(text)
  const document = read.content && documentOf(read.content, path)
  if (read.faults.length === 0 && document) return { ok: true, document }
  return { ok: false, faults: read.faults, ...(document && { partial: document }) }
}

/** Reads a file, which has to be UTF-8: anything else could not be written back as it was. */
export async function readDocument(path: string): Promise<ParsedDocument> {
  const bytes = await readFile(path)
  const text = decodeText(bytes)
  if (text !== undefined) return parseDocument(text, { path })
  const message = 'The file is not UTF-8.'
  const hint = 'Save it as UTF-8.'
  return { ok: false, faults: faultsOf(bytes.toString(), [{ code: 'INVALID_ENCODING', message, hint, offset: 0 }]) }
}

/** The text without results. */
export function stripResults(text: string): Stripped {
  const { faults, content } = readDocumentText(text)
  return content && faults.length === 0 ? { ok: true, text: stripped(content) } : { ok: false, faults }
}

export type Stripped =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly faults: readonly DocumentFault[] }

function documentOf(content: NonNullable<Read['content']>, path: string | undefined): Document {
  const { byId, ...parts } = content
  const { text } = parts
  return Object.freeze({
    ...parts,
    ...(path !== undefined && { path }),
    block: (id: string) => byId.get(id),
    attributeSource: (element, name) => attributeAt(text, element.source.start, element.source.contentStart, name),
    withResults: (results, options) => withResults(content, results, options),
    write: async (results, options) =>
      writeDocument(options?.path ?? path, text, () => withResults(content, results, options), {
        mayBeNew: options?.path !== undefined && options.path !== path,
      }),
    strip: () => stripped(content),
    check: () => checkResults(content),
    apply: (diff) => applyDiff(content, diff),
  } satisfies Document)
}
