// The thread of an isolate: takes one run after the other, each in clean memory, and tells the host what the guest says.

import { receiveMessageOnPort, workerData } from 'node:worker_threads'
import { createMachine, type Machine, type SyntaxFault } from './isolate-machine.ts'
import type { FaultReason, FromThread, GuestFault, RunMessage, ThreadData, ToThread } from './isolate-messages.ts'

/** How long an answer is looked for before the thread goes to sleep: waking up takes longer than most answers do. */
const listeningMs = 0.2

const { wasm, port, stop, surface } = workerData as ThreadData
const flag = new Int32Array(stop)
let machine: Machine
let run: (RunMessage & { logLength: number; droppedLogs: number; asked: boolean }) | undefined
/** From the end of a run until its memory is put back. */
let isOver = false

const tell = (message: FromThread) => port.postMessage(message)
const mustStop = () => isOver || (run !== undefined && Atomics.load(flag, 0) !== 0)

const makeMachine = async () => {
  machine = await createMachine({ wasm, surface, send, mustStop, now: () => run?.now ?? Date.now() })
}

port.on('message', receive)
await makeMachine()
tell({ type: 'ready' })

/** After a question the answer is waited for here a little: without a turn of the event loop it comes sooner. */
function receive(message: ToThread): void {
  for (let next: ToThread | undefined = message; next; next = run?.asked ? nextMessage() : undefined) handle(next)
}

function handle(message: ToThread): void {
  if (message.type === 'run') begin(message)
  if (!run || message.type === 'run') return
  run.asked = false
  if (message.type === 'reply') guarded(() => machine.settle(message.ask, message.ok, message.text))
  else stopped()
}

function begin(message: RunMessage): void {
  run = { ...message, logLength: 0, droppedLogs: 0, asked: false }
  guarded(() => {
    const [source, ...others] = [{ name: '', source: message.source }, ...message.others].map(checked)
    if (source === undefined || others.includes(undefined)) return
    const named = message.others.map(({ name }, at) => ({ name, source: others[at] }))
    machine.start({ ...message, source, others: JSON.stringify(named) })
  })
}

/** The source as it can be run; nothing, and the end of the run, when it cannot. */
function checked({ name, source }: { name: string; source: string }): string | undefined {
  const found = checkedSource(source)
  if (found.ok) return found.source
  const what = name ? `The tool "${name}"` : 'The source'
  fail('syntax', { name: 'SyntaxError', message: describe(what, found.fault) })
  return undefined
}

/** Does a part of a run. Whatever comes out of it as an exception ends the run: the guest's own errors never do. */
function guarded(part: () => void): void {
  try {
    part()
    if (mustStop()) stopped()
  } catch (error) {
    const isTrap = error instanceof WebAssembly.RuntimeError || error instanceof RangeError
    const message = isTrap ? 'The sandbox broke down and was replaced.' : 'out of memory'
    if (mustStop()) stopped()
    else fail(isTrap ? 'crashed' : 'memory', { name: 'InternalError', message })
  }
}

/** What the guest says through its one function. */
function send(kind: string, ...texts: string[]): void {
  if (!run) return
  const { maxTextLength, maxLogLength, droppedLogs } = run
  const [first = '', second = ''] = texts
  const length = Math.max(first.length, second.length)
  if (kind === 'log') log(first)
  else if (kind === 'fail') failAs(texts.map((text) => text.slice(0, maxLogLength)))
  else if (length > maxTextLength) fail('too-large', tooLarge(kind, length, maxTextLength))
  else if (kind === 'done') finish({ type: 'returned', text: first, droppedLogs })
  else {
    run.asked = true
    tell({ type: 'ask', ask: Number(first), text: second })
  }
}

/** Told at once, so that none is lost when the thread has to be ended. */
function log(text: string): void {
  if (!run) return
  run.logLength += text.length
  if (run.logLength > run.maxLogLength) run.droppedLogs++
  else tell({ type: 'log', text })
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

type Checked = { readonly ok: true; readonly source: string } | { readonly ok: false; readonly fault: SyntaxFault }

/** The source as it is, or without what may stand behind a function: a semicolon, a comment, blanks. */
function checkedSource(source: string): Checked {
  const fault = machine.syntaxFault(source)
  if (!fault) return { ok: true, source }
  let rest = source
  for (let tries = 0; tries < 6; tries++) {
    const shorter = withoutTail(rest)
    if (shorter === rest || shorter === '') break
    rest = shorter
    if (!machine.syntaxFault(rest)) return { ok: true, source: rest }
  }
  return { ok: false, fault }
}

function withoutTail(source: string): string {
  const text = source.trimEnd()
  if (text.endsWith(';')) return text.slice(0, -1)
  if (text.endsWith('*/')) return text.slice(0, text.lastIndexOf('/*'))
  const comment = text.lastIndexOf('//')
  return comment > text.lastIndexOf('\n') ? text.slice(0, comment) : text
}

function describe(what: string, { message, stack }: SyntaxFault): string {
  const [, line, column] = /script:(\d+):(\d+)/.exec(stack) ?? []
  const where = line ? ` (line ${line}, column ${line === '1' ? Number(column) - 10 : column})` : ''
  return `${what} is not one JavaScript function: ${message}${where}.`
}

function tooLarge(kind: string, length: number, most: number): { name: string; message: string } {
  const what = kind === 'done' ? 'The returned value' : 'The input of a call'
  return { name: 'RangeError', message: `${what} has ${length} characters as JSON; at most ${most} are taken.` }
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
