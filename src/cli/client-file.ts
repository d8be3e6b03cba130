// Other programs' configuration files: read strictly, changed in one place, every other byte left as it is.

import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import { isObject, type Json, type JsonObject, messageOf } from '../base/json.ts'
import { codeFrame, placeOf } from '../base/text.ts'
import type { Client } from './clients.ts'
import { UsageError } from './usage.ts'

/** Comments and trailing commas are what people write into these files. */
const lenient = { allowTrailingComma: true, disallowComments: false }

export type Servers = Readonly<Record<string, unknown>>

/** The servers that a file names. An empty file names none. */
export async function readServers(client: Client, file: string, text: string): Promise<Servers> {
  if (client.format === 'toml') {
    const parsed = await parseToml(file, text)
    const servers = parsed[client.key]
    return isObject(servers) ? servers : {}
  }
  const root = parseJson(file, text)
  const node = root && findNodeAtLocation(root, [client.key])
  const servers: unknown = node ? getNodeValue(node) : {}
  if (isObject(servers)) return servers
  throw new UsageError(`"${client.key}" in "${file}" is no object. Repair it, then try again.`)
}

/** The text with the entry put in, in the file's own indentation and line ends; every other byte stays. */
export function withEntry(client: Client, file: string, text: string, name: string, entry: JsonObject): string {
  if (client.format === 'toml') return withTomlTable(client, text, name, entry)
  const { bom, body } = split(text)
  if (body.trim() === '') return `${bom}{\n  ${property(client.key, { [name]: entry })}\n}\n`
  const root = parseJson(file, body)
  const servers = root && findNodeAtLocation(root, [client.key])
  const [into, added] = servers ? [servers, property(name, entry)] : [root, property(client.key, { [name]: entry })]
  return into ? bom + inserted(body, into, added) : text
}

/** The text without the entry. */
export function withoutEntry(client: Client, file: string, text: string, name: string): string {
  if (client.format === 'toml') return withoutTomlTable(client, text, name)
  const { bom, body } = split(text)
  parseJson(file, body)
  return bom + applyEdits(body, modify(body, [client.key, name], undefined, {}))
}

function split(text: string): { bom: string; body: string } {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  return { bom, body: text.slice(bom.length) }
}

/** One line, with the blanks that people write. */
function property(name: string, value: JsonObject): string {
  return `${JSON.stringify(name)}: ${spaced(value)}`
}

function spaced(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const fields = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${spaced(each as Json)}`)
  return fields.length ? `{ ${fields.join(', ')} }` : '{}'
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

function parseJson(file: string, text: string) {
  const body = text.replace(/^\uFEFF/, '')
  const errors: ParseError[] = []
  const root = body.trim() === '' ? undefined : parseTree(body, errors, lenient)
  const [error] = errors
  if (error) {
    const fault = printParseErrorCode(error.error)
    throw new UsageError(
      `"${file}" is not JSON: ${fault}.\n${codeFrame(body, placeOf(body, error.offset))}\nRepair it, then try again.`,
    )
  }
  if (root && root.type !== 'object') throw new UsageError(`"${file}" holds no object. Repair it, then try again.`)
  return root
}

async function parseToml(file: string, text: string): Promise<Record<string, unknown>> {
  const { parse } = await import('smol-toml')
  try {
    return parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new UsageError(`"${file}" is not TOML: ${messageOf(error)}\nRepair it, then try again.`)
  }
}

/** TOML is changed by whole tables at the end, which touches nothing else. */
function withTomlTable(client: Client, text: string, name: string, entry: JsonObject): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const gap = text === '' ? '' : text.endsWith('\n') ? eol : eol + eol
  const fields = Object.entries(entry).map(([key, value]) => `${key} = ${spaced(value)}`)
  const lines = [`[${client.key}.${name}]`, ...fields, '']
  return `${text}${gap}${lines.join(eol)}`
}

function withoutTomlTable(client: Client, text: string, name: string): string {
  const lines = text.split(/(?<=\n)/)
  const header = `[${client.key}.${name}]`
  const from = lines.findIndex((line) => line.trim() === header)
  if (from < 0) return text
  const next = lines.findIndex((line, at) => at > from && /^\s*\[/.test(line))
  const to = next < 0 ? lines.length : next
  const before = lines.slice(0, from)
  // The blank line that was put before the table goes with it.
  if (before.at(-1)?.trim() === '') before.pop()
  return [...before, ...lines.slice(to)].join('')
}
