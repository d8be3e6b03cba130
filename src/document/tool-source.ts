// Gives the tools that documents define to the catalogue. The documents are read when a name may be one of theirs, or a list is wanted.

import { missingFiles } from '../base/missing-files.ts'
import { beginningsOf, looksLikeSpelling } from '../model/name.ts'
import type { Source } from '../model/tool.ts'
import type { CustomToolHost } from './tool-run.ts'

export interface DocumentSourceOptions extends CustomToolHost {
  /** The folder that the patterns stand in. */
  readonly folder: string
  /** Files or patterns, such as `./documents/*.xml`. */
  readonly patterns: readonly string[]
}

export function documentSource(options: DocumentSourceOptions): Source {
  const load = async () => (await import('./tool-load.ts')).loadTools(options)
  const warnings = missingFiles(options.folder, options.patterns, 'documents')
  return { name: 'documents', lazy: true, mayHave, load, warnings }
}

/** How the names of custom tools begin. */
export const beginnings = beginningsOf('document', 'custom')

/** A name in prose may be a title; one that names another module may not. */
function mayHave(spelling: string): boolean {
  return !looksLikeSpelling(spelling) || beginnings.some((beginning) => spelling.startsWith(beginning))
}
