// Other programs' configuration files: read strictly, changed in one place. A change is read again before anybody writes it, and
// must be nothing but that change.

import { canonicalJson, isObject, type JsonObject, messageOf, toJson } from '../../base/json.ts'
import { parseConfiguration } from '../../configuration/parse.ts'
import { placedFault } from '../../configuration/places.ts'
import { createRedactor } from '../../outcome/redact.ts'
import { FileError } from '../file-error.ts'
import { spacedJson, withoutProperty, withProperty } from './json-edit.ts'
import type { Client } from './known.ts'
import { withoutTable, withTable } from './toml-edit.ts'

export type Servers = Readonly<Record<string, unknown>>

/** The servers that a file names. An empty file names none. */
export async function readServers(client: Client, file: string, text: string): Promise<Servers> {
  return serversOf(client, file, await parse(client, file, text))
}

/** The text with the entry put in. */
export async function withEntry(
  client: Client,
  file: string,
  text: string,
  name: string,
  entry: JsonObject,
): Promise<string> {
  const isJson = client.format === 'json'
  const after = (isJson ? withProperty : withTable)(text, [client.key, name], entry)
  const isRight = await isChange(client, file, text, after, (servers) => ({ ...servers, [name]: entry }))
  if (isRight) return after
  const line = isJson ? `${JSON.stringify(name)}: ${spacedJson(entry)}` : `${name} = ${inlineTable(entry)}`
  throw byHand(file, `Add this to "${client.key}" by hand:\n  ${line}`)
}

/** The text without the entry. */
export async function withoutEntry(client: Client, file: string, text: string, name: string): Promise<string> {
  const after = (client.format === 'json' ? withoutProperty : withoutTable)(text, [client.key, name])
  const isRight = await isChange(client, file, text, after, ({ [name]: _, ...others }) => others)
  if (isRight) return after
  throw byHand(file, `Take "${name}" out of "${client.key}" by hand.`)
}

function byHand(file: string, advice: string): FileError {
  return new FileError(`"${file}" is written in a way that cannot be changed safely, so it was left alone. ${advice}`)
}

function inlineTable(entry: JsonObject): string {
  return `{ ${Object.entries(entry)
    .map(([key, value]) => `${key} = ${spacedJson(value)}`)
    .join(', ')} }`
}

/** Whether what a changed text says is what the old one says with other servers, and nothing else. */
async function isChange(
  client: Client,
  file: string,
  before: string,
  after: string,
  change: (servers: Servers) => Servers,
): Promise<boolean> {
  const said = await parse(client, file, before)
  const wanted = comparable(client, said, change(serversOf(client, file, said)))
  const says = await parse(client, file, after).catch(() => undefined)
  if (!says || wanted === undefined) return false
  return wanted === comparable(client, says, serversOf(client, file, says))
}

/** No servers are the same as no word about servers. */
function comparable({ key }: Client, value: Servers, servers: Servers): string | undefined {
  const { [key]: _, ...others } = value
  const json = toJson(Object.keys(servers).length ? { ...others, [key]: servers } : others)
  return json.ok ? canonicalJson(json.json) : undefined
}

function serversOf({ key, format }: Client, file: string, value: Servers): Servers {
  const servers = Object.hasOwn(value, key) ? value[key] : {}
  if (isObject(servers)) return servers
  throw new FileError(
    `"${key}" in "${file}" is no ${format === 'json' ? 'object' : 'table'}. Repair it, then try again.`,
  )
}

function parse(client: Client, file: string, text: string): Promise<Servers> {
  const body = text.replace(/^\uFEFF/, '')
  return client.format === 'json' ? parseJson(client, file, body) : parseToml(file, body)
}

/** Comments and trailing commas are what people write into these files; a key that stands twice is nobody's meaning. */
async function parseJson({ key }: Client, file: string, text: string): Promise<Servers> {
  const { value, faults } = await parseConfiguration(text)
  const fault = faults.find(({ path: [first = key] }) => first === key)
  if (fault) {
    const { message, line, column, frame } = placedFault(text, fault)
    throw unreadable(`${file}:${line}:${column}: ${message}\n${frame}`)
  }
  if (isObject(value)) return value
  throw new FileError(`"${file}" holds no object. Repair it, then try again.`)
}

async function parseToml(file: string, text: string): Promise<Servers> {
  const { parse: parseText } = await import('smol-toml')
  try {
    return parseText(text)
  } catch (error) {
    throw unreadable(`"${file}" is not TOML: ${messageOf(error).trimEnd()}`)
  }
}

/** The lines around the fault may hold anything, and be as long as they like. */
function unreadable(why: string): FileError {
  const lines = createRedactor().text(why).split('\n')
  const shown = lines.map((line) => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line))
  return new FileError(`${shown.join('\n')}\nRepair it, then try again.`)
}

const longestLine = 200
