// A script as it was given: its text, where it stands, and how it is named in messages.

import { basename, isAbsolute, relative, resolve } from 'node:path'
import { codeFrame, type Place, placeOf } from '../base/text.ts'
import type { Issue, IssueCode } from '../model/schema.ts'

export interface Script {
  /** Where it stands, or would stand: its relative imports start from there. Absolute. */
  readonly path: string
  readonly text: string
}

/** The largest script, in characters. */
export const maxScriptLength = 8 * 1_048_576

/** One fault of a script, with the place it stands at. */
export interface ScriptFault {
  readonly path: string
  readonly text: string
  readonly offset: number
  readonly code: IssueCode
  readonly message: string
}

/** A first line for the system is a comment to everybody else, and a byte order mark is a blank. No offset moves. */
export function plainText(text: string): string {
  const unmarked = text.startsWith('\ufeff') ? ` ${text.slice(1)}` : text
  return unmarked.startsWith('#!') ? `//${unmarked.slice(2)}` : unmarked
}

/** The place, the sentence and the lines around it. */
export function issueOf({ path, text, offset, code, message }: ScriptFault, workspace: string): Issue {
  const place = placeOf(text, offset)
  const where = `${shownPath(path, workspace)}:${place.line}:${place.column}`
  return { path: where, code, message: `${message}\n${frame(text, place)}` }
}

/** Relative to the workspace where it lies in it, else its name alone. */
export function shownPath(path: string, workspace: string): string {
  const inside = relative(workspace, path)
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? basename(path) : inside
}

export function scriptPath(name: string | undefined, cwd: string): string {
  return resolve(cwd, name ?? 'script.ts')
}

const maxLineLength = 200

/** A generated line of a megabyte is not shown whole. */
export function frame(text: string, place: Place): string {
  const first = Math.max(0, place.line - 2)
  const lines = text.split('\n', place.line + 1)
  const long = lines.slice(first).some((line) => line.length > maxLineLength)
  return long ? '' : codeFrame(lines.join('\n'), place)
}
