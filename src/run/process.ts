// Runs one program to its end and reports what came of it. Nothing that it starts outlives it, whichever way it ends.

import type { Writable } from 'node:stream'
import type { NotRunnableReason, ProcessReport } from '../model/outcome.ts'
import { register } from './children.ts'
import { type Command, prepareCommand } from './command.ts'
import type { Confinement } from './confinement.ts'
import { emptyNamespace, groupTree, namespaceTree, startEnding, type Tree } from './ending.ts'
import { launch } from './launch.ts'
import type { Exit } from './launch-here.ts'
import { explainFailure, type Refusal } from './lookup.ts'
import type { ConfinementProfile } from './profile.ts'
import { endOf } from './status.ts'
import { type Connected, keptOutput, openStdio } from './stdio.ts'

export interface ProcessRequest {
  /** Program first. Never read by a shell. */
  readonly argv: readonly string[]
  readonly cwd: string
  /** What the tool's owner adds to the few variables that every child gets. Default none. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Default: empty. A program that does not read all of it does nothing wrong. */
  readonly stdin?: string | Uint8Array | undefined
  /** Told once the process is there, with its standard input, which then stays open; `stdin` is not looked at. */
  readonly onStart?: ((started: { readonly pid: number; readonly input: Writable }) => void) | undefined
  /** How many bytes of each output stream are kept; the rest is counted and dropped. */
  readonly maxOutputBytes: number
  /** Ends the whole tree: SIGTERM, and SIGKILL 50 ms later. */
  readonly signal: AbortSignal
  readonly confine: Confinement
  /** What a fully confined process may use; the limits in it hold for every kind of confinement. Default: its folder, to read. */
  readonly profile?: ConfinementProfile | undefined
  /** Gets all output as it comes, also what is not kept. While a promise it returned is pending, no more of that stream is read. */
  readonly onOutput?: ((stream: 'stdout' | 'stderr', text: string) => void | Promise<void>) | undefined
}

export type ProcessResult =
  | {
      readonly started: true
      readonly report: ProcessReport
      /** Limits that were asked for and do not hold on this machine, in sentences. */
      readonly notes: readonly string[]
    }
  | { readonly started: false; readonly reason: NotRunnableReason; readonly message: string }

/** A signal that has fired before the start gives a report with neither exit code nor signal: nothing ran. */
export async function runProcess(request: ProcessRequest): Promise<ProcessResult> {
  const command = await prepareCommand(request)
  if (!command.ok) return refused(command)
  try {
    return await runCommand(request, command)
  } finally {
    command.release()
  }
}

async function runCommand(request: ProcessRequest, command: Command): Promise<ProcessResult> {
  const { argv, signal, onStart } = request
  const { containment, notes } = command
  let input: Writable | undefined
  const onInput = onStart && ((stream: Writable) => (input = stream))
  const stdio = await openStdio({ ...request, onInput }, containment === 'namespace').catch(asError)
  if (stdio instanceof Error) return refused(explainError(stdio, request, command))
  if (signal.aborted) {
    stdio.abandon()
    return { started: true, notes, report: { ...nothingRan, argv, containment } }
  }

  const launched = await launch({ ...command, stdio: stdio.given }, signal)
  if (launched === 'cut-short') {
    stdio.abandon()
    return { started: true, notes, report: { ...nothingRan, signal: 'SIGKILL', argv, containment } }
  }
  if (!launched.ok) {
    stdio.abandon()
    return refused(explainError(launched.error, request, command))
  }
  const connected = stdio.connect(launched.streams)
  const { stderr, status } = connected
  const tree = status ? namespaceTree(launched.pid, status.first) : groupTree(launched.pid)
  register(tree, launched.exited)
  if (input) onStart?.({ pid: launched.pid, input })

  const exit = await exitOf(launched.exited, tree, signal)
  // What the process left behind in its group or its namespace goes with it.
  if (!status) tree.kill()
  const end = await finish(connected, exit, signal.aborted)
  await emptyNamespace(status?.first())
  if (!end) return refused(explainSilence(stderr.capture.text(), request, command))

  const report = {
    argv,
    exitCode: end.code,
    signal: end.signal,
    ...keptOutput(connected, request.maxOutputBytes),
    containment,
  }
  return { started: true, report, notes }
}

const nothingRan = {
  exitCode: null,
  signal: null,
  stdout: '',
  stderr: '',
  stdoutBytes: 0,
  stderrBytes: 0,
  truncated: false,
} as const

/** A process that stays although it was killed waits for the system, and may do so for ever. */
const unkillableMs = 600

/** Waits for the process itself, not for its pipes: a grandchild may hold those. Ends the tree when the signal fires. */
function exitOf(exited: Promise<Exit>, tree: Tree, signal: AbortSignal): Promise<Exit> {
  return new Promise((settle) => {
    let stopEnding: (() => void) | undefined
    let patience: NodeJS.Timeout | undefined
    const done = (exit: Exit) => {
      signal.removeEventListener('abort', end)
      clearTimeout(patience)
      stopEnding?.()
      settle(exit)
    }
    const end = () => {
      stopEnding = startEnding(tree)
      patience = setTimeout(done, unkillableMs, { code: null, signal: 'SIGKILL' })
    }
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
    exited.then(done)
  })
}

/** How the program itself ended; nothing when it never began. */
async function finish({ status, finish }: Connected, exit: Exit, ended: boolean): Promise<Exit | undefined> {
  await finish()
  if (!status || exit.signal !== null) return exit
  const exitCode = status.exitCode()
  if (exitCode !== undefined) return endOf(exitCode)
  return ended ? { code: null, signal: 'SIGKILL' } : undefined
}

function refused({ reason, message }: Refusal): ProcessResult {
  return { started: false, reason, message }
}

/** Why the system would not start it. */
function explainError(error: NodeJS.ErrnoException, request: ProcessRequest, { environment }: Command): Refusal {
  const [name = ''] = request.argv
  if (error.code === 'E2BIG') {
    const message = `The arguments or the environment of "${name}" are larger than the system allows. Pass less, or pass it by standard input or a file.`
    return { reason: 'too-large', message }
  }
  const explained = explainFailure(name, request.cwd, environment.PATH, error.code === 'ENOENT')
  return explained ?? { reason: 'not-executable', message: `"${name}" could not be started: ${error.message}.` }
}

/** Why bubblewrap ended without having started it. All it wrote is bubblewrap's own, since nothing else ran. */
function explainSilence(complaint: string, request: ProcessRequest, { environment }: Command): Refusal {
  const [name = ''] = request.argv
  const explained = explainFailure(name, request.cwd, environment.PATH, complaint.startsWith('bwrap: execvp'))
  if (explained) return explained
  return { reason: 'confinement', message: `"${name}" could not be confined and did not run: ${complaint.trim()}` }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
