// Tells a script that wants to be run from a file that others import.

import type { Language } from './languages.ts'

/** Whether a file is part of somebody's tests, by its name and folder. */
export function isTestFile(path: string): boolean {
  return (
    /(^|\/)(tests?|__tests__|spec)\//.test(path) ||
    /(^|\/)(test_[^/]*|[^/]*_test|conftest)\.py$/.test(path) ||
    /[._](test|spec)\.[cm]?[jt]s$/.test(path) ||
    /_(test|spec)\.rb$/.test(path)
  )
}

/** Whether all that a file does at its left margin is to define things for others. */
export function isLibrary(text: string, path: string, { entry, definition, type }: Language): boolean {
  if (/(^|\/)__init__\.py$/.test(path)) return true
  if (entry.test(text)) return false
  const lines = (type === 'python' ? withoutLongTexts(text) : text).split(/\r?\n/)
  const isDefinition = (part: string) => part.trim() === '' || definition.test(part.trim())
  return lines.every((line) => /^(\s|$|#)/.test(line) || line.split(';').every(isDefinition))
}

/** What stands in texts over several lines is no statement, wherever its lines begin. */
function withoutLongTexts(text: string): string {
  return text.replace(/"""[\s\S]*?"""|'''[\s\S]*?'''/g, '""')
}
