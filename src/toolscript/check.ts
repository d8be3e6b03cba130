// The type checker: TypeScript's own, resident, over files that lie in memory alone. Nothing on the disk can be read through it: a
// message that quotes a type would show what another file holds.
// This file and checker-process.ts are the only ones that know the unstable API of TypeScript 7.

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { checkedText } from './checked-text.ts'
import { deathOf, endProcess, isStarted, processOf, residentBytes, type Started } from './checker-process.ts'
import type { ModuleGraph } from './imports.ts'
import { languageOf, nothingParsed } from './parse.ts'

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
  /**
   * The type errors of a script and of what it imports, against these declarations of "toolscript". One at a time; the signal
   * ends a check that is under way, and with it the process that makes it.
   */
  readonly check: (graph: ModuleGraph, declarations: string, signal?: AbortSignal) => Promise<readonly Diagnostic[]>
  readonly close: () => Promise<void>
}

const root = '/.legwork'
const maxCheckMs = 10_000
/** Types can be made to grow without end; whatever they are, a check that needs more than this is given up. */
const maxMemoryBytes = 2 * 1_073_741_824
const measureEveryMs = 100
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

const emptyGraph: ModuleGraph = {
  entry: { path: '/script.ts', text: '', parsed: nothingParsed, imports: new Map() },
  files: new Map(),
  faults: [],
  references: [],
}

export function takeChecker(): Checker {
  const checker = ready ?? createChecker()
  ready = undefined
  return checker
}

/** Ends the checker that was started early, if nobody has taken it. */
export async function closeEarlyChecker(): Promise<void> {
  const checker = ready
  ready = undefined
  await checker?.close()
}

function createChecker(): Checker {
  let server: Promise<Server> | undefined = startServer()
  server.catch(() => {})
  let last: Promise<unknown> = Promise.resolve()
  let closed = false

  const check = async (
    graph: ModuleGraph,
    declarations: string,
    signal: AbortSignal,
    isAgain = false,
  ): Promise<readonly Diagnostic[]> => {
    if (closed) throw new Error('The type checker is closed.')
    if (signal.aborted) throw new GivenUp('The type check was stopped.')
    server ??= startServer()
    const current = await server
    try {
      return await current.check(graph, declarations, signal)
    } catch (error) {
      // Whatever went wrong, the next one is new; and one that has died may have died of something else than this script.
      server = undefined
      await current.kill()
      if (closed || error instanceof GivenUp || isAgain) throw error
      return check(graph, declarations, signal, true)
    }
  }
  return {
    check: (graph, declarations, signal = new AbortController().signal) => {
      const checked = last.then(() => check(graph, declarations, signal))
      last = checked.catch(() => {})
      return checked
    },
    close: async () => {
      closed = true
      await (await server?.catch(() => undefined))?.close()
    },
  }
}

interface Server extends Pick<Checker, 'close'> {
  readonly check: (graph: ModuleGraph, declarations: string, signal: AbortSignal) => Promise<readonly Diagnostic[]>
  /** Ends it without asking, which one that is busy would not hear. */
  readonly kill: () => Promise<void>
}

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
  const started = processOf(api)
  const death = started.then(deathOf)
  death.catch(() => {})
  const kill = async () => {
    if (!isStarted(api)) return
    const { child } = await started
    endProcess(child)
    await Promise.race([death.catch(() => {}), patience()])
  }
  return {
    check: (graph, declarations, signal) => {
      const work = check(graph, declarations)
      work.catch(() => {})
      return bounded(Promise.race([work, death]), started, signal)
    },
    kill,
    close: async () => {
      const closing = api.close().catch(() => {})
      await Promise.race([closing, patience()])
      await kill()
    },
  }
}

const patience = () => new Promise<void>((settle) => setTimeout(settle, closingMs).unref())

/** What is not tried again. */
class GivenUp extends Error {}

/** Until it takes too long or too much, or nobody wants it any more. */
async function bounded<T>(work: Promise<T>, started: Promise<Started>, signal: AbortSignal): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>()
  const stop = () => reject(new GivenUp('The type check was stopped.'))
  const timer = setTimeout(() => reject(new GivenUp(`The type check did not end within ${maxCheckMs} ms.`)), maxCheckMs)
  const measuring = setInterval(async () => {
    if (residentBytes((await started).child) <= maxMemoryBytes) return
    reject(new GivenUp(`The types of the script take more than ${maxMemoryBytes / 1_073_741_824} GB to check.`))
  }, measureEveryMs)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  return Promise.race([work, over]).finally(() => {
    clearTimeout(timer)
    clearInterval(measuring)
    signal.removeEventListener('abort', stop)
  })
}

/** What a script finds at run time, the language included, made by `scripts/deno-types.ts`. */
function denoTypes(): Map<string, string> {
  const texts = readFileSync(new URL('./deno-types.txt', import.meta.url), 'utf8').split('\n----\n')
  return new Map(texts.map((text, at) => [`${root}/deno-${at}.d.ts`, text]))
}
