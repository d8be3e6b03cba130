// All tools of all sources, found by any of their spellings in constant time.

import { type Clock, systemClock } from '../base/clock.ts'
import { messageOf } from '../base/json.ts'
import { nearest } from '../base/text.ts'
import { within } from '../base/within.ts'
import { LegworkError } from '../model/errors.ts'
import type { Loaded, Source, Tool } from '../model/tool.ts'
import { moduleOf } from './modules.ts'
import { NameIndex } from './name-index.ts'
import { createSearch, type Search } from './search.ts'

interface Shelf {
  readonly source: Source
  tools: readonly Tool[]
  warnings: readonly string[]
  /** What its source gave last. */
  loaded?: Loaded
  /** The names of the sources that it led to. */
  children: readonly string[]
  /** Set while it loads. */
  loading?: Promise<void>
  /** Whether a lazy source is still to be asked. */
  isPending: boolean
  /** How often in a row a lazy source has failed, and from when on it may be asked again. */
  failures: number
  retryAt: number
  /** Whether it has said that its tools may have changed, and has not been asked since. */
  isStale: boolean
}

/** A source that fails is left alone for a second, then for twice as long each time. */
const shortestPauseMs = 1_000
const longestPauseMs = 60_000
/** How long a call waits for a source that is asked again. */
const patienceMs = 5_000
/** So many faults are told of one name. */
const mostUnread = 3

export interface CatalogueStatus {
  readonly source: string
  readonly tools: number
  readonly warnings: readonly string[]
}

export class Catalogue {
  readonly #shelves = new Map<string, Shelf>()
  readonly #names = new NameIndex()
  readonly #listeners = new Set<() => void>()
  /** The sources that are being asked again because they have said that their tools changed. */
  readonly #reloading = new Map<string, Promise<unknown>>()
  readonly #clock: Pick<Clock, 'elapsed'>
  #pending = 0
  #version = 0
  #search: Promise<Search> | undefined

  constructor(clock: Pick<Clock, 'elapsed'> = systemClock) {
    this.#clock = clock
  }

  /** Adds a source and its tools. A lazy source is loaded when a name is not found or a list is asked for. */
  async add(source: Source): Promise<void> {
    if (this.#shelves.has(source.name)) {
      throw new LegworkError(
        'duplicate-source',
        `There is already a source "${source.name}". Give this one another name.`,
      )
    }
    const shelf: Shelf = {
      source,
      tools: [],
      warnings: source.warnings ?? [],
      children: [],
      isPending: source.lazy === true,
      failures: 0,
      retryAt: Number.NEGATIVE_INFINITY,
      isStale: false,
    }
    this.#shelves.set(source.name, shelf)
    source.watch?.(() => this.#changed(shelf))
    if (shelf.isPending) this.#pending++
    else await this.#fill(shelf)
  }

  /** Asks a source for its tools again. Its old ones stay until the new ones are there. */
  async refresh(name: string): Promise<void> {
    const shelf = this.#shelf(name)
    await this.#fill(shelf)
    this.#settled(shelf)
  }

  async remove(name: string): Promise<void> {
    const shelf = this.#shelf(name)
    this.#settled(shelf)
    this.#shelves.delete(name)
    this.#place(shelf, { tools: [] })
    await this.#removeAll(shelf.children)
    await shelf.source.close?.()
  }

  /**
   * The tool of that spelling, or of a title that is nearly the same. A promise only while lazy sources are still to be asked, or
   * while the tool's own source has said that its tools changed.
   */
  resolve(spelling: string): Tool | undefined | Promise<Tool | undefined> {
    const tool = this.#names.get(spelling)
    if (tool) {
      const reloading = this.#reloading.size ? this.#reloading.get(tool.source) : undefined
      return reloading ? reloading.then(() => this.#find(spelling)) : tool
    }
    return this.#pending === 0 ? this.#find(spelling) : this.#loadPending(spelling).then(() => this.#find(spelling))
  }

  /** Every tool, by source in the order they were added. */
  async list(): Promise<readonly Tool[]> {
    if (this.#pending) await this.#loadPending()
    return this.listLoaded()
  }

  /** The tools that are known, once the lazy sources that may have one of these modules were asked. */
  async listFor(modules: readonly string[]): Promise<readonly Tool[]> {
    if (this.#pending) for (const module of modules) await this.#loadPending(`${module}.`)
    return this.listLoaded()
  }

  /** Another number whenever the tools have changed. */
  get version(): number {
    return this.#version
  }

  /** The tools of the sources that have been asked so far. */
  listLoaded(): readonly Tool[] {
    return [...this.#shelves.values()].flatMap((shelf) => shelf.tools)
  }

  /** Whether there are lazy sources that have not been asked yet. */
  hasUnasked(): boolean {
    return this.#pending > 0
  }

  /** The ids that are most like a name that was not found. */
  nearest(spelling: string, most = 3): string[] {
    const titled = this.#names.near(spelling).flatMap(({ tool }) => tool?.id ?? [])
    if (titled.length) return titled.slice(0, most)
    const ids = [...this.#shelves.values()].flatMap((shelf) => shelf.tools.map((tool) => tool.id))
    return nearest(spelling.replace(/^tools\./, ''), ids, most)
  }

  /** The tools that fit some words, best first. */
  async search(words: string, most = 20): Promise<readonly Tool[]> {
    await this.list()
    this.#search ??= createSearch(this.listLoaded())
    return (await this.#search)(words, most)
  }

  /** What each source gave, and what was wrong with it. */
  status(): readonly CatalogueStatus[] {
    return [...this.#shelves.values()].map(({ source, tools, warnings }) => {
      return { source: source.name, tools: tools.length, warnings }
    })
  }

  /** Why a tool of that spelling may be missing: what the sources say that should have it and could not be read. */
  faultsOf(spelling: string): readonly string[] {
    const known = [...this.#shelves.values()].flatMap(({ loaded }) => loaded?.faults?.get(spelling) ?? [])
    if (known.length) return known
    const broken = this.#names.near(spelling).flatMap((titled) => ('fault' in titled ? titled.fault : []))
    return broken.length ? broken : [...this.#failuresOf(spelling), ...this.#unreadFor(spelling)]
  }

  /** What the sources could not read that would have the spelling. */
  #unreadFor(spelling: string): readonly string[] {
    return [...this.#shelves.values()].flatMap(({ loaded }) => loaded?.unread?.(spelling) ?? []).slice(0, mostUnread)
  }

  /** What the sources say that may have the spelling and could not be asked. */
  #failuresOf(spelling: string): readonly string[] {
    const failed = [...this.#shelves.values()].filter(({ source, failures }) => failures > 0 && source.mayHave)
    return failed.filter(({ source }) => source.mayHave?.(spelling)).flatMap(({ warnings }) => warnings)
  }

  /** Calls the listener whenever the tools change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    const shelves = [...this.#shelves.values()]
    this.#shelves.clear()
    this.#names.clear()
    this.#pending = 0
    await Promise.allSettled(shelves.map(({ source }) => source.close?.()))
  }

  #find(spelling: string): Tool | undefined {
    const tool = this.#names.get(spelling)
    if (tool) return tool
    const [titled, another] = this.#names.near(spelling)
    // A name that belongs to a source which could not be asked is that source's.
    return another || !titled?.tool || this.#failuresOf(spelling).length ? undefined : titled.tool
  }

  /** Asks every lazy source that may have the spelling, and then those that they lead to; without a spelling, all. */
  async #loadPending(spelling?: string): Promise<void> {
    const isWanted = ({ source, isPending, retryAt }: Shelf) =>
      isPending && retryAt <= this.#clock.elapsed() && (spelling === undefined || source.mayHave?.(spelling) !== false)
    for (;;) {
      const wanted = [...this.#shelves.values()].filter(isWanted)
      if (wanted.length === 0) return
      await Promise.all(wanted.map((shelf) => shelf.loading ?? this.#fillLazily(shelf)))
    }
  }

  /** A lazy source that fails does not stop the rest: it has no tools, says why, and is asked again some time later. */
  #fillLazily(shelf: Shelf): Promise<void> {
    shelf.loading = this.#fill(shelf)
      .then(() => this.#settled(shelf))
      .catch((error: unknown) => {
        const pauseMs = Math.min(longestPauseMs, shortestPauseMs * 2 ** shelf.failures)
        shelf.failures++
        shelf.retryAt = this.#clock.elapsed() + pauseMs
        this.#failed(shelf, error)
      })
      .finally(() => delete shelf.loading)
    return shelf.loading
  }

  /** What is called meanwhile waits for the answer, though not for ever. */
  #changed(shelf: Shelf): void {
    const { name } = shelf.source
    if (shelf.isStale) return
    const reloading = within(patienceMs, this.#reload(shelf)).finally(() => {
      if (this.#reloading.get(name) === reloading) this.#reloading.delete(name)
    })
    this.#reloading.set(name, reloading)
  }

  /** Asks a source again that has said that its tools changed, once however often it says so. Its old ones stay if that fails. */
  async #reload(shelf: Shelf): Promise<void> {
    shelf.isStale = true
    // What it says while it is being asked may be too late for that answer.
    await Promise.resolve()
    await shelf.loading
    shelf.isStale = false
    // One that has not been asked will be.
    if (shelf.isPending || this.#shelves.get(shelf.source.name) !== shelf) return
    shelf.loading = this.#fill(shelf)
      .catch((error: unknown) => this.#failed(shelf, error))
      .finally(() => delete shelf.loading)
    await shelf.loading
  }

  #failed(shelf: Shelf, error: unknown): void {
    shelf.warnings = [`${shelf.source.name}: ${messageOf(error)}`]
  }

  #settled(shelf: Shelf): void {
    if (shelf.isPending) this.#pending--
    shelf.isPending = false
    shelf.failures = 0
  }

  async #fill(shelf: Shelf): Promise<void> {
    const loaded = await shelf.source.load()
    if (this.#shelves.get(shelf.source.name) !== shelf) return
    this.#place(shelf, loaded)
    await this.#removeAll(shelf.children)
    const sources = loaded.sources ?? []
    for (const source of sources) await this.add(source)
    shelf.children = sources.map(({ name }) => name)
  }

  async #removeAll(names: readonly string[]): Promise<void> {
    for (const name of names) if (this.#shelves.has(name)) await this.remove(name)
  }

  /** Exchanges a shelf's tools in one go, so that no caller sees half of them. */
  #place(shelf: Shelf, loaded: Loaded): void {
    const { tools, loaded: before } = shelf
    this.#names.remove(tools, before?.brokenTitles)
    try {
      Object.assign(shelf, this.#names.add(shelf.source.name, loaded))
    } catch (error) {
      this.#names.restore(tools, before?.brokenTitles)
      throw error
    }
    shelf.loaded = loaded
    this.#renameSkills(shelf)
    this.#search = undefined
    this.#version++
    for (const listener of this.#listeners) listener()
  }

  /** A skill that was there first gives way to a program or a server that bears its name. */
  #renameSkills({ tools }: Shelf): void {
    const taken = new Set(tools.filter(({ kind }) => kind !== 'skill').map(({ name }) => moduleOf(name)))
    if (taken.size === 0) return
    const gives = (tool: Tool) => tool.kind === 'skill' && taken.has(moduleOf(tool.name))
    for (const shelf of [...this.#shelves.values()]) {
      if (shelf.loaded && shelf.tools.some(gives)) this.#place(shelf, shelf.loaded)
    }
  }

  #shelf(name: string): Shelf {
    const shelf = this.#shelves.get(name)
    if (!shelf) throw new LegworkError('unknown-source', `There is no source "${name}".`)
    return shelf
  }
}
