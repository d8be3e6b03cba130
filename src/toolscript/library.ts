// Toolscripts: scripts in TypeScript that call tools. Each is parsed, checked against the types of the tools there are, and run in
// a box that can reach nothing but its own door of the gateway.

import { resolve } from 'node:path'
import { type Clock, systemClock } from '../base/clock.ts'
import { messageOf } from '../base/json.ts'
import { LimitError } from '../model/errors.ts'
import type { Issue } from '../model/schema.ts'
import { anySchema } from '../model/schema.ts'
import type { Ran, RunContext, ToolDefinition, ToolDescription } from '../model/tool.ts'
import { type Box, startBox } from '../sandbox/deno-box.ts'
import { type DenoLookup, findDeno } from '../sandbox/deno-find.ts'
import { createPool } from '../sandbox/deno-pool.ts'
import { takeChecker } from './check.ts'
import { declarations } from './declarations.ts'
import { groupTools } from './declarations-groups.ts'
import { explained } from './explain.ts'
import { type ModuleGraph, readModules } from './imports.ts'
import { prepareScript } from './prepare.ts'
import { namedModules, namedTools } from './references.ts'
import type { MakeRunDoor, RunDoor } from './run-door.ts'
import { runInBox } from './run-in-box.ts'
import { issueOf, maxScriptLength, scriptPath } from './script.ts'

export interface ToolscriptParts {
  /** The tools of the modules that a script names (`['github']`), and any others that are known already; or all of them. */
  readonly tools: (modules: readonly string[] | 'all') => Promise<readonly ToolDescription[]>
  /** Another number whenever the tools have changed. */
  readonly version: () => number
  readonly makeRunDoor: MakeRunDoor
  /** The folder that relative imports stay inside. */
  readonly workspace: string
  /** How many boxes wait, started, for the next script. Default 2; 0 for none. */
  readonly poolSize?: number
  readonly clock?: Pick<Clock, 'now'>
  readonly findDeno?: () => DenoLookup
}

export interface ScriptOptions {
  /** Its file, from the working directory on: for messages, for relative imports, and `.js` for JavaScript. Default `script.ts`. */
  readonly name?: string | undefined
  /** What `Deno.cwd()` says. Default: the workspace. */
  readonly cwd?: string | undefined
  /** How much memory it may use, in megabytes. Default 512; from 16 to 4,096. */
  readonly memoryMb?: number | undefined
}

export interface Toolscripts {
  /** One run as a tool that is in no catalogue. Throws when a limit is out of its range. */
  readonly definition: (source: string, options?: ScriptOptions) => ToolDefinition
  /** Checks a script and says which tools it can call, without running it. */
  readonly dry: (source: string, options?: ScriptOptions) => Promise<Dry>
  /** Gets everything ready for a script in this folder. */
  readonly warm: (options?: ScriptOptions) => Promise<void>
  readonly close: () => Promise<void>
}

export type Dry =
  | { readonly ok: true; readonly tools: readonly ToolDescription[] }
  | { readonly ok: false; readonly issues: readonly Issue[] }

export const defaultScriptTimeoutMs = 60_000
const memory = { default: 512, min: 16, max: 4_096 } as const

/** What one box is made for: another run may have it if all of this is the same. */
interface BoxKey {
  readonly cwd: string
  readonly memoryMb: number
  readonly maxOutputBytes: number
  readonly version: number
}

/** What was asked for last, good for as long as the version is the same. */
interface KnownTools {
  readonly tools: readonly ToolDescription[]
  readonly version: number
  readonly modules: ReadonlySet<string>
}

export interface ReadyBox extends Box {
  readonly door: RunDoor
}

export function createToolscripts(parts: ToolscriptParts): Toolscripts {
  const { workspace, clock = systemClock } = parts
  const lookup = parts.findDeno ?? findDeno
  const { poolSize: size } = parts
  const pool = createPool<BoxKey, ReadyBox>({
    start: (key) => startReady(key, lookup(), parts.makeRunDoor, clock.now()),
    ...(size !== undefined && { size }),
  })
  let checker: ReturnType<typeof takeChecker> | undefined
  let known: KnownTools | undefined
  let made: { readonly tools: readonly ToolDescription[]; readonly version: number; readonly text: string } | undefined
  const running = new Set<Promise<unknown>>()

  /** The tools that a script names; asked for only when they are others by now, or when something it names is not among them. */
  const toolsFor = async (graph: ModuleGraph): Promise<readonly ToolDescription[]> => {
    const modules = namedModules(graph.references)
    const isKnown = modules !== 'all' && modules.every((module) => known?.modules.has(module))
    if (known && isKnown && known.version === parts.version()) return known.tools
    const tools = await parts.tools(modules)
    known = { tools, version: parts.version(), modules: new Set(groupTools(tools).keys()) }
    return tools
  }
  const typesOf = (tools: readonly ToolDescription[]): string => {
    const version = parts.version()
    if (made?.version !== version || made.tools.length !== tools.length)
      made = { tools, version, text: declarations(tools) }
    return made.text
  }
  const typeIssues = async (
    graph: ModuleGraph,
    tools: readonly ToolDescription[],
    signal?: AbortSignal,
  ): Promise<readonly Issue[]> => {
    checker ??= takeChecker()
    const found = await checker.check(graph, typesOf(tools), signal)
    return found.slice(0, maxIssues).map((diagnostic) => {
      const { entry, files } = graph
      const module = diagnostic.path === entry.path ? entry : files.get(diagnostic.path)
      return issueOf(explained(diagnostic, module?.parsed.references ?? [], tools), workspace)
    })
  }
  const read = async (source: string, { name, cwd = workspace }: ScriptOptions) => {
    const graph = await readModules({ path: scriptPath(name, resolve(cwd)), text: source }, workspace)
    return { graph, issues: graph.faults.slice(0, maxIssues).map((fault) => issueOf(fault, workspace)) }
  }

  const run = async (source: string, options: ScriptOptions, memoryMb: number, context: RunContext): Promise<Ran> => {
    const deno = lookup()
    if (!deno.ok) return { ok: false, code: 'not-runnable', reason: 'dependency-missing', message: deno.message }
    const { graph, issues } = await read(source, options)
    if (issues.length) return invalid(issues)
    const tools = await toolsFor(graph)
    const cwd = resolve(options.cwd ?? workspace)
    const { maxOutputBytes } = context.limits
    const key: BoxKey = { cwd, memoryMb, maxOutputBytes, version: parts.version() }
    const taking = pool.take(key)
    taking.catch(() => {})
    const putBack = () => void taking.then((box) => pool.putBack(key, box)).catch(() => {})
    try {
      const preparing = prepareScript(graph)
      // Whatever is wrong with it, the checker says it better.
      preparing.catch(() => {})
      const found = await unlessStopped(typeIssues(graph, tools, context.signal), context.signal)
      if (found.length) {
        putBack()
        return invalid(found)
      }
      const code = await unlessStopped(preparing, context.signal)
      const box = await unlessStopped(taking, context.signal)
      const ran = await runInBox(box, code, context, { graph, workspace, memoryMb })
      // Not now: starting a process takes time, and somebody waits for this outcome.
      setTimeout(() => void pool.refill({ ...key, version: parts.version() }), refillAfterMs).unref()
      return ran
    } catch (error) {
      putBack()
      return { ok: false, code: 'tool-failed', message: `The script could not be run. ${messageOf(error)}` }
    }
  }
  const tracked = <T>(work: Promise<T>): Promise<T> => {
    running.add(work)
    return work.finally(() => running.delete(work))
  }

  return {
    definition: (source, options = {}) => {
      const memoryMb = checkMemory(options.memoryMb)
      return {
        name: { path: ['toolscript'] },
        kind: 'toolscript',
        description: options.name === undefined ? 'Runs a script.' : `Runs the script ${options.name}.`,
        input: anySchema,
        // Harmless by itself: each of its calls is decided on its own.
        effects: {
          readOnly: true,
          destructive: false,
          network: false,
          subprocess: false,
          filesystem: { write: false },
        },
        trust: 'native',
        ownersOwn: true,
        limits: { timeoutMs: defaultScriptTimeoutMs },
        ...(options.name !== undefined && { labels: { script: options.name } }),
        // What it imports from files is not in its text.
        ...(!namesFiles.test(source) && { fingerprint: () => source }),
        run: async (_input, context) => {
          const issue = unusable(source)
          return issue ? invalid([issue]) : tracked(run(source, options, memoryMb, context))
        },
      }
    },
    dry: async (source, options = {}) => {
      const issue = unusable(source)
      if (issue) return { ok: false, issues: [issue] }
      const { graph, issues } = await read(source, options)
      if (issues.length) return { ok: false, issues }
      const tools = await toolsFor(graph)
      const found = await typeIssues(graph, tools)
      return found.length ? { ok: false, issues: found } : { ok: true, tools: namedTools(graph.references, tools) }
    },
    warm: async ({ cwd = workspace, memoryMb, name } = {}) => {
      const { graph } = await read('', { cwd, name })
      const tools = await toolsFor(graph)
      const key = {
        cwd: resolve(cwd),
        memoryMb: checkMemory(memoryMb),
        maxOutputBytes: 1_048_576,
        version: parts.version(),
      }
      await Promise.all([typeIssues(graph, tools), lookup().ok ? pool.refill(key) : undefined])
    },
    close: async () => {
      await Promise.allSettled(running)
      await Promise.all([pool.close(), checker?.close()])
    },
  }
}

const maxIssues = 50
const namesFiles = /["'`]\.\.?(?:\/|["'`])/
const refillAfterMs = 10

function invalid(issues: readonly Issue[]): Ran {
  const faults =
    issues.length === 1 ? 'a fault' : `${issues.length}${issues.length === maxIssues ? ' or more' : ''} faults`
  const message = `The script has ${faults}, and did not run.`
  return { ok: false, code: 'invalid-input', message, issues }
}

function unusable(source: unknown): Issue | undefined {
  if (typeof source !== 'string') {
    return { path: '', code: 'INVALID_TYPE', message: 'A script is a text. Give its source as a string.' }
  }
  if (source.length <= maxScriptLength) return undefined
  const message = `The script has ${source.length} characters; at most ${maxScriptLength} are taken. Put data into tools or files.`
  return { path: '', code: 'TOO_LARGE', message }
}

function checkMemory(given: number | undefined): number {
  const memoryMb = given ?? memory.default
  const isRight = Number.isInteger(memoryMb) && memoryMb >= memory.min && memoryMb <= memory.max
  if (!isRight) throw new LimitError('memoryMb', memoryMb, memory.min, memory.max)
  return memoryMb
}

const startMs = 20_000

/** A box whose guest waits for its program. */
async function startReady(
  { version: _, ...key }: BoxKey,
  deno: DenoLookup,
  makeRunDoor: MakeRunDoor,
  stamp: number,
): Promise<ReadyBox> {
  if (!deno.ok) throw new Error(deno.message)
  const door = await makeRunDoor()
  try {
    const box = await startBox({ ...key, deno: deno.path, url: door.url, host: door.host, stamp })
    void box.ended.finally(door.close)
    const timer = setTimeout(box.kill, startMs)
    const died = await Promise.race([door.ready.then(() => undefined), box.ended]).finally(() => clearTimeout(timer))
    if (died) {
      const why = died.stderr.trim().split('\n').slice(0, 5).join('\n').replaceAll(door.url, 'TOOLSCRIPT_GATEWAY_URL')
      throw new Error(`Deno did not start: ${why || `it ended with ${died.exitCode ?? died.signal}`}.`)
    }
    box.started()
    return { ...box, door }
  } catch (error) {
    door.close()
    throw error
  }
}

function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((settle, reject) => {
    const stop = () => reject(new Error('It was stopped before it began.'))
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(settle, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
