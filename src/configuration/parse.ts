// Reads JSON with comments and trailing commas into plain values, and keeps where each of them stands.

import type { Node, ParseError } from 'jsonc-parser'
import { setOwn } from '../base/json.ts'
import { placeOf } from '../base/text.ts'
import { describeSyntax } from './syntax.ts'
import { type Path, quoted, showPath } from './words.ts'

export interface Parsed {
  /** What the text says, as far as it could be read. An empty text is an empty object. */
  readonly value: unknown
  /** All that is wrong with the text itself. */
  readonly faults: readonly TextFault[]
  /** From here on brackets do not match or keys are missing, so that nothing can be said about the values. */
  readonly readableUntil: number
  /** Where a value or its key stands; what is around it if there is no such value. */
  readonly offsetOf: (path: Path, at: 'key' | 'value') => number
  /** Whether a value could be read whole, so that what is not there is really absent. */
  readonly isWhole: (path: Path) => boolean
}

export interface TextFault {
  readonly path: Path
  readonly offset: number
  readonly message: string
}

/** A configuration has six levels; what is nested deeper than this is refused before it is read. */
const maxDepth = 64

export async function parseConfiguration(text: string): Promise<Parsed> {
  const tooDeep = offsetOfDepth(text, maxDepth + 1)
  if (tooDeep !== undefined) return refuseDepth(tooDeep)
  const { findNodeAtLocation, parseTree, printParseErrorCode } = await import('jsonc-parser')
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  const named = errors.map(({ error, offset, length }) => ({ name: printParseErrorCode(error), offset, length }))
  const { faults, readableUntil } = describeSyntax(text, named)
  const nodeAt = (path: Path) => root && findNodeAtLocation(root, [...path])
  const offsetOf = (path: Path, at: 'key' | 'value'): number => {
    const node = nodeAt(path)
    if (!node) return path.length ? offsetOf(path.slice(0, -1), 'value') : 0
    return at === 'key' && node.parent?.type === 'property' ? node.parent.offset : node.offset
  }
  const isWhole = (path: Path): boolean => {
    const { offset = 0, length = 0 } = nodeAt(path) ?? {}
    return !faults.some((fault) => fault.offset >= offset && fault.offset <= offset + length)
  }
  const twice = root ? findDuplicates(text, root, []) : []
  const value = root ? toValue(root) : {}
  const all = [...faults.map((fault) => ({ ...fault, path: [] })), ...twice]
  return { value, faults: all, readableUntil, offsetOf, isWhole }
}

function refuseDepth(offset: number): Parsed {
  const message = `Lists and objects are nested more than ${maxDepth} levels deep here. Write fewer.`
  const faults = [{ path: [], offset, message }]
  return { value: {}, faults, readableUntil: 0, offsetOf: () => 0, isWhole: () => false }
}

/** Where the text first reaches a depth. Strings and comments are whole tokens, so their brackets do not count. */
function offsetOfDepth(text: string, depth: number): number | undefined {
  let level = 0
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (token === '{' || token === '[') level++
    if (token === '}' || token === ']') level--
    if (level === depth) return index
  }
  return undefined
}

const tokens = /"[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*"?|\/\/.*|\/\*[^*]*(?:\*(?!\/)[^*]*)*|[[\]{}]/g

function toValue(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(toValue)
  if (node.type !== 'object') return node.value
  const object = {}
  for (const [key, value] of propertiesOf(node)) setOwn(object, key.value, toValue(value))
  return object
}

/** Keys with their values; a key whose value is missing is a fault of the text and left out. */
function propertiesOf(node: Node): [Node, Node][] {
  return (node.children ?? []).flatMap(({ children: [key, value] = [] }) => (key && value ? [[key, value]] : []))
}

function findDuplicates(text: string, node: Node, path: Path): TextFault[] {
  if (node.type === 'array') {
    return (node.children ?? []).flatMap((item, at) => findDuplicates(text, item, [...path, at]))
  }
  if (node.type !== 'object') return []
  const first = new Map<string, number>()
  return propertiesOf(node).flatMap(([key, value]) => {
    const here = [...path, String(key.value)]
    const below = findDuplicates(text, value, here)
    const before = first.get(key.value)
    if (before === undefined) first.set(key.value, key.offset)
    return before === undefined ? below : [duplicate(text, key, before, here), ...below]
  })
}

function duplicate(text: string, key: Node, before: number, path: Path): TextFault {
  const where = path.length > 1 ? showPath(path.slice(0, -1)) : 'the configuration'
  const { line } = placeOf(text, before)
  const message = `${quoted(key.value)} stands twice in ${where}, first on line ${line}. Keep one of them.`
  return { path, offset: key.offset, message }
}
