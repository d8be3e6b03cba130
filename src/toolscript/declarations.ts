// The tools of a catalogue as TypeScript sees them: a declaration module with all of them, or the signature of one.

import { isObject } from '../base/json.ts'
import type { JsonSchema } from '../model/schema.ts'
import type { ToolDescription } from '../model/tool.ts'
import { jsonSchemaOf } from '../validate/json-schema-of.ts'
import { groupTools, type ToolGroup } from './declarations-groups.ts'
import { schemaType } from './schema-type.ts'
import { comment, key } from './schema-type-text.ts'

/** A `.d.ts` module that exports `tools`, `ToolError` and the types beside them, the same for the same tools in any order. */
export function declarations(tools: readonly ToolDescription[]): string {
  const groups = groupTools(tools)
  const page = new Page([...groups.keys()].map(interfaceName))
  const members = [...groups].map(([name, group]) => memberText(name, group, page))
  return `${head}\n${page.text()}interface Tools {\n${members.join('')}}\n\n/** Every tool there is. */\nexport const tools: Tools\n\nexport {}\n`
}

/** The same for editors: whoever imports from "toolscript" gets these types. */
export function ambientDeclarations(tools: readonly ToolDescription[]): string {
  return `declare module "toolscript" {\n${declarations(tools).replace(/^(?=.)/gm, '  ')}}\n`
}

/** `tools.git.log(input: {…}): Promise<Json>`, with what it does in a comment above and the types it needs below. */
export function signature(tool: ToolDescription): string {
  const { parameter, result, named } = typesOf(tool, '', new Set())
  const types = [...named].map(([name, text]) => `type ${name} = ${text}\n`).join('')
  return `${comment(tool.description, '')}${tool.spellings.script}(${parameter}): Promise<${result ?? 'Json'}>\n${types}`
}

const head = `/** What JSON can hold: what a tool gives back that does not say what it gives back. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

export interface CallOptions {
  /** Instructions in prose that go with the input. Default none. */
  readonly content?: string
  /** Gives the call up when it fires. */
  readonly signal?: AbortSignal
  /** The longest the call may take, in milliseconds. Default: the tool's own limit. */
  readonly timeoutMs?: number
}

/** What a call throws that did not succeed. */
export class ToolError extends Error {
  constructor(fields: Pick<ToolError, 'tool' | 'code' | 'message' | 'issues' | 'value'>)
  /** The tool's id, such as "github:createIssue". */
  readonly tool: string
  /** "gateway": the call did not reach the tool, or its answer did not come back. */
  readonly code: "unknown-tool" | "invalid-input" | "denied" | "approval-needed" | "timed-out" | "cancelled" | "tool-failed" | "not-runnable" | "too-busy" | "gateway"
  /** What is wrong with the input; empty unless the code is "invalid-input". */
  readonly issues: readonly { readonly path: string; readonly code: string; readonly message: string }[]
  /** What the tool gave back although it failed, such as the content of a server's error. */
  readonly value: Json | undefined
}
`

/** Beyond so many characters the rest of the tools are declared without their types. */
const maxLength = 20_000_000

/** The types that the tools need, in the order in which they were written. */
class Page {
  readonly #taken: Set<string>
  readonly #texts: string[] = []
  #length = 0

  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken)
  }

  write(text: string): void {
    this.#texts.push(text)
    this.#length += text.length
  }

  typesOf(tool: ToolDescription): { readonly parameter: string; readonly result: string | undefined } {
    if (this.#length > maxLength) return { parameter: 'input?: unknown', result: undefined }
    const { parameter, result, named } = typesOf(tool, '  ', this.#taken)
    for (const [name, text] of named) this.write(`type ${name} = ${text}\n\n`)
    this.#length += parameter.length + (result?.length ?? 0) + tool.description.length
    return { parameter, result }
  }

  text(): string {
    return this.#texts.join('')
  }
}

/** One tool, one module of tools, or a tool that holds others, as a member of `tools`. */
function memberText(name: string, { tool, tools }: ToolGroup, page: Page): string {
  if (tools.size === 0) return tool ? methodText(methodName(name), tool, page) : ''
  const own = tool ? methodText('', tool, page) : ''
  const inner = [...tools].map(([inside, one]) => methodText(methodName(inside), one, page))
  page.write(`interface ${interfaceName(name)} {\n${own}${inner.join('')}}\n\n`)
  return `  readonly ${key(name)}: ${interfaceName(name)}\n`
}

/** A name, so that the compiler's messages need not write all of it out. */
function interfaceName(module: string): string {
  return `Tools_${module}`
}

/** Some words before a bracket are something else than a method's name. */
function methodName(name: string): string {
  return ['new', 'get', 'set', 'readonly', 'constructor'].includes(name) ? `"${name}"` : key(name)
}

/** A tool that does not say what it returns lets its caller say it. */
function methodText(name: string, tool: ToolDescription, page: Page): string {
  const { parameter, result } = page.typesOf(tool)
  const generic = result === undefined ? '<T = Json>' : ''
  const about = comment(tool.description, '  ')
  return `${about}  ${name}${generic}(${parameter}, options?: CallOptions): Promise<${result ?? 'T'}>\n`
}

function typesOf({ spellings, input, output }: ToolDescription, indent: string, taken: Set<string>) {
  const prefix = spellings.id.replace(/[^\w$]/g, '_')
  const given = jsonSchemaOf(input)
  const { text, named } = schemaType(given, { prefix, taken, indent })
  const result = output && schemaType(jsonSchemaOf(output), { prefix, taken, indent })
  return {
    parameter: `input${mayBeLeftOut(given) ? '?' : ''}: ${text}`,
    result: result && result.text !== 'unknown' ? result.text : undefined,
    named: new Map([...named, ...(result?.named ?? [])]),
  }
}

/** Whether a call without an input, which is one with an empty object, can be right. */
function mayBeLeftOut(schema: JsonSchema, depth = 0): boolean {
  if (!isObject(schema) || depth > 8) return schema === true
  const { type = 'object', required, $ref, allOf, anyOf, oneOf, enum: choices } = schema
  if (![type].flat().includes('object') || $ref !== undefined || choices !== undefined || 'const' in schema)
    return false
  if (Array.isArray(required) && required.length) return false
  const fits = (schemas: unknown, how: 'every' | 'some') =>
    !Array.isArray(schemas) ||
    schemas[how]((one) => typeof one === 'boolean' || (isObject(one) && mayBeLeftOut(one, depth + 1)))
  return fits(allOf, 'every') && fits(anyOf, 'some') && fits(oneOf, 'some')
}
