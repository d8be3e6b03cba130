// One name, several spellings. Each spelling leads back to its tool through the catalogue's index;
// none is ever taken apart again.

import { hash } from 'node:crypto'
import { NameError } from './errors.ts'
import type { ToolKind } from './tool.ts'

/** A tool's name in its author's own letters. */
export interface ToolName {
  /** The server, program, skill or module. Missing for a name of one part. */
  readonly module?: string
  /** The function, or the words of a program's command. At least one. */
  readonly path: readonly string[]
  /** More names that lead to the tool, such as a contract's `lcod://` id. */
  readonly aliases?: readonly string[]
}

export interface Spellings {
  /** `module:function`, both JavaScript identifiers; also the spelling in documents. */
  readonly id: string
  /** `tools.module.function`. */
  readonly script: string
  /** `module__function`, in the gateway's addresses. */
  readonly wire: string
  /** At most 64 letters, digits, `_` and `-`: what model providers accept. */
  readonly provider: string
  /** `skill.script`, for skills alone. */
  readonly skill?: string
  readonly aliases?: readonly string[]
}

export const idPattern = /^([a-zA-Z_$][a-zA-Z0-9_$]*:)?[a-zA-Z_$][a-zA-Z0-9_$]*$/

const providerLength = 64
const providerSeparators = {
  program: '_',
  function: '--',
  skill: '__',
  mcp: '__',
  document: '__',
  contract: '__',
  toolscript: '__',
} as const

export interface Spelled {
  readonly spellings: Spellings
  /** The spellings that had to differ from the plain ones, because another tool has those. */
  readonly disambiguated: readonly string[]
}

/** Spells a tool's name in every way. A spelling that is taken gets a suffix made from the name itself, the same every time. */
export function spell(kind: ToolKind, name: ToolName, taken: (spelling: string) => boolean): Spelled {
  const original = JSON.stringify([kind, name.module ?? null, name.path])
  const disambiguated: string[] = []
  const free = (plain: string, most = Number.POSITIVE_INFINITY, ...forms: ((text: string) => string)[]) => {
    const isTaken = (text: string) => [text, ...forms.map((form) => form(text))].some(taken)
    for (const length of [0, 4, 8, 16, 64]) {
      const text = suffixed(plain, original, length, most)
      if (isTaken(text)) continue
      if (length > 0) disambiguated.push(text)
      return text
    }
    throw new Error(`No free spelling is left for ${original}.`)
  }
  const id = free(idOf(kind, name), undefined, dotted, scripted)
  const parts = [...(name.module === undefined ? [] : [name.module]), name.path.join('_')].map(wireLetters)
  const wire = free(parts.join('__'))
  const provider = free(providerSpelling(kind, id, parts), providerLength)
  const skill =
    kind === 'skill' && name.module !== undefined ? free(`${name.module}.${name.path.join('.')}`) : undefined
  const aliases = name.aliases?.filter((alias) => !taken(alias))
  const spellings = { id, script: scripted(id), wire, provider, ...(skill && { skill }), ...(aliases && { aliases }) }
  return { spellings, disambiguated }
}

/** Everything that leads to a tool of these spellings. */
export function allSpellings({ id, script, wire, provider, skill, aliases = [] }: Spellings): Set<string> {
  const every = new Set([id, dotted(id), script, wire, provider, azure(id), ...aliases])
  if (skill !== undefined) every.add(skill)
  return every
}

/**
 * Whether a text can be read as a tool's spelling: one word with a sign in it that joins a module and a function, or an address. It
 * is then looked for in the index and nowhere else.
 */
export function looksLikeSpelling(text: string): boolean {
  return text.includes('://') || (/[:_]|--|[^.]\.[^.]|^[^.]+\.$/.test(text) && !/\s/.test(text))
}

/** How the spellings of a module's tools begin; every one of them begins in one of these ways. */
export function beginningsOf(kind: ToolKind, module: string): readonly string[] {
  const word = kind === 'function' ? module : camelCase(module)
  const wire = wireLetters(module)
  // A long one is cut, with a suffix.
  const provider = `${providerLetters(wire)}${providerSeparators[kind]}`.slice(0, 40)
  return [`${word}:`, `${word}.`, `${word}--`, `tools.${word}.`, `${wire}__`, provider]
}

/** Says no to an id that breaks the grammar, with the spelling that keeps it. */
export function checkId(id: string): string {
  if (idPattern.test(id)) return id
  const [first = '', ...rest] = id.split(':')
  throw new NameError(id, rest.length ? `${camelCase(first)}:${camelCase(rest.join('_'))}` : camelCase(first))
}

/** `demo:echo` to `demo--echo`, as Azure Functions needs it. */
export function toAzureName(id: string): string {
  return azure(checkId(id))
}

/** `demo--echo` back to `demo:echo`. */
export function fromAzureName(azureName: string): string {
  return checkId(azureName.replace('--', ':'))
}

/** A JavaScript identifier made of a name's words: `create_issue` and `create-issue` give `createIssue`. */
export function camelCase(name: string): string {
  const words = asciiLetters(name)
    .split(/[^a-zA-Z0-9$]+/)
    .filter(Boolean)
  const [first = '', ...rest] = words
  const start = first === first.toUpperCase() ? first.toLowerCase() : first[0]?.toLowerCase() + first.slice(1)
  const joined = start + rest.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('')
  return /^[a-zA-Z_$]/.test(joined) ? joined : `_${joined}`
}

function idOf(kind: ToolKind, { module, path }: ToolName): string {
  const word = (part: string) => (kind === 'function' ? part : camelCase(part))
  const last = word(path.join('_'))
  return module === undefined ? last : `${word(module)}:${last}`
}

function providerSpelling(kind: ToolKind, id: string, parts: readonly string[]): string {
  const plain = kind === 'function' ? azure(id) : parts.join(providerSeparators[kind])
  return providerLetters(plain)
}

function providerLetters(text: string): string {
  return text.replace(/[^a-zA-Z0-9_-]/g, '_')
}

function suffixed(plain: string, original: string, length: number, most: number): string {
  const wanted = length === 0 && plain.length > most ? 8 : length
  if (wanted === 0) return plain
  const suffix = `_${hash('sha256', original).slice(0, Math.min(wanted, most - 2))}`
  return plain.slice(0, most - suffix.length) + suffix
}

const dotted = (id: string) => id.replace(':', '.')
const scripted = (id: string) => `tools.${dotted(id)}`
const azure = (id: string) => id.replace(':', '--')

/** Safe in an address and in a file name. */
function wireLetters(part: string): string {
  return asciiLetters(part).replace(/[^a-zA-Z0-9_.-]/g, '_') || '_'
}

/** Accents are dropped; a letter that has no plain form becomes its number. */
function asciiLetters(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x00-\x7f]/gu, (letter) =>
      /[\p{L}\p{N}]/u.test(letter) ? `u${letter.codePointAt(0)?.toString(16)}` : '_',
    )
}
