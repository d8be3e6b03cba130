// A document's text into its file: never over somebody else's changes.

import { replaceFile } from '../base/text-file.ts'
import type { Written } from './document.ts'

/** `before` is what was parsed. Another file than the document's own may be a new one. */
export async function writeDocument(
  path: string | undefined,
  before: string,
  make: () => string,
  { mayBeNew = false }: { readonly mayBeNew?: boolean } = {},
): Promise<Written> {
  if (path === undefined) {
    const message = 'This document is from no file. Name one: write(state, { path }).'
    return { ok: false, code: 'no-path', message }
  }
  const text = make()
  const replaced = await replaceFile(path, text, { before, ...(mayBeNew && { newMode: 0o666 }) })
  return replaced.ok ? { ok: true, path, text } : replaced
}
