// A property of a JSON file with remarks put in or taken out, in the file's own indentation and line ends, every other byte left as
// it is. What comes out is for the caller to check.

import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser'
import { isObject, type Json, type JsonObject } from '../../base/json.ts'

/** `place` is the object that holds the property, which is made where there is none, and the property's own name. */
export function withProperty(text: string, [key, name]: readonly [string, string], entry: JsonObject): string {
  const { bom, body } = split(text)
  const root = parseTree(body, [], { allowTrailingComma: true })
  if (!root) return `${bom}${endedLine(body)}{\n  ${property(key, { [name]: entry })}\n}\n`
  const holder = findNodeAtLocation(root, [key])
  return (
    bom +
    (holder ? inserted(body, holder, property(name, entry)) : inserted(body, root, property(key, { [name]: entry })))
  )
}

/** The remarks around it stay. */
export function withoutProperty(text: string, place: readonly [string, string]): string {
  const { bom, body } = split(text)
  const root = parseTree(body, [], { allowTrailingComma: true })
  const node = root && findNodeAtLocation(root, [...place])?.parent
  if (!node?.parent) return text
  const end = node.offset + node.length
  const comma = commaAfter(body, end)
  if (comma !== undefined) return bom + cut(cutAt(body, comma), node.offset, end)
  const siblings = node.parent.children ?? []
  const before = siblings[siblings.indexOf(node) - 1]
  const other = before && commaAfter(body, before.offset + before.length)
  const rest = cut(body, node.offset, end)
  return bom + (other === undefined ? rest : cutAt(rest, other))
}

/** One line, with the blanks that people write. */
export function spacedJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const fields = Object.entries<Json>(value).map(([key, each]) => property(key, each))
  return fields.length ? `{ ${fields.join(', ')} }` : '{}'
}

function property(name: string, value: Json): string {
  return `${JSON.stringify(name)}: ${spacedJson(value)}`
}

function split(text: string): { bom: string; body: string } {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  return { bom, body: text.slice(bom.length) }
}

/** What stands in a file that holds no value yet: nothing, or remarks. */
function endedLine(body: string): string {
  return body.trim() === '' ? '' : body.replace(/\n?$/, '\n')
}

/** Behind the last property of an object, as that one stands. */
function inserted(text: string, object: Node, added: string): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const last = object.children?.at(-1)
  if (!last) {
    const outer = indentAt(text, object.offset)
    const at = object.offset + 1
    return `${text.slice(0, at)}${eol}${outer}${unitOf(text)}${added}${eol}${outer}${text.slice(at).trimStart()}`
  }
  const at = last.offset + last.length
  const [rest, comma = '', remark = ''] = /^(,?)([ \t]*(?:\/\/[^\r\n]*)?)(?=\r?\n)/.exec(text.slice(at)) ?? []
  if (rest === undefined) return `${text.slice(0, at)}, ${added}${text.slice(at)}`
  // What somebody remarked on the last property stays with it.
  const line = `${eol}${indentAt(text, last.offset)}${added}${comma}`
  return `${text.slice(0, at)},${remark}${line}${text.slice(at + rest.length)}`
}

/** The blanks that the line of a place begins with. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1)
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}

function unitOf(text: string): string {
  return /^([ \t]+)\S/m.exec(text)?.[1] ?? '  '
}

/** Where the comma of a property stands, behind blanks and remarks. */
function commaAfter(text: string, from: number): number | undefined {
  between.lastIndex = from
  const at = from + (between.exec(text)?.[0].length ?? 0)
  return text[at] === ',' ? at : undefined
}

const between = /(?:\s|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/y

function cutAt(text: string, at: number): string {
  return text.slice(0, at) + text.slice(at + 1)
}

/** Without the lines that hold nothing else, or without the blanks before it. */
function cut(text: string, start: number, end: number): string {
  const head = text.slice(0, start)
  const tail = text.slice(end)
  const indented = head.slice(0, lastOther(head) + 1)
  const isFirst = indented === '' || indented.endsWith('\n')
  const [line] = /^[ \t]*(?:\r?\n|$)/.exec(tail) ?? []
  if (isFirst && line !== undefined) return indented + tail.slice(line.length)
  return isFirst ? head + tail.trimStart() : indented + tail
}

/** Where the last character stands that is no blank. A pattern would look at every blank again and again. */
function lastOther(text: string): number {
  let at = text.length - 1
  while (text[at] === ' ' || text[at] === '\t') at--
  return at
}
