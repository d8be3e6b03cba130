// The tools as an MCP client lists them: every one under its own name, or the few that stand for all.

import type { JsonObject } from '../base/json.ts'
import { isObject } from '../base/json.ts'
import { changesNothing, type Effects } from '../model/effects.ts'
import type { JsonSchema } from '../model/schema.ts'
import type { ToolDescription } from '../model/tool.ts'
import { visibleText } from '../outcome/visible.ts'
import { visibleDeep } from '../outcome/visible-deep.ts'
import { objectInput } from '../toolcall/object-input.ts'
import { objectRoot } from '../toolcall/object-root.ts'
import { jsonSchemaOf } from '../validate/json-schema-of.ts'
import { type MetaTool, metaTools } from './meta-tools.ts'
import type { GatewayParts } from './parts.ts'

/** What a client sees: every tool, the few that search and call the rest, or whichever suits their number. */
export type Expose = 'direct' | 'meta' | 'auto'

export interface ListedTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly outputSchema?: Readonly<Record<string, unknown>>
  readonly annotations: Readonly<Record<string, boolean>>
}

/** So many tools are shown one by one; more would cost a model too much before it has called any. */
const mostDirect = 40
/** Sources that could not be read are asked again, but not with every list. */
const freshMs = 1_000

interface Known {
  readonly direct: readonly ListedTool[]
  readonly byName: ReadonlyMap<string, ListedTool>
  readonly byId: ReadonlyMap<string, ToolDescription>
  readonly at: number
}

export class ToolLists {
  readonly #parts: Pick<GatewayParts, 'tools' | 'onChange'>
  readonly #stop: () => void
  #known: Promise<Known> | undefined
  #last: Known | undefined

  constructor(parts: Pick<GatewayParts, 'tools' | 'onChange'>) {
    this.#parts = parts
    this.#stop = parts.onChange(() => {
      this.#known = undefined
    })
  }

  /** In the order of the names, so that nothing but a change shows. */
  async list(expose: Expose): Promise<readonly ListedTool[]> {
    if (expose === 'meta') return listedMeta
    const { direct } = await this.#fresh()
    return expose === 'auto' && direct.length > mostDirect ? listedMeta : direct
  }

  async isMeta(expose: Expose): Promise<boolean> {
    return (await this.list(expose)) === listedMeta
  }

  /** A tool as it was listed last. */
  named(name: string): ListedTool | undefined {
    return this.#last?.byName.get(name) ?? listedMeta.find((tool) => tool.name === name)
  }

  async byId(id: string): Promise<ToolDescription | undefined> {
    return (await this.#now()).byId.get(id)
  }

  close(): void {
    this.#stop()
  }

  async #fresh(): Promise<Known> {
    const known = await this.#now()
    if (performance.now() - known.at > freshMs) this.#known = undefined
    return this.#now()
  }

  #now(): Promise<Known> {
    if (this.#known) return this.#known
    const made = this.#make()
    this.#known = made
    made.catch(() => {
      if (this.#known === made) this.#known = undefined
    })
    return made
  }

  async #make(): Promise<Known> {
    const tools = await this.#parts.tools()
    const direct = tools.map(listedTool).sort((a, b) => (a.name < b.name ? -1 : 1))
    const byName = new Map(direct.map((tool) => [tool.name, tool]))
    this.#last = { direct, byName, byId: new Map(tools.map((tool) => [tool.id, tool])), at: performance.now() }
    return this.#last
  }
}

function listedTool(tool: ToolDescription): ListedTool {
  const { title, description, effects, output, spellings } = tool
  const schema = output && offeredOutput(jsonSchemaOf(output))
  const outputSchema = schema && visibleDeep(schema)
  return {
    name: spellings.provider,
    ...(title !== undefined && { title: visibleText(title) }),
    description: visibleText(description),
    inputSchema: visibleDeep(inputSchema(tool)),
    ...(outputSchema && { outputSchema }),
    annotations: annotationsOf(effects),
  }
}

/** A server's own schema is passed on as it stands; any other in the form that model providers take. */
function inputSchema({ kind, input }: ToolDescription): ListedTool['inputSchema'] {
  const schema = jsonSchemaOf(input)
  if (kind === 'mcp' && isObject(schema) && schema.type === 'object') return schema
  return { ...objectRoot(objectInput(schema)) }
}

/** What is unknown is not safe: the hints say the worst that is not ruled out. */
export function annotationsOf(effects: Effects): ListedTool['annotations'] {
  return {
    readOnlyHint: changesNothing(effects),
    destructiveHint: effects.destructive !== false,
    idempotentHint: effects.idempotent === true,
    openWorldHint: effects.network !== false,
  }
}

/** The key of a result that was kept because it is too long, in the place of the value. */
export const keptKey = 'legworkResult'

const keptSchema = { type: 'object', properties: { [keptKey]: { type: 'object' } }, required: [keptKey] }

/**
 * Either what the tool says, or the address of a result that is too long. A schema that refers to itself from its root cannot be
 * put beside another one; then the client is not told.
 */
function offeredOutput(schema: JsonSchema): Readonly<Record<string, unknown>> | undefined {
  if (!isObject(schema)) return undefined
  if (/"\$(id|anchor|dynamicRef|recursiveRef)"|"\$ref":"(?!#\/(\$defs|definitions)\/)/.test(JSON.stringify(schema))) {
    return undefined
  }
  const { $schema, $defs, definitions, ...rest } = schema
  return {
    ...($schema !== undefined && { $schema }),
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
    ...(rest.type === 'object' && { type: 'object' }),
    anyOf: [rest, keptSchema],
  }
}

const listedMeta: readonly ListedTool[] = metaTools.map(listedMetaTool)

function listedMetaTool({ name, description, inputSchema: schema, readOnly = false }: MetaTool): ListedTool {
  const annotations = {
    readOnlyHint: readOnly,
    destructiveHint: !readOnly,
    idempotentHint: readOnly,
    openWorldHint: true,
  }
  return { name, description, inputSchema: schema satisfies JsonObject, annotations }
}
