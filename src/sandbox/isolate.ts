// Untrusted JavaScript functions in a sandbox that cannot hang, grow or be left: an engine compiled to WebAssembly, in threads
// of this process, in clean memory for every run. The host's event loop is never blocked by a guest.
// It offers no time-outs of its own: whoever runs something gives a signal.

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { messageOf } from '../base/json.ts'
import type { GuestEnd } from './isolate-messages.ts'
import { type IsolateRun, IsolateThread } from './isolate-thread.ts'

export type { GuestEnd } from './isolate-messages.ts'
export type { IsolateRun } from './isolate-thread.ts'

export interface IsolatesOptions {
  /**
   * Source text of a function `(host, given, others) => [arguments]`: what the guest's function is called with. `host` has
   * `ask(kind, value)`, `log(level, values)`, `functionOf(source, what)` and `copy(value)`.
   */
  readonly surface: string
  /** How many guests compute at once. Default: as many as there are processors, at most 4. */
  readonly threads?: number
}

/** A place in a thread, good for one run. */
export interface Place {
  readonly run: (run: IsolateRun) => Promise<GuestEnd>
}

interface Waiter {
  readonly resolve: (thread: IsolateThread | undefined) => void
  readonly reject: (error: Error) => void
}

/** Guests that wait for the host hold a thread each, and do not count as computing. */
const maxThreads = 24
const idleMs = 10_000

export class Isolates {
  readonly #surface: string
  readonly #threads: number
  readonly #all = new Set<IsolateThread>()
  readonly #idle: IsolateThread[] = []
  readonly #starting = new Set<IsolateThread>()
  readonly #queue: Waiter[] = []
  #wasm: Promise<WebAssembly.Module> | undefined
  #letGo: NodeJS.Timeout | undefined

  constructor({ surface, threads = Math.min(4, availableParallelism()) }: IsolatesOptions) {
    this.#surface = surface
    this.#threads = threads
  }

  /** A place, if there is one right now. */
  enterNow(): Place | undefined {
    return placeIn(this.#idle.pop())
  }

  /** Waits for a place; nothing when the signal fires before there is one. */
  async enter(signal: AbortSignal): Promise<Place | undefined> {
    return this.enterNow() ?? placeIn(await this.#wait(signal))
  }

  /** Ends every thread. */
  async close(): Promise<void> {
    clearTimeout(this.#letGo)
    await Promise.all([...this.#all].map((thread) => thread.end()))
  }

  async #wait(signal: AbortSignal): Promise<IsolateThread | undefined> {
    if (signal.aborted) return undefined
    const { promise, ...waiter } = Promise.withResolvers<IsolateThread | undefined>()
    const giveUp = () => {
      const at = this.#queue.indexOf(waiter)
      if (at >= 0) this.#queue.splice(at, 1)
      waiter.resolve(undefined)
    }
    this.#queue.push(waiter)
    signal.addEventListener('abort', giveUp, { once: true })
    this.#startMore()
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }

  #startMore(): void {
    this.#wasm ??= compileEngine()
    this.#wasm.then(
      (wasm) => this.#startThreads(wasm),
      (error: unknown) => this.#refuse(`The sandbox cannot be loaded: ${messageOf(error)}`),
    )
  }

  /** A thread for each that waits, as long as few enough are computing. */
  #startThreads(wasm: WebAssembly.Module): void {
    const computing = () => [...this.#all].filter((thread) => !thread.isWaiting).length
    while (this.#starting.size < this.#queue.length && this.#all.size < maxThreads && computing() < this.#threads) {
      this.#startThread(wasm)
    }
  }

  #startThread(wasm: WebAssembly.Module): IsolateThread {
    const thread = new IsolateThread(
      { wasm, surface: this.#surface },
      {
        onReady: (ready) => this.#take(ready),
        onWaiting: () => {
          if (this.#queue.length) this.#startMore()
        },
        onGone: (gone) => this.#forget(gone),
      },
    )
    this.#all.add(thread)
    this.#starting.add(thread)
    return thread
  }

  #refuse(message: string): void {
    this.#wasm = undefined
    for (const { reject } of this.#queue.splice(0)) reject(new Error(message))
  }

  /** A thread that is ready goes to whoever waits, or is kept for a while. */
  #take(thread: IsolateThread): void {
    this.#starting.delete(thread)
    const next = this.#queue.shift()
    if (next) next.resolve(thread)
    else this.#keep(thread)
  }

  #keep(thread: IsolateThread): void {
    thread.hold(false)
    this.#idle.push(thread)
    if (this.#idle.length > this.#threads) void this.#idle.shift()?.end()
    this.#letGo ??= setTimeout(() => this.#endIdle(), idleMs).unref()
    this.#letGo.refresh()
  }

  /** One that had to be ended is replaced at once, so that the next run need not wait for it. */
  #forget(thread: IsolateThread): void {
    this.#all.delete(thread)
    if (this.#starting.delete(thread)) this.#refuse('A thread of the sandbox could not be started.')
    const at = this.#idle.indexOf(thread)
    if (at >= 0) this.#idle.splice(at, 1)
    if (this.#queue.length) this.#startMore()
    else if (thread.wasKilled)
      void this.#wasm?.then(
        (wasm) => this.#startSpare(wasm),
        () => {},
      )
  }

  #startSpare(wasm: WebAssembly.Module): void {
    if (this.#all.size < this.#threads && this.#starting.size === 0) this.#startThread(wasm).hold(false)
  }

  #endIdle(): void {
    for (const thread of this.#idle.splice(0)) void thread.end()
  }
}

function placeIn(thread: IsolateThread | undefined): Place | undefined {
  thread?.hold(true)
  return thread && { run: (run) => thread.run(run) }
}

async function compileEngine(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm')))
}
