// The host's side of one thread with an isolate in it. A thread that does not end its run when it must is ended itself.

import { randomInt } from 'node:crypto'
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { messageOf, parseJson } from '../base/json.ts'
import type { FromThread, GuestEnd, RunMessage, ThreadData, ToThread } from './isolate-messages.ts'

export interface IsolateRun {
  /** The text of one JavaScript function. */
  readonly source: string
  /** More functions, by name; the surface makes them of their text with `functionOf`. Default none. */
  readonly others?: RunMessage['others']
  /** What the surface is made of: anything that JSON can hold. */
  readonly given: unknown
  /** Ends the run when it fires. */
  readonly signal: AbortSignal
  /** Answers the guest; what it throws is thrown in the guest, as a message and a code. */
  readonly onAsk: (kind: string, value: unknown) => Promise<unknown>
  /** Told of each message as it comes. */
  readonly onLog: (level: 'info' | 'warning' | 'error', values: readonly unknown[]) => void
  /** The most memory, in bytes. Default 64 MB. */
  readonly memoryBytes?: number
  /** The longest text of a value that may leave, as JSON. Default 10 MB. */
  readonly maxTextLength?: number
  /** The longest all messages together may be; more are counted and dropped. Default 1 MB. */
  readonly maxLogLength?: number
  /** What `Math.random` begins with. Default: by chance. */
  readonly seed?: number
  /** The time that the guest's clock shows, in milliseconds. Default: the true time. */
  readonly now?: number
}

const mebibyte = 1_048_576
/** How long a thread may take to notice that its run must end. Some built-in functions never do. */
const graceMs = 15
/** How long it may take to be ready again. */
const restoreMs = 2_000
/** How many questions of one guest are answered at once; the rest wait their turn. */
const maxAnswersAtOnce = 32
/** How long the event loop is kept turning after an answer: the next question mostly comes within it. */
const listeningMs = 0.1

export class IsolateThread {
  readonly #worker: Worker
  readonly #port: MessagePort
  readonly #stop = new SharedArrayBuffer(4)
  readonly #onReady: (thread: IsolateThread) => void
  readonly #onWaiting: () => void
  #run: { readonly options: IsolateRun; readonly settle: (end: GuestEnd) => void } | undefined
  #openAsks = 0
  #backlog: { readonly ask: number; readonly text: string }[] = []
  #restoring: NodeJS.Timeout | undefined
  #wasKilled = false

  /** `onReady` is called whenever it can take a run; `onWaiting` when its run waits for the host; `onGone` once, at its end. */
  constructor(
    data: Pick<ThreadData, 'wasm' | 'surface'>,
    on: { onReady: (thread: IsolateThread) => void; onWaiting: () => void; onGone: (thread: IsolateThread) => void },
  ) {
    const { port1, port2 } = new MessageChannel()
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
    const threadData: ThreadData = { ...data, port: port2, stop: this.#stop }
    this.#onReady = on.onReady
    this.#onWaiting = on.onWaiting
    this.#port = port1
    this.#worker = new Worker(new URL(`./isolate-thread-main.${extension}`, import.meta.url), {
      workerData: threadData,
      transferList: [port2],
      env: {},
      execArgv: [],
      resourceLimits: { stackSizeMb: 8, maxOldGenerationSizeMb: 256 },
    })
    port1.on('message', (message: FromThread) => this.#hear(message))
    this.#worker.on('error', () => {})
    this.#worker.once('exit', () => {
      clearTimeout(this.#restoring)
      this.#settle(broken)
      port1.close()
      on.onGone(this)
    })
  }

  /** Whether its run waits for the host, so that another thread may have the processor. */
  get isWaiting(): boolean {
    return this.#openAsks > 0
  }

  /** Whether it was ended because it would not end its run. */
  get wasKilled(): boolean {
    return this.#wasKilled
  }

  /** Keeps the process alive, or no longer does. */
  hold(isHeld: boolean): void {
    if (isHeld) {
      this.#worker.ref()
      this.#port.ref()
    } else {
      this.#worker.unref()
      this.#port.unref()
    }
  }

  async run(options: IsolateRun): Promise<GuestEnd> {
    const message = this.#messageOf(options)
    Atomics.store(new Int32Array(this.#stop), 0, 0)
    const ended = new Promise<GuestEnd>((settle) => {
      this.#run = { options, settle }
    })
    const { signal } = options
    let grace: NodeJS.Timeout | undefined
    const stop = () => {
      Atomics.store(new Int32Array(this.#stop), 0, 1)
      this.#tell({ type: 'stop' })
      grace = setTimeout(() => this.#kill(), graceMs)
    }
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    this.#tell(message)
    try {
      return await ended
    } finally {
      clearTimeout(grace)
      signal.removeEventListener('abort', stop)
    }
  }

  end(): Promise<unknown> {
    return this.#worker.terminate()
  }

  /** What JSON cannot hold is the caller's fault: the thread is as good as before. */
  #messageOf(options: IsolateRun): RunMessage {
    try {
      return runMessage(options)
    } catch (error) {
      this.#onReady(this)
      throw error
    }
  }

  /** What the guest had said until then is taken in first. */
  #kill(): void {
    for (let next = receiveMessageOnPort(this.#port); next; next = receiveMessageOnPort(this.#port))
      this.#hear(next.message)
    this.#wasKilled = true
    this.#settle({ type: 'stopped', droppedLogs: 0 })
    void this.end()
  }

  #hear(message: FromThread): void {
    switch (message.type) {
      case 'ready':
        clearTimeout(this.#restoring)
        this.#onReady(this)
        break
      case 'log':
        this.#log(message.text)
        break
      case 'ask':
        this.#backlog.push(message)
        this.#answerMore()
        break
      case 'end':
        this.#restoring = setTimeout(() => void this.end(), restoreMs).unref()
        this.#settle(message.end)
        break
      default:
        message satisfies never
    }
  }

  /** Nothing that comes out of a guest is taken to be well-formed. */
  #log(text: string): void {
    const parsed = parseJson(text)
    const [level, values] = parsed.ok && Array.isArray(parsed.value) ? parsed.value : []
    const known = (['info', 'warning', 'error'] as const).find((each) => each === level) ?? 'info'
    if (Array.isArray(values)) this.#run?.options.onLog(known, values)
  }

  #answerMore(): void {
    while (this.#openAsks < maxAnswersAtOnce) {
      const next = this.#backlog.shift()
      if (!next) return
      void this.#answer(next.ask, next.text)
    }
  }

  async #answer(ask: number, text: string): Promise<void> {
    const run = this.#run
    if (!run) return
    this.#openAsks++
    this.#onWaiting()
    const reply = await replyOf(run.options, text)
    if (this.#run !== run) return
    this.#openAsks--
    this.#tell({ type: 'reply', ask, ...reply })
    this.#answerMore()
    keepTurning(performance.now() + listeningMs)
  }

  #settle(end: GuestEnd): void {
    const run = this.#run
    this.#run = undefined
    this.#openAsks = 0
    this.#backlog = []
    run?.settle(end)
  }

  #tell(message: ToThread): void {
    this.#port.postMessage(message)
  }
}

const broken: GuestEnd = {
  type: 'failed',
  fault: { reason: 'crashed', name: 'InternalError', message: 'The sandbox broke down and was replaced.' },
  droppedLogs: 0,
}

function runMessage(options: IsolateRun): RunMessage {
  const { source, others = [], given, memoryBytes = 64 * mebibyte, now, seed = randomInt(0xffffffff) } = options
  const { maxTextLength = 10 * mebibyte, maxLogLength = mebibyte } = options
  const texts = { source, others, given: JSON.stringify(given) }
  return { type: 'run', ...texts, memoryBytes, maxTextLength, maxLogLength, seed, now }
}

/** The host's answer as JSON. What it throws crosses as text alone: no object of the host is reachable from the guest. */
async function replyOf({ onAsk }: IsolateRun, text: string): Promise<{ ok: boolean; text: string }> {
  try {
    const [kind, value] = JSON.parse(text)
    return { ok: true, text: JSON.stringify((await onAsk(kind, value)) ?? null) }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? { code: String(error.code) } : {}
    return { ok: false, text: JSON.stringify({ message: messageOf(error), ...code }) }
  }
}

function keepTurning(untilMs: number): void {
  setImmediate(() => {
    if (performance.now() < untilMs) keepTurning(untilMs)
  })
}
