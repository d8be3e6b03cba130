// The host's side of one thread with an isolate in it. A thread that does not end its run when it must is ended itself.

import { randomInt } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { messageOf, parseJson } from '../base/json.ts'
import type { FromThread, GuestEnd, RunMessage, ThreadData, ToThread } from './isolate-messages.ts'
import { Shared } from './isolate-shared.ts'

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
  /** The longest the guest may compute, in milliseconds; waiting for the host does not count. Default: until the signal fires. */
  readonly maxBusyMs?: number
  /** The longest text of a value that may leave or come in as an answer, as JSON. Default 10 MB. */
  readonly maxTextLength?: number
  /** How many values, lists and objects included, a value that leaves may consist of. Default 250,000. */
  readonly maxValues?: number
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
/** How much of the answers a guest may leave lying in the host's memory. */
const maxUnreadLength = 32 * mebibyte
/** A question that is longer has a turn of the event loop to itself. */
const longText = 65_536
/** How long the event loop is kept turning after an answer: the next question mostly comes within it. */
const listeningMs = 0.1

export class IsolateThread {
  readonly #worker: Worker
  readonly #port: MessagePort
  readonly #shared = new Shared()
  readonly #onReady: (thread: IsolateThread) => void
  readonly #onWaiting: () => void
  #run: { readonly options: IsolateRun; readonly settle: (end: GuestEnd) => void } | undefined
  #openAsks = 0
  #sentLength = 0
  #backlog: { readonly ask: number; readonly text: string }[] = []
  #restoring: NodeJS.Timeout | undefined
  #wasKilled = false
  #isEnding = false

  /** `onReady` is called whenever it can take a run; `onWaiting` when its run waits for the host; `onGone` once, at its end. */
  constructor(
    data: Pick<ThreadData, 'wasm' | 'surface'>,
    on: { onReady: (thread: IsolateThread) => void; onWaiting: () => void; onGone: (thread: IsolateThread) => void },
  ) {
    const { port1, port2 } = new MessageChannel()
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
    const threadData: ThreadData = { ...data, port: port2, shared: this.#shared.buffer }
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
    this.#shared.clear()
    this.#sentLength = 0
    const ended = new Promise<GuestEnd>((settle) => {
      this.#run = { options, settle }
    })
    const { signal, maxBusyMs } = options
    let grace: NodeJS.Timeout | undefined
    const stop = () => {
      this.#shared.stop()
      this.#tell({ type: 'stop' })
      grace ??= setTimeout(() => this.#kill(), graceMs)
    }
    const watch = maxBusyMs === undefined ? undefined : this.#watch(maxBusyMs, stop)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    this.#tell(message)
    try {
      const end = await ended
      return end.type === 'stopped' && watch?.isSpent() ? { ...end, isSpent: true } : end
    } finally {
      clearTimeout(grace)
      watch?.end()
      signal.removeEventListener('abort', stop)
    }
  }

  /** Whoever gives the signal may stop its clock, such as for a person's answer; a guest that computes meanwhile is stopped here. */
  #watch(maxBusyMs: number, stop: () => void): { isSpent: () => boolean; end: () => void } {
    let isSpent = false
    const look = () => {
      const leftMs = maxBusyMs - this.#shared.busyMs()
      isSpent = leftMs <= 0
      if (isSpent) stop()
      else timer = setTimeout(look, Math.max(leftMs, 5))
    }
    let timer = setTimeout(look, maxBusyMs)
    return { isSpent: () => isSpent, end: () => clearTimeout(timer) }
  }

  end(): Promise<unknown> {
    this.#isEnding = true
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

  /** What the guest had said until then is taken in first; it may have ended just in time. */
  #kill(): void {
    for (let next = receiveMessageOnPort(this.#port); next; next = receiveMessageOnPort(this.#port))
      this.#hear(next.message)
    if (!this.#run) return
    this.#wasKilled = true
    this.#settle({ type: 'stopped', droppedLogs: 0 })
    void this.end()
  }

  #hear(message: FromThread): void {
    switch (message.type) {
      case 'ready':
        clearTimeout(this.#restoring)
        // A thread that is being ended may still have said so.
        if (!this.#isEnding) this.#onReady(this)
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
    if (text.length > longText) await ownTurn()
    const reply = this.#run === run ? await replyOf(run.options, text) : undefined
    if (!reply || this.#run !== run) return
    this.#openAsks--
    this.#reply(ask, reply)
    this.#answerMore()
    keepTurning(performance.now() + listeningMs)
  }

  /** A guest that never reads its answers does not fill the host's memory with them. */
  #reply(ask: number, reply: Reply): void {
    const unread = this.#sentLength - this.#shared.taken()
    const { ok, text } = unread + reply.text.length > maxUnreadLength ? tooMuchUnread : reply
    this.#sentLength += text.length
    this.#tell({ type: 'reply', ask, ok, text })
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
  const { maxTextLength = defaultTextLength, maxValues = 250_000, maxLogLength = mebibyte } = options
  const texts = { source, others, given: JSON.stringify(given) }
  return { type: 'run', ...texts, memoryBytes, maxTextLength, maxValues, maxLogLength, seed, now }
}

const defaultTextLength = 10 * mebibyte

interface Reply {
  readonly ok: boolean
  readonly text: string
}

const tooMuchUnread = failure('More than 32 MB of answers wait for the script. Wait for each call.', 'too-large')

/** The host's answer as JSON. What it throws crosses as text alone: no object of the host is reachable from the guest. */
async function replyOf({ onAsk, maxTextLength = defaultTextLength }: IsolateRun, asked: string): Promise<Reply> {
  try {
    const [kind, value] = JSON.parse(asked)
    const text = JSON.stringify((await onAsk(kind, value)) ?? null) ?? 'null'
    if (text.length <= maxTextLength) return { ok: true, text }
    return failure(`The answer has ${text.length} characters as JSON; at most ${maxTextLength} are taken.`, 'too-large')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
    return failure(messageOf(error).slice(0, maxErrorLength), code?.slice(0, maxErrorLength))
  }
}

const maxErrorLength = 65_536

function failure(message: string, code?: string): Reply {
  return { ok: false, text: JSON.stringify({ message, code }) }
}

let lastTurn = Promise.resolve()

/** A turn of the event loop for each that asks for one. */
function ownTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => turn())
  return lastTurn
}

function keepTurning(untilMs: number): void {
  setImmediate(() => {
    if (performance.now() < untilMs) keepTurning(untilMs)
  })
}
