// One skill: a folder with a SKILL.md. Only the head of that file is read here; instructions and scripts wait until they
// are wanted.

import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { messageOf } from '../base/json.ts'
import { readAllowedTools } from './allowed-tools.ts'
import { readFrontMatter } from './front-matter.ts'

export interface Skill {
  readonly name: string
  readonly description: string
  /** Its folder, absolute, as it was named. */
  readonly base: string
  /** The same where links lead. */
  readonly realBase: string
  /** The file that describes it, in that folder. */
  readonly file: string
  readonly version: string
  readonly license?: string
  readonly compatibility?: string
  readonly metadata: Readonly<Record<string, unknown>>
  /** Missing where nothing is restricted. */
  readonly allowedTools?: readonly string[]
  /** Every field of the head, as it stands there. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Whether there are instructions below the head. */
  readonly hasPrompt: boolean
  /** What is wrong with the file, though not so wrong that the skill cannot be used. */
  readonly warnings: readonly string[]
}

export const skillFile = 'SKILL.md'

/** A head is short; a file that goes on without one is no reason to read all of it. */
const maxHeadBytes = 65_536
const maxInstructionBytes = 1_048_576

/** The skill in a folder; nothing where there is no SKILL.md. */
export function readSkill(base: string, realBase = realpathSync.native(base)): Skill | undefined {
  const found = readStart(base, skillFile, maxHeadBytes) ?? readStart(base, 'skill.md', maxHeadBytes)
  if (!found) return undefined
  const { file, text, warnings } = found
  const head = readFrontMatter(text)
  const { fields } = head
  const name = textOf(fields.name) || basename(base)
  const metadata = isRecord(fields.metadata) ? fields.metadata : {}
  const allowedTools = readAllowedTools(fields['allowed-tools'])
  return {
    name,
    description: textOf(fields.description),
    base,
    realBase,
    file,
    version: textOf(fields.version) || textOf(metadata.version),
    ...(fields.license !== undefined && { license: textOf(fields.license) }),
    ...(fields.compatibility !== undefined && { compatibility: textOf(fields.compatibility) }),
    metadata,
    ...(allowedTools && { allowedTools }),
    fields,
    hasPrompt: /\S/.test(text.slice(head.bodyStart)),
    warnings: [...warnings, ...head.warnings, ...nameWarnings(name, fields, base)].map((text) => `${base}: ${text}`),
  }
}

/** The instructions, read when they are wanted. */
export function readInstructions({ base, file }: Skill): {
  readonly text: string
  readonly warnings: readonly string[]
} {
  const found = readStart(base, file, maxInstructionBytes)
  if (!found) return { text: '', warnings: [`${join(base, file)} is no longer there.`] }
  const warnings = found.size > maxInstructionBytes ? [`${file} has ${found.size} bytes; the rest was left out.`] : []
  return { text: found.text.slice(readFrontMatter(found.text).bodyStart).trim(), warnings }
}

interface FileStart {
  readonly file: string
  readonly text: string
  readonly size: number
  readonly warnings: readonly string[]
}

/** At most so many bytes of a file, which must be one: a pipe in its place would never end. */
function readStart(base: string, file: string, maxBytes: number): FileStart | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openSync(join(base, file), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) return undefined
    const buffer = Buffer.allocUnsafe(Math.min(stats.size, maxBytes))
    const length = readSync(descriptor, buffer, 0, buffer.length, 0)
    return { file, text: buffer.toString('utf8', 0, length), size: stats.size, warnings: [] }
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined
    return { file, text: '', size: 0, warnings: [`${file} cannot be read: ${messageOf(error)}`] }
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function nameWarnings(name: string, fields: Readonly<Record<string, unknown>>, base: string): string[] {
  const folder = basename(base)
  const warnings: string[] = []
  if (!textOf(fields.name)) warnings.push(`It has no name, so it is called "${folder}" after its folder.`)
  else if (name !== folder) warnings.push(`Its name "${name}" is not that of its folder, "${folder}".`)
  if (!textOf(fields.description))
    warnings.push('It has no description. Say in a sentence what it does and when to use it.')
  return warnings
}

export function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim()
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
