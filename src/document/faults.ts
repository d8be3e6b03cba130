// What is wrong with a document: a stable code, the place, the lines around it, and what to do.

import type { Issue } from '../model/schema.ts'
import { type Frame, framesOf } from './frames.ts'

export type DocumentFaultCode = SyntaxFaultCode | ValidationFaultCode | DiffFaultCode | WarningCode

/** The text is not one that can be read. */
export type SyntaxFaultCode =
  | 'NOT_WELL_FORMED'
  | 'UNCLOSED_ELEMENT'
  | 'UNMATCHED_CLOSING_TAG'
  | 'DUPLICATE_ATTRIBUTE'
  | 'INVALID_CHARACTER'
  | 'INVALID_ENTITY'
  | 'INVALID_ENCODING'
  | 'DOCTYPE_NOT_ALLOWED'
  | 'MISSING_ROOT'
  | 'UNKNOWN_ROOT'
  | 'OUTSIDE_ROOT'
  | 'TOO_DEEP'
  | 'MORE_FAULTS'
  | 'TOO_LARGE'

/** It can be read, and must not run. */
export type ValidationFaultCode =
  | 'DUPLICATE_NODE_ID'
  | 'MISSING_FUNCTION'
  | 'INVALID_FUNCTION'
  | 'MISSING_TRIGGER'
  | 'INVALID_TRIGGER'
  | 'MISSING_TITLE'
  | 'INVALID_VARIABLE'
  | 'DUPLICATE_VARIABLE'
  | 'NESTED_TOOL'

export type DiffFaultCode =
  | 'NOT_A_DIFF'
  | 'NOT_A_DOCUMENT'
  | 'WRONG_TARGET'
  | 'UNKNOWN_OPERATION'
  | 'MISSING_ATTRIBUTE'
  | 'INVALID_ANCHOR'
  | 'INVALID_SELECTION'
  | 'UNKNOWN_BLOCK'
  | 'NOT_EDITABLE'
  | 'EMPTY_OPERATION'
  | 'TEXT_OUTSIDE_BLOCKS'

/** Worth a word; everything else runs. Invalid parameters are the error of their own block alone. */
export const warningCodes = [
  'UNKNOWN_ELEMENT',
  'UNKNOWN_ATTRIBUTE',
  'INVALID_ATTRIBUTE',
  'INVALID_PARAMETERS',
  'REPEATED_ELEMENT',
  'STRAY_TEXT',
] as const
export type WarningCode = (typeof warningCodes)[number]

export interface DocumentFault {
  readonly code: DocumentFaultCode
  /** What happened, with the value. */
  readonly message: string
  /** What to do about it. */
  readonly hint: string
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 units. */
  readonly column: number
  /** The lines around the place, with a caret. */
  readonly frame: string
  /** The offset in the text. */
  readonly offset: number
  /** The other place, such as that of the first declaration. */
  readonly related?: { readonly line: number; readonly column: number; readonly frame: string }
  /** The block that it belongs to, if it has an id. */
  readonly blockId?: string
  /** The id of the `<tool>` that it stands in: the rest of the document can do without that one. */
  readonly toolId?: string
}

/** A fault before its place is worked out: that is done for all of them at once. */
export interface Finding {
  readonly code: DocumentFaultCode
  readonly message: string
  readonly hint: string
  readonly offset: number
  readonly relatedOffset?: number
  readonly blockId?: string
  readonly toolId?: string
}

/** A text that is something else altogether could be wrong at every letter; after so many, enough has been said. */
export const maxFaults = 100_000
export const maxWarnings = 1_000

/** Answers whether it was kept: when it was not, enough has been said. */
export type Report = (finding: Finding) => boolean

export function isWarning({ code }: { readonly code: DocumentFaultCode }): boolean {
  return warningCodes.some((warning) => warning === code)
}

/** One fault for each finding, in the same order. One sweep over the text, however many there are. */
export function faultsOf(text: string, findings: readonly Finding[]): DocumentFault[] {
  if (findings.length === 0) return []
  const frames = framesOf(text, offsetsOf(findings))
  return findings.map(({ relatedOffset, ...finding }) => {
    const related = relatedOffset === undefined ? undefined : frames.get(relatedOffset)
    return Object.freeze({ ...finding, ...(frames.get(finding.offset) ?? nowhere), ...(related && { related }) })
  })
}

export function inTextOrder(faults: readonly DocumentFault[]): readonly DocumentFault[] {
  return Object.freeze(faults.toSorted((a, b) => a.offset - b.offset))
}

function* offsetsOf(findings: readonly Finding[]): Generator<number> {
  for (const { offset, relatedOffset } of findings) {
    yield offset
    if (relatedOffset !== undefined) yield relatedOffset
  }
}

const nowhere: Frame = { line: 1, column: 1, frame: '' }

/** One fault among those of a call. */
export function issueOf({ line, column, code, message, hint }: DocumentFault): Issue {
  return { path: `${line}:${column}`, code: 'INVALID_VALUE', fault: code, message: `${code}: ${message} ${hint}` }
}

/** One fault for a person, as the command prints it. */
export function describeFault(where: string, fault: DocumentFault): string {
  const { code, message, hint, line, column, frame, related } = fault
  const other = related ? `\nThe other place is ${where}:${related.line}:${related.column}\n${related.frame}` : ''
  return `${where}:${line}:${column} ${code}\n${message} ${hint}\n${frame}${other}`
}
