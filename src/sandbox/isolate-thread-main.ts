// The thread of an isolate: takes one run after the other, each in clean memory, and tells the host what the guest says.

import { receiveMessageOnPort, workerData } from 'node:worker_threads'
import { maxJsonDepth } from '../base/json.ts'
import { createMachine, type Machine } from './isolate-machine.ts'
import type {
  FaultReason,
  FromThread,
  GuestFault,
  ReplyMessage,
  RunMessage,
  ThreadData,
  ToThread,
} from './isolate-messages.ts'
import { shapeOf } from './isolate-shape.ts'
import { Shared } from './isolate-shared.ts'
import { checkSource } from './isolate-source.ts'

/** How long an answer is looked for before the thread goes to sleep: waking up takes longer than most answers do. */
const listeningMs = 0.2

/** All that is asked and not answered yet waits in the memory of the host. */
const maxOpenLength = 32 * 1_048_576
/** The report that a value stands in may be one level more. */
const maxDepth = maxJsonDepth - 1
/** A message is shown, not computed with; a report may stand in another, and so on. */
const maxLogDepth = 64

const { wasm, port, surface, ...data } = workerData as ThreadData
const shared = new Shared(data.shared)
let machine: Machine
let run: CurrentRun | undefined
/** From the end of a run until its memory is put back. */
let isOver = false

interface CurrentRun extends RunMessage {
  logLength: number
  droppedLogs: number
  asked: boolean
  /** The length of each question that is open. */
  readonly open: Map<number, number>
  openLength: number
  /** Questions that go no further; the guest hears of it when it is done for now. */
  readonly refused: number[]
}

const tell = (message: FromThread) => port.postMessage(message)
const mustStop = () => isOver || (run !== undefined && shared.isStopped)

const makeMachine = async () => {
  machine = await createMachine({ wasm, surface, send, mustStop, now: () => run?.now ?? Date.now() })
}

port.on('message', receive)
await makeMachine()
tell({ type: 'ready' })

/** After a question the answer is waited for here a little: without a turn of the event loop it comes sooner. */
function receive(message: ToThread): void {
  for (let next: ToThread | undefined = message; next; next = run?.asked ? nextMessage() : undefined) {
    handle(next)
    refuse()
  }
}

/** A guest that asks again at once is heard again after whatever else there is to hear. */
function refuse(): void {
  const current = run
  for (const ask of current?.refused.splice(0) ?? []) if (run === current) settle(ask, false, tooMuchOpen)
  if (run?.refused.length) setImmediate(refuse)
}

function handle(message: ToThread): void {
  if (message.type === 'run') begin(message)
  if (!run || message.type === 'run') return
  run.asked = false
  if (message.type === 'stop') stopped()
  else take(run, message)
}

function take(current: CurrentRun, { ask: number, ok, text }: ReplyMessage): void {
  shared.take(text.length)
  current.openLength -= current.open.get(number) ?? 0
  current.open.delete(number)
  settle(number, ok, text)
}

function settle(ask: number, ok: boolean, text: string): void {
  guarded(() => machine.settle(ask, ok, text))
}

function begin(message: RunMessage): void {
  run = { ...message, logLength: 0, droppedLogs: 0, asked: false, open: new Map(), openLength: 0, refused: [] }
  guarded(() => {
    const [source, ...others] = [{ name: '', source: message.source }, ...message.others].map(checked)
    if (source === undefined || others.includes(undefined)) return
    const named = message.others.map(({ name }, at) => ({ name, source: others[at] }))
    machine.start({ ...message, source, others: JSON.stringify(named) })
  })
}

/** The source as it can be run; nothing, and the end of the run, when it cannot. */
function checked({ name, source }: { name: string; source: string }): string | undefined {
  const found = checkSource(machine, source)
  if (found.ok) return found.source
  const what = name ? `The tool "${name}"` : 'The source'
  fail('syntax', { name: 'SyntaxError', message: `${what} is not one JavaScript function: ${found.why}` })
  return undefined
}

/** Does a part of a run. Whatever comes out of it as an exception ends the run: the guest's own errors never do. */
function guarded(part: () => void): void {
  shared.enter()
  try {
    part()
    if (mustStop()) stopped()
  } catch (error) {
    const isTrap = error instanceof WebAssembly.RuntimeError || error instanceof RangeError
    const message = isTrap ? 'The sandbox broke down and was replaced.' : 'out of memory'
    if (mustStop()) stopped()
    else fail(isTrap ? 'crashed' : 'memory', { name: 'InternalError', message })
  } finally {
    shared.leave()
  }
}

/** What the guest says through its one function. */
function send(kind: string, ...texts: string[]): void {
  if (!run) return
  const [first = '', second = ''] = texts
  const { maxLogLength, droppedLogs } = run
  const fault = kind === 'done' ? sizeFault(first, run) : kind === 'ask' ? sizeFault(second, run) : undefined
  if (kind === 'log') log(first)
  else if (kind === 'fail') failAs(texts.map((text) => text.slice(0, maxLogLength)))
  else if (fault) fail('too-large', { name: 'RangeError', message: `${nameOf(kind)} ${fault}` })
  else if (kind === 'done') finish({ type: 'returned', text: first, droppedLogs })
  else ask(run, Number(first), second)
}

/** The value is of no use to the host when it takes too long to read, or is too deep to be walked over. */
function sizeFault(text: string, { maxTextLength, maxValues }: RunMessage): string | undefined {
  if (text.length > maxTextLength) return `has ${text.length} characters as JSON; at most ${maxTextLength} are taken.`
  const { depth, values } = shapeOf(text)
  if (values > maxValues) return `has ${values} parts; at most ${maxValues} are taken.`
  return depth > maxDepth ? `is nested ${depth} levels deep; at most ${maxDepth} are taken.` : undefined
}

const nameOf = (kind: string) => (kind === 'done' ? 'The returned value' : 'The input of a call')

function ask(current: CurrentRun, number: number, text: string): void {
  if (current.openLength + text.length > maxOpenLength) {
    current.refused.push(number)
    return
  }
  current.asked = true
  current.open.set(number, text.length)
  current.openLength += text.length
  tell({ type: 'ask', ask: number, text })
}

const tooMuchOpen = JSON.stringify({
  message: 'The calls that are open have more than 32 MB of input together. Wait for some of them.',
  code: 'too-large',
})

/** Told at once, so that none is lost when the thread has to be ended. */
function log(text: string): void {
  if (!run) return
  run.logLength += text.length
  if (run.logLength > run.maxLogLength) run.droppedLogs++
  else tell({ type: 'log', text: shapeOf(text).depth > maxLogDepth ? flattened(text) : text })
}

/** The values of a message as one text. */
function flattened(message: string): string {
  const [level = 'info'] = /\w+/.exec(message) ?? []
  return JSON.stringify([level, [message.slice(`["${level}",`.length, -1)]])
}

function failAs([reason = '', name = '', message = '', stack = '']: readonly string[]): void {
  // Where there is no memory left for an error, the engine throws null.
  if (message === 'null' && machine.isFull()) fail('memory', { name: 'InternalError', message: 'out of memory' })
  else fail(reason as FaultReason, { name, message, ...(stack && { stack }) })
}

function stopped(): void {
  if (run) finish({ type: 'stopped', droppedLogs: run.droppedLogs })
}

function fail(reason: FaultReason, fault: Omit<GuestFault, 'reason'>): void {
  if (run) finish({ type: 'failed', fault: { reason, ...fault }, droppedLogs: run.droppedLogs })
}

/** The first end counts. The memory is put back after it was told. */
function finish(end: Extract<FromThread, { type: 'end' }>['end']): void {
  run = undefined
  isOver = true
  tell({ type: 'end', end })
  const isWhole = !(end.type === 'failed' && end.fault.reason === 'crashed')
  // The guest may still be on the stack: it is interrupted, nothing it says is heard, and its memory is put back below it.
  setImmediate(() => void restore(isWhole))
}

async function restore(isWhole: boolean): Promise<void> {
  const isReset = isWhole && machine.reset()
  isOver = false
  if (!isReset) await makeMachine()
  tell({ type: 'ready' })
}

/** Looks for a message for a moment. */
function nextMessage(): ToThread | undefined {
  const until = performance.now() + listeningMs
  do {
    const received = receiveMessageOnPort(port)
    if (received) return received.message as ToThread
  } while (performance.now() < until)
  return undefined
}
