// What the few tools do that stand for a whole catalogue. Each call that they make takes the one path; what they only look up
// leaves no trace.

import { isObject } from '../base/json.ts'
import type { Approve } from '../model/decision.ts'
import { limitSpecs } from '../model/limits.ts'
import type { Outcome } from '../model/outcome.ts'
import type { ToolDescription } from '../model/tool.ts'
import { visibleText } from '../outcome/visible.ts'
import { safetySuffix } from '../toolcall/description.ts'
import { signature } from '../toolscript/declarations.ts'
import { callFor, eventsFor } from './mcp-calls.ts'
import type { Work } from './mcp-peer.ts'
import type { CallResult } from './mcp-result.ts'
import { KeptRuns, type RunEnd } from './mcp-runs.ts'
import { type MetaTool, metaTools } from './meta-tools.ts'
import type { GatewayParts } from './parts.ts'

/** Either the outcome of a call, or words of our own. */
export type MetaEnd =
  | { readonly outcome: Outcome; readonly claim?: string | undefined }
  | { readonly result: CallResult }

type Arguments = Readonly<Record<string, unknown>>

const defaultTimeoutMs = 60_000
const { min, max } = limitSpecs.timeoutMs

export class MetaTools {
  readonly #parts: GatewayParts
  readonly #runs: KeptRuns

  constructor(parts: GatewayParts, runs = new KeptRuns()) {
    this.#parts = parts
    this.#runs = runs
  }

  /** Undefined for a name that is none of them. */
  async call(name: string, input: Arguments, work: Work): Promise<MetaEnd | undefined> {
    const tool = metaTools.find((each) => each.name === name)
    const strange = tool && strangeKey(tool, input)
    if (strange !== undefined) return refused(strange)
    switch (tool?.name) {
      case 'search_tools':
        return this.#search(input)
      case 'describe_tools':
        return this.#describe(input)
      case 'call_tool':
        return this.#callTool(input, work)
      case 'query_script':
        return this.#script(input, work, true)
      case 'run_script':
        return this.#script(input, work, false)
      case 'get_run':
        return this.#getRun(input, work)
      case undefined:
        return undefined
    }
  }

  async #search({ query, limit = 10 }: Arguments): Promise<MetaEnd> {
    if (typeof query !== 'string') return refused('"query" must be text.')
    if (!isWhole(limit, 1, 100)) return refused('"limit" must be a whole number from 1 to 100.')
    const tools = await this.#parts.search(query, limit)
    const lines = tools.map(({ spellings, description, effects }) => {
      return [spellings.script, firstLine(description), safetySuffix(effects)].filter(Boolean).join(' ')
    })
    return said(lines.join('\n') || 'No tool fits those words. Try others.')
  }

  async #describe({ names }: Arguments): Promise<MetaEnd> {
    if (!Array.isArray(names) || names.length > 100 || !names.every((name) => typeof name === 'string')) {
      return refused('"names" must be a list of at most 100 names.')
    }
    const tools = await this.#parts.tools()
    const texts = names.map((name) => {
      const tool = tools.find((each) => isCalled(each, name))
      if (!tool) return `// There is no tool "${visibleText(name).slice(0, 200)}". Look for it with search_tools.\n`
      const suffix = safetySuffix(tool.effects)
      return `${suffix ? `// ${suffix}\n` : ''}${visibleText(signature(tool))}`
    })
    return said(texts.join('\n'))
  }

  async #callTool({ name, input = {} }: Arguments, work: Work): Promise<MetaEnd> {
    if (typeof name !== 'string') return refused('"name" must be text.')
    const outcome = await this.#parts.execute({ ...callFor(work), tool: name, input }, eventsFor(work))
    return { outcome, claim: work.claim }
  }

  async #script({ code, timeoutMs = defaultTimeoutMs }: Arguments, work: Work, readOnly: boolean): Promise<MetaEnd> {
    const { script } = this.#parts
    if (!script) return refused('Scripts cannot be run here.')
    if (typeof code !== 'string') return refused('"code" must be text.')
    if (!isWhole(timeoutMs, min, max)) return refused(`"timeoutMs" must be a whole number from ${min} to ${max}.`)
    const imports = await importsOf(code)
    if (imports.some(isFile))
      return refused('A script that comes from a client cannot import files. Write all of it here.')
    // A model need not write what every script begins with. Its lines keep their numbers.
    const source = imports.includes('toolscript') ? code : `import { tools } from "toolscript"; ${code}`
    const { approve: _, ...call } = callFor(work)
    const run = (approve?: Approve) => script(source, { ...call, ...(approve && { approve }), timeoutMs, readOnly })
    return metaEnd(await this.#runs.begin(work, run))
  }

  async #getRun({ id }: Arguments, work: Work): Promise<MetaEnd> {
    const end = typeof id === 'string' ? await this.#runs.again(id, work) : undefined
    return end ? metaEnd(end) : refused('There is no such run, or it is long over.')
  }
}

function metaEnd(end: RunEnd): MetaEnd {
  return 'id' in end ? said(`It is still running. Ask for it with get_run: ${JSON.stringify({ id: end.id })}`) : end
}

/** A key that means nothing here may have meant much to whoever wrote it. */
function strangeKey({ name, inputSchema }: MetaTool, input: Arguments): string | undefined {
  const known = isObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : []
  const strange = Object.keys(input).find((key) => !known.includes(key))
  if (strange === undefined) return undefined
  return `${name} takes no "${visibleText(strange).slice(0, 100)}". It takes ${known.map((key) => `"${key}"`).join(', ')}.`
}

/** What a script imports, as its syntax says. */
async function importsOf(code: string): Promise<readonly string[]> {
  const { parseScript } = await import('../toolscript/parse.ts')
  return (await parseScript({ path: 'script.ts', text: code })).imports
}

/** Files of the project are not for whoever sends a script: reading them is a tool's business, on which the policy decides. */
function isFile(specifier: string): boolean {
  return specifier.startsWith('.')
}

function isCalled({ id, spellings }: ToolDescription, name: string): boolean {
  const { script, wire, provider, skill } = spellings
  return [id, script, wire, provider, skill, script.replace(/^tools\./, '')].includes(name)
}

const maxLineLength = 160

function firstLine(description: string): string {
  const [line = ''] = visibleText(description).split('\n')
  return line.length > maxLineLength ? `${line.slice(0, maxLineLength - 1).replace(/[\ud800-\udbff]$/, '')}…` : line
}

function isWhole(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
}

function said(text: string): MetaEnd {
  return { result: { content: [{ type: 'text', text }] } }
}

function refused(text: string): MetaEnd {
  return { result: { content: [{ type: 'text', text }], isError: true } }
}

/** What a client is told when it connects, where it sees these tools. */
export const metaInstructions =
  'Find tools with search_tools, read their signatures with describe_tools, then call one with call_tool, or several with one script: query_script where nothing is to change, run_script otherwise.'
