// What the few tools do that stand for a whole catalogue. Each call that they make takes the one path; what they only look up
// leaves no trace.

import { randomUUID } from 'node:crypto'
import { limitSpecs } from '../model/limits.ts'
import type { Outcome } from '../model/outcome.ts'
import type { ToolDescription } from '../model/tool.ts'
import { visibleText } from '../outcome/visible.ts'
import { safetySuffix } from '../toolcall/description.ts'
import { signature } from '../toolscript/declarations.ts'
import { callFor, eventsFor } from './mcp-calls.ts'
import type { Work } from './mcp-peer.ts'
import type { CallResult } from './mcp-result.ts'
import { metaTools } from './meta-tools.ts'
import type { GatewayParts } from './parts.ts'

/** Either the outcome of a call, or words of our own. */
export type MetaEnd = { readonly outcome: Outcome } | { readonly result: CallResult }

type Arguments = Readonly<Record<string, unknown>>

/** Clients give a request up after a minute: a run that takes longer is told of before that, and asked for later. */
const usualPatienceMs = 45_000
const defaultTimeoutMs = 60_000
const maxKeptRuns = 256
const { min, max } = limitSpecs.timeoutMs

interface KeptRun {
  readonly outcome: Promise<Outcome>
  isOver: boolean
}

export class MetaTools {
  readonly #parts: GatewayParts
  readonly #patienceMs: number
  readonly #runs = new Map<string, KeptRun>()

  constructor(parts: GatewayParts, patienceMs = usualPatienceMs) {
    this.#parts = parts
    this.#patienceMs = patienceMs
  }

  /** Undefined for a name that is none of them. */
  async call(name: string, input: Arguments, work: Work): Promise<MetaEnd | undefined> {
    switch (metaTools.find((tool) => tool.name === name)?.name) {
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
        return this.#getRun(input)
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
    return { outcome: await this.#parts.execute({ ...callFor(work), tool: name, input }, eventsFor(work)) }
  }

  async #script({ code, timeoutMs = defaultTimeoutMs }: Arguments, work: Work, readOnly: boolean): Promise<MetaEnd> {
    const { script } = this.#parts
    if (!script) return refused('Scripts cannot be run here.')
    if (typeof code !== 'string') return refused('"code" must be text.')
    if (!isWhole(timeoutMs, min, max)) return refused(`"timeoutMs" must be a whole number from ${min} to ${max}.`)
    if (await importsFiles(code))
      return refused('A script that comes from a client cannot import files. Write all of it here.')
    const outcome = script(withTools(code), { ...callFor(work), timeoutMs, readOnly })
    return this.#within(outcome, this.#keep(outcome))
  }

  async #getRun({ id }: Arguments): Promise<MetaEnd> {
    const run = typeof id === 'string' ? this.#runs.get(id) : undefined
    if (!run) return refused('There is no such run, or it is long over.')
    return this.#within(run.outcome, String(id))
  }

  async #within(outcome: Promise<Outcome>, id: string): Promise<MetaEnd> {
    const { promise: enough, resolve } = Promise.withResolvers<undefined>()
    const timer = setTimeout(resolve, this.#patienceMs, undefined)
    const ended = await Promise.race([outcome, enough]).finally(() => clearTimeout(timer))
    return ended ? { outcome: ended } : said(`It is still running. Ask for it with get_run: ${JSON.stringify({ id })}`)
  }

  /** Kept for whoever asks late, but not for ever. */
  #keep(outcome: Promise<Outcome>): string {
    const id = randomUUID()
    const run: KeptRun = { outcome, isOver: false }
    const over = () => {
      run.isOver = true
    }
    outcome.then(over, over)
    this.#runs.set(id, run)
    for (const [old, { isOver }] of this.#runs) {
      if (this.#runs.size <= maxKeptRuns) break
      if (isOver) this.#runs.delete(old)
    }
    return id
  }
}

/** Files of the project are not for whoever sends a script: reading them is a tool's business, on which the policy decides. */
async function importsFiles(code: string): Promise<boolean> {
  const { parseScript } = await import('../toolscript/parse.ts')
  return (await parseScript({ path: 'script.ts', text: code })).relative.length > 0
}

/** A model need not write what every script begins with. Its lines keep their numbers. */
function withTools(code: string): string {
  return /\bfrom\s*["']toolscript["']/.test(code) ? code : `import { tools } from "toolscript"; ${code}`
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
