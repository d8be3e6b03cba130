// The head of a SKILL.md: YAML between two lines of `---`, and the instructions below. Read leniently: what is wrong is a
// warning, and as much as possible is kept.

import { createRequire } from 'node:module'
import { isObject, messageOf } from '../base/json.ts'

export interface FrontMatter {
  /** The fields as they stand there, by name. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Where the instructions begin in the text. */
  readonly bodyStart: number
  readonly warnings: readonly string[]
}

export function readFrontMatter(text: string): FrontMatter {
  const opening = /^\uFEFF?---[ \t]*\r?\n/.exec(text)
  if (!opening) return { fields: {}, bodyStart: text.startsWith('\uFEFF') ? 1 : 0, warnings: [noHead] }
  const start = opening[0].length
  const closing = /^---[ \t]*(?:\r?\n|$)/m.exec(text.slice(start))
  if (!closing) return { fields: {}, bodyStart: start, warnings: ['The head is not closed. End it with a line "---".'] }
  const head = text.slice(start, start + closing.index)
  return { ...readFields(head), bodyStart: start + closing.index + closing[0].length }
}

const noHead = 'There is no head. Begin the file with a line "---", then "name:" and "description:".'

/** Most heads are a few plain lines; the YAML parser is loaded for the others. */
function readFields(head: string): Pick<FrontMatter, 'fields' | 'warnings'> {
  const plain = readPlainLines(head)
  if (plain) return { fields: plain, warnings: [] }
  try {
    const fields: unknown = loadYaml().parse(head, { maxAliasCount: 100, logLevel: 'error' })
    if (isObject(fields)) return { fields, warnings: [] }
    return { fields: {}, warnings: ['The head is no list of fields. Write "name: …" and "description: …".'] }
  } catch (error) {
    const [reason = ''] = messageOf(error).split('\n')
    return { fields: readLines(head), warnings: [`The head is not valid YAML: ${reason.replace(/:$/, '.')}`] }
  }
}

function loadYaml(): typeof import('yaml') {
  return createRequire(import.meta.url)('yaml')
}

/** Fields whose values YAML reads as the text that stands there; nothing when there is any other line. */
function readPlainLines(head: string): Record<string, string> | undefined {
  const fields: Record<string, string> = Object.create(null)
  for (const line of head.split('\n')) {
    if (/^\s*(#.*)?$/.test(line)) continue
    const [, name = '', value = ''] = /^([A-Za-z][\w-]*):[ \t]+(\S.*?)\s*$/.exec(line) ?? []
    if (!isPlainText(value) || name in fields) return undefined
    fields[name] = value
  }
  return fields
}

/** Begins with a letter, and holds neither a comment nor a key nor a word that means something else in YAML. */
function isPlainText(value: string): boolean {
  return (
    /^[A-Za-z(/]/.test(value) && !/:(\s|$)|\s#/.test(value) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(value)
  )
}

/** What can be saved of a head that is no YAML, most often because a description has a colon in it. */
function readLines(head: string): Record<string, string> {
  const fields: Record<string, string> = Object.create(null)
  for (const line of head.split('\n')) {
    const [, name = '', value = ''] = /^([A-Za-z][\w-]*):[ \t]*(.*?)\s*$/.exec(line) ?? []
    if (name && value) fields[name] = value.replace(/^(["'])(.*)\1$/, '$2')
  }
  return fields
}
