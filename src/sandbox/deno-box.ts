// One box: a Deno process that has started, waits for its one program, runs it, and is ended like every other process.

import { closeSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import type { Containment, ProcessReport } from '../model/outcome.ts'
import { register } from '../run/children.ts'
import { confinementAvailable } from '../run/confinement.ts'
import { emptyNamespace, groupTree, namespaceTree, type Tree } from '../run/ending.ts'
import { launch } from '../run/launch.ts'
import type { Exit } from '../run/launch-here.ts'
import { findSystemProgram } from '../run/lookup.ts'
import { takePipes } from '../run/pipes.ts'
import { endOf } from '../run/status.ts'
import { type Connected, keptOutput, openStdio } from '../run/stdio.ts'
import { type BoxPlan, boxCommand, importMap } from './deno-flags.ts'

export interface BoxRequest extends BoxPlan {
  /** How many bytes of each output stream are kept. */
  readonly maxOutputBytes: number
  /** Makes the address of the runtime module unlike any before it. */
  readonly stamp: string | number
}

export type OutputListener = (stream: 'stdout' | 'stderr', text: string) => void | Promise<void>

export interface Box {
  /** The file that the import map was written to; it is gone once the box is ready. */
  readonly importMapFile: string
  readonly argv: readonly string[]
  /** Which limits do not hold here, in sentences. */
  readonly notes: readonly string[]
  /** Hands the program over, once. */
  readonly run: (code: string, onOutput: OutputListener) => void
  /** To be called when the guest has said that it waits: what only its start needed goes. */
  readonly started: () => void
  readonly kill: () => void
  /** Settles when the process and everything of it has gone. */
  readonly ended: Promise<Omit<ProcessReport, 'argv'>>
}

/** Finds out what the first box needs to know of this machine, and makes its pipes, while other things load. */
export function prepareBoxes(): void {
  void confinementAvailable('full')
  const signal = new AbortController().signal
  takePipes(1, signal).then(
    (pipes) => pipes?.forEach((pipe) => void closeSync(pipe)),
    () => {},
  )
}

/** Throws when the system would not start it. */
export async function startBox(request: BoxRequest): Promise<Box> {
  const folder = makeFolder()
  const files = { importMap: join(folder, 'imports.json'), cache: join(folder, 'cache') }
  try {
    writeFileSync(files.importMap, importMap(request.url, request.stamp), { mode: 0o600 })
    return await launchBox(request, files, folder)
  } catch (error) {
    removeFolder(folder)
    throw error
  }
}

async function launchBox(
  request: BoxRequest,
  files: { readonly importMap: string; readonly cache: string },
  folder: string,
): Promise<Box> {
  const confinement = await confinementAvailable('full')
  const bubblewrap = confinement.available ? confinement.bubblewrap : undefined
  const prlimit = findSystemProgram('prlimit')
  const containment: Containment = bubblewrap === undefined ? 'group' : 'namespace'
  const wall = { ...(bubblewrap !== undefined && { bubblewrap }), ...(prlimit !== undefined && { prlimit }) }
  const command = boxCommand(request, files, wall)
  const [file = '', ...args] = command.argv

  let listener: OutputListener = () => {}
  const onOutput: OutputListener = (stream, text) => listener(stream, text)
  const signal = new AbortController().signal
  let input: Writable | undefined
  const onInput = (stream: Writable) => {
    input = stream
  }
  const { maxOutputBytes } = request
  const stdio = await openStdio({ maxOutputBytes, signal, onOutput, onInput }, containment === 'namespace')
  const cwd = bubblewrap === undefined ? request.cwd : '/'
  const { environment } = command
  const launched = await launch({ file, args, cwd, environment, stdio: stdio.given }, signal)
  if (launched === 'cut-short' || !launched.ok) {
    stdio.abandon()
    throw launched === 'cut-short' ? new Error('Deno was ended while it started.') : launched.error
  }
  const connected = stdio.connect(launched.streams)
  const { status } = connected
  const tree = status ? namespaceTree(launched.pid, status.first) : groupTree(launched.pid)
  register(tree, launched.exited)

  const killed = Promise.withResolvers<void>()
  const ended = endedBox(launched.exited, killed.promise, tree, connected, maxOutputBytes, containment)
  void ended.finally(() => removeFolder(folder))
  return {
    importMapFile: files.importMap,
    argv: ['deno', ...args.slice(args.findLastIndex((word) => word.endsWith('/deno')) + 1, -1)],
    notes: notesOf(confinement.available, prlimit !== undefined, request.memoryMb),
    run: (code, onText) => {
      listener = onText
      input?.end(code)
    },
    // Deno has read the import map; in bubblewrap's view there is nothing else of the folder.
    started: () => (bubblewrap === undefined ? rmSync(files.importMap, { force: true }) : removeFolder(folder)),
    kill: () => {
      tree.kill()
      killed.resolve()
    },
    ended,
  }
}

const folders = new Set<string>()
let watching = false

/** A folder that goes with its box, and with a host that leaves in a hurry. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'legwork-box-'))
  folders.add(folder)
  if (!watching) process.on('exit', () => folders.forEach(removeFolder))
  watching = true
  return folder
}

function removeFolder(folder: string): void {
  folders.delete(folder)
  rmSync(folder, { recursive: true, force: true })
}

/** A process that stays although it was killed waits for the system, and may do so for ever. */
const unkillableMs = 600

async function endedBox(
  exited: Promise<Exit>,
  killed: Promise<void>,
  tree: Tree,
  connected: Connected,
  maxOutputBytes: number,
  containment: Containment,
): Promise<Omit<ProcessReport, 'argv'>> {
  const patience = killed.then(
    () =>
      new Promise<Exit>((settle) =>
        setTimeout(settle, unkillableMs, { code: null, signal: 'SIGKILL' } as const).unref(),
      ),
  )
  const { status, finish } = connected
  const exit = await Promise.race([exited, patience])
  if (!status) tree.kill()
  await finish()
  await emptyNamespace(status?.first())
  const exitCode = status?.exitCode()
  const end = exit.signal === null && exitCode !== undefined ? endOf(exitCode) : exit
  return {
    exitCode: end.code,
    signal: end.signal,
    ...keptOutput(connected, maxOutputBytes),
    containment,
  }
}

function notesOf(confined: boolean, limited: boolean, memoryMb: number): string[] {
  const notes = []
  if (!confined) notes.push('Bubblewrap does not work here, so Deno alone keeps the script in.')
  if (!limited) notes.push(`The limit of ${memoryMb} MB does not hold for buffers: "prlimit" is not installed.`)
  return notes
}
