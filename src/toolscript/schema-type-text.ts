// Pieces of TypeScript made from the texts of others: none of them can leave its comment or its string.

import { visibleText } from '../outcome/visible.ts'

/** A TypeScript type as text, and what is needed to put it beside others. */
export interface Type {
  readonly text: string
  /** What holds the text together at its top: nothing needs brackets around an atom. */
  readonly joint: 'atom' | ' | ' | ' & '
  /** How many alternatives it has at its top, at most. */
  readonly members: number
}

export const unknownType = atom('unknown')
export const neverType = atom('never')

export function atom(text: string): Type {
  return { text, joint: 'atom', members: 1 }
}

/** Compilers multiply out an intersection of unions, so that a few lists of choices make millions. */
const maxMembers = 4_096

export function union(types: readonly Type[]): Type {
  if (types.some(isUnknown)) return unknownType
  const members = types.reduce((sum, type) => sum + type.members, 0)
  return members > maxMembers ? unknownType : joined(types, ' | ', members)
}

/** What would multiply beyond all bounds is left out: the type then says less, and nothing wrong. */
export function intersection(types: readonly Type[]): Type {
  let members = 1
  const kept = types.filter((type) => {
    if (isUnknown(type) || members * type.members > maxMembers) return false
    members *= type.members
    return true
  })
  return kept.length ? joined(kept, ' & ', members) : unknownType
}

export function bracketed({ text, joint }: Type): string {
  return joint === 'atom' ? text : `(${text})`
}

/** A value that JSON can hold, as the type of that value alone. */
export function literal(value: unknown, depth = 0): Type {
  if (typeof value === 'string') return atom(quoted(value))
  if (typeof value === 'number') return atom(Number.isFinite(value) ? String(value) : 'number')
  if (typeof value === 'boolean' || value === null) return atom(String(value))
  if (typeof value !== 'object' || depth > 3) return unknownType
  if (Array.isArray(value)) return atom(`[${value.map((item) => literal(item, depth + 1).text).join(', ')}]`)
  const fields = Object.entries(value).map(([name, field]) => `${key(name)}: ${literal(field, depth + 1).text}`)
  return fields.length ? atom(`{ ${fields.join('; ')} }`) : atom('Record<string, never>')
}

/** The name of a property, quoted where it is no identifier. */
export function key(name: string): string {
  return /^[a-zA-Z_$][\w$]*$/.test(name) ? name : quoted(name)
}

/** On one line, hidden characters gone first: without them a sign that ends the comment, or speaks to a compiler, might appear. */
export function comment(text: string, indent: string, maxLength = 4_000): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
  const line = (needsCare.test(cut) ? safe(cut) : cut).trim()
  return line ? `${indent}/** ${line} */\n` : ''
}

const needsCare = /[^\x20-\x7e]|@|\*\//

function safe(text: string): string {
  return visibleText(text)
    .replace(/[\s\u2028\u2029\x00-\x1f\x7f-\x9f]+/g, ' ')
    .replaceAll('*/', '*\\/')
    .replace(/(?<!\w)@/g, '\\@')
}

function joined(types: readonly Type[], joint: ' | ' | ' & ', members: number): Type {
  if (types.length === 1 && types[0]) return types[0]
  const different = new Map(types.map((type) => [type.text, type]))
  const [first, ...more] = different.values()
  if (!first) return neverType
  if (more.length === 0) return first
  const text = [...different.values()].map((type) => (type.joint === joint ? type.text : bracketed(type))).join(joint)
  return { text, joint, members }
}

function isUnknown({ text }: Type): boolean {
  return text === 'unknown'
}

/** Whatever is not seen, or turns the direction of writing, is written as its number. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(/[\x7f-\x9f\u2028\u2029\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, (letter) =>
    letter.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}
