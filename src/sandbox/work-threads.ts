// Work that takes long and needs nothing of the host, done in threads so that the event loop goes on. A thread whose work is
// no longer wanted is ended in the midst of it. Texts cross, and nothing else.

import { Worker } from 'node:worker_threads'

export interface WorkData {
  /** A module that exports `work(name, text)`, which gives a text. */
  readonly module: string
}

/** From the thread: what the work gave, or what it threw. */
export type Worked =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string; readonly code: string }

const idleMs = 10_000

export class WorkThreads {
  readonly #data: WorkData
  readonly #threads: number
  readonly #idle: Worker[] = []
  readonly #queue: (() => void)[] = []
  #working = 0
  #letGo: NodeJS.Timeout | undefined

  constructor(data: WorkData, threads = 2) {
    this.#data = data
    this.#threads = threads
  }

  /** Undefined when the signal fires first. */
  async run(name: string, text: string, signal: AbortSignal): Promise<Worked | undefined> {
    if (!(await this.#turn(signal))) return undefined
    const worker = this.#idle.pop() ?? this.#start()
    const worked = await this.#work(worker, { name, text }, signal)
    if (worked) this.#keep(worker)
    else await worker.terminate()
    this.#working--
    this.#queue.shift()?.()
    return worked && (worked === 'broken' ? brokenDown : worked)
  }

  /** Waits until few enough are working; false when the signal fires before that. */
  async #turn(signal: AbortSignal): Promise<boolean> {
    while (this.#working >= this.#threads && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#queue.push(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
      await promise
      const at = this.#queue.indexOf(resolve)
      if (at >= 0) this.#queue.splice(at, 1)
    }
    if (signal.aborted) {
      this.#queue.shift()?.()
      return false
    }
    this.#working++
    return true
  }

  #work(worker: Worker, job: object, signal: AbortSignal): Promise<Worked | 'broken' | undefined> {
    const { promise, resolve } = Promise.withResolvers<Worked | 'broken' | undefined>()
    const stop = () => resolve(undefined)
    const broken = () => resolve('broken')
    worker.ref()
    worker.once('message', resolve)
    worker.once('exit', broken)
    signal.addEventListener('abort', stop, { once: true })
    worker.postMessage(job)
    return promise.finally(() => {
      worker.off('message', resolve)
      worker.off('exit', broken)
      signal.removeEventListener('abort', stop)
    })
  }

  #start(): Worker {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
    const worker = new Worker(new URL(`./work-threads-main.${extension}`, import.meta.url), {
      workerData: this.#data,
      env: {},
      execArgv: [],
      resourceLimits: { stackSizeMb: 8, maxOldGenerationSizeMb: 512 },
    })
    // What breaks it ends it; whoever waits for it hears of that.
    worker.on('error', () => {})
    worker.once('exit', () => {
      const at = this.#idle.indexOf(worker)
      if (at >= 0) this.#idle.splice(at, 1)
    })
    return worker
  }

  #keep(worker: Worker): void {
    worker.unref()
    if (worker.threadId > 0) this.#idle.push(worker)
    this.#letGo ??= setTimeout(() => this.#endIdle(), idleMs).unref()
    this.#letGo.refresh()
  }

  #endIdle(): void {
    for (const worker of this.#idle.splice(0)) void worker.terminate()
  }
}

const brokenDown: Worked = { ok: false, code: 'too-large', message: 'It takes more memory than there is for it.' }
