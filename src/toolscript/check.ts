// The type checker: TypeScript's own, resident, over files that lie in memory alone. Nothing on the disk can be read through it: a
// message that quotes a type would show what another file holds.
// This is the only file that knows the unstable API of TypeScript 7.

import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Writable } from 'node:stream'
import { isObject } from '../base/json.ts'
import { checkedText } from './checked-text.ts'
import type { ModuleGraph } from './imports.ts'
import { languageOf } from './parse.ts'

/** A fault as the checker tells it, with offsets in the user's own text. */
export interface Diagnostic {
  readonly path: string
  readonly text: string
  readonly code: number
  readonly message: string
  readonly start: number
  readonly end: number
}

export interface Checker {
  /** The type errors of a script and of what it imports, against these declarations of "toolscript". One at a time. */
  readonly check: (graph: ModuleGraph, declarations: string) => Promise<readonly Diagnostic[]>
  readonly close: () => Promise<void>
}

const root = '/.legwork'
const maxCheckMs = 20_000
const closingMs = 500
const maxProjects = 16

const commonOptions = {
  target: 'esnext',
  module: 'esnext',
  moduleResolution: 'bundler',
  moduleDetection: 'force',
  noLib: true,
  types: [],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  resolveJsonModule: true,
  paths: { toolscript: [`${root}/tools.d.ts`] },
}

const languageOptions = { ts: {}, js: { allowJs: true, checkJs: true, noImplicitAny: false } } as const

let ready: Checker | undefined

/** Starts a checker that whoever comes first takes: while it starts, other things can load. */
export function startCheckerEarly(): void {
  if (ready) return
  ready = createChecker()
  // The first check reads the libraries, whatever it checks.
  ready.check(emptyGraph, 'export {}\n').catch(() => {})
}

const nothing = { faults: [], returns: [], relative: [], references: [] }
const emptyGraph: ModuleGraph = {
  entry: { path: '/script.ts', text: '', parsed: nothing, imports: new Map() },
  files: new Map(),
  faults: [],
  references: [],
}

export function takeChecker(): Checker {
  const checker = ready ?? createChecker()
  ready = undefined
  return checker
}

function createChecker(): Checker {
  let server: Promise<Server> | undefined = startServer()
  server.catch(() => {})
  let last: Promise<unknown> = Promise.resolve()
  let closed = false

  const check = async (graph: ModuleGraph, declarations: string, isAgain = false): Promise<readonly Diagnostic[]> => {
    if (closed) throw new Error('The type checker is closed.')
    server ??= startServer()
    const current = await server
    try {
      return await current.check(graph, declarations)
    } catch (error) {
      // Whatever went wrong, the next one is new; and one that has died may have died of something else than this script.
      server = undefined
      await current.close()
      if (closed || error instanceof CheckTooLong || isAgain) throw error
      return check(graph, declarations, true)
    }
  }
  return {
    check: (graph, declarations) => {
      const checked = last.then(() => check(graph, declarations))
      last = checked.catch(() => {})
      return checked
    },
    close: async () => {
      closed = true
      await (await server?.catch(() => undefined))?.close()
    },
  }
}

type Server = Checker

async function startServer(): Promise<Server> {
  const { API } = await import('typescript/unstable/async')
  const platform = denoTypes()
  const files = new Map<string, string>(platform)
  const folders = new Map<string, number>()
  const count = (path: string, more: number) => {
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      folders.set(folder, (folders.get(folder) ?? 0) + more)
      if (folder === '/') return
    }
  }
  const put = (path: string, text: string): boolean => {
    if (files.get(path) === text) return false
    if (!files.has(path)) count(path, 1)
    files.set(path, text)
    return true
  }
  for (const path of platform.keys()) count(path, 1)
  const api = new API({
    cwd: '/',
    fs: {
      readFile: (path) => files.get(path) ?? null,
      fileExists: (path) => files.has(path),
      directoryExists: (path) => (folders.get(path) ?? 0) > 0,
      getAccessibleEntries: () => ({ files: [], directories: [] }),
      realpath: (path) => path,
    },
  })
  const projects = new Map<string, string>()
  let death: Promise<never> | undefined

  const check = async (graph: ModuleGraph, declarations: string): Promise<readonly Diagnostic[]> => {
    const { entry } = graph
    const language = languageOf(entry.path)
    // A name that the checker has seen before is several times faster than a new one.
    const folder = graph.files.size ? dirname(entry.path) : `${root}/${language}`
    const script = join(folder, `.legwork-script.${language}`)
    const { text, original } = checkedText(entry)
    const changed = [script, ...graph.files.keys()]
    put(script, text)
    for (const [path, module] of graph.files) put(path, module.text)
    if (graph.files.size) put(entry.path, text)
    if (put(`${root}/tools.d.ts`, declarations)) changed.push(`${root}/tools.d.ts`)

    const known = projects.get(script)
    const config = known ?? `${root}/project-${projects.size}/tsconfig.json`
    if (!known) {
      if (projects.size >= maxProjects) throw new Error('The type checker has too many projects.')
      const compilerOptions = { ...commonOptions, ...languageOptions[language] }
      // The tools are there whether or not a script imports them: taking them in again costs more than the rest.
      const roots = [script, ...platform.keys(), `${root}/tools.d.ts`]
      put(config, JSON.stringify({ compilerOptions, files: roots }))
      projects.set(script, config)
    }
    const update = { fileChanges: { changed }, ...(known ? {} : { openProjects: [config] }) }
    const snapshot = await api.updateSnapshot(update)
    try {
      const program = snapshot.getProject(config)?.program
      if (!program) throw new Error('The type checker has lost its project.')
      const syntax = await program.getSyntacticDiagnostics(script)
      const found = syntax.length ? syntax : await program.getSemanticDiagnostics()
      return found.flatMap(({ category, fileName, code, text: message, messageChain, pos, end }) => {
        if (category !== 1 || fileName === undefined) return []
        const isEntry = fileName === script || fileName === entry.path
        const module = isEntry ? entry : graph.files.get(fileName)
        if (!module) return []
        const place = isEntry ? { start: original(pos), end: original(end) } : { start: pos, end }
        const whole = [message, ...(messageChain ?? []).map((part) => part.text)].join('\n  ')
        return [{ path: module.path, text: module.text, code, message: whole, ...place }]
      })
    } finally {
      await snapshot.dispose()
    }
  }
  return {
    check: async (graph, declarations) => {
      // Starts the process, whose death nothing in the API tells of.
      const work = check(graph, declarations)
      work.catch(() => {})
      death ??= deathOf(api)
      death.catch(() => {})
      return inTime(Promise.race([work, death]))
    },
    close: async () => {
      const child = processOf(api)
      const gone = child ? once(child, 'exit').catch(() => {}) : undefined
      const closing = api.close().catch(() => {})
      await Promise.race([closing, new Promise((settle) => setTimeout(settle, closingMs).unref())])
      const pid: unknown = child && Reflect.get(child, 'pid')
      if (child && typeof pid === 'number' && Reflect.get(child, 'exitCode') === null) {
        endProcess(pid)
        await Promise.race([gone, new Promise((settle) => setTimeout(settle, closingMs).unref())])
      }
    },
  }
}

class CheckTooLong extends Error {}

async function deathOf(api: unknown): Promise<never> {
  for (let turns = 0; turns < 500; turns++) {
    const child = processOf(api)
    if (child) {
      forgiveWrites(child)
      await once(child, 'exit')
      throw new Error('The type checker ended.')
    }
    await new Promise((turn) => setImmediate(turn))
  }
  return new Promise(() => {})
}

/** The process behind the API, which does not show it. */
function processOf(api: unknown): EventEmitter | undefined {
  const client: unknown = isObject(api) ? Reflect.get(api, 'client') : undefined
  const child: unknown = isObject(client) ? Reflect.get(client, 'process') : undefined
  return child instanceof EventEmitter ? child : undefined
}

/** What is written to a process that has just died would be a rejection that nobody can handle; its death is told by its exit. */
function forgiveWrites(child: EventEmitter): void {
  const input: unknown = Reflect.get(child, 'stdin')
  if (!(input instanceof Writable)) return
  input.on('error', () => {})
  const write = input.write.bind(input)
  const forgiving = (chunk: unknown, ...rest: readonly unknown[]) => {
    const [encoding] = rest
    const done = rest.at(-1)
    const told = () => typeof done === 'function' && done()
    return encoding === 'ascii' || encoding === 'utf-8' ? write(chunk, encoding, told) : write(chunk, told)
  }
  Object.defineProperty(input, 'write', { value: forgiving })
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has gone already.
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new CheckTooLong(`The type check did not end within ${maxCheckMs} ms.`)),
      maxCheckMs,
    )
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** What a script finds at run time, the language included, made by `scripts/deno-types.ts`. */
function denoTypes(): Map<string, string> {
  const texts = readFileSync(new URL('./deno-types.txt', import.meta.url), 'utf8').split('\n----\n')
  return new Map(texts.map((text, at) => [`${root}/deno-${at}.d.ts`, text]))
}
