// Real pipes. What Node calls a pipe to a child is a socket, and opening /dev/stderr or /dev/stdin again, as scripts do, fails
// on a socket. Node cannot make a pipe itself, so one `mkfifo` process makes a batch of them; each is opened and its name
// removed at once, and the read ends are kept in stock. Nothing stays in the file system.

import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { groupTree } from './ending.ts'
import { launch } from './launch.ts'
import { findSystemProgram } from './lookup.ts'

const batchSize = 96
const refillBelow = 16
const maxRefillMs = 2_000

const stock: number[] = []
let possible = process.platform === 'linux'
let mkfifo: string | undefined
let refilling: Promise<boolean> | undefined

/**
 * The read ends of as many new pipes, each to be closed by whoever took it; nothing where real pipes cannot be had, or not
 * before the signal fires.
 */
export async function takePipes(count: number, signal: AbortSignal): Promise<number[] | undefined> {
  while (stock.length < count) {
    if (!possible || signal.aborted) return undefined
    refilling ??= refill()
    if (!(await unlessAborted(refilling, signal))) return undefined
  }
  const taken = stock.splice(0, count)
  if (stock.length < refillBelow) setImmediate(() => (refilling ??= refill()))
  return taken
}

/** The other end of a pipe. Blocking, as programs expect their own ends to be. */
export function writeEndOf(pipe: number): number {
  return openSync(`/proc/self/fd/${pipe}`, constants.O_WRONLY)
}

/** A second, blocking read end, to be given away. */
export function readEndOf(pipe: number): number {
  return openSync(`/proc/self/fd/${pipe}`, constants.O_RDONLY)
}

/** Closes what is in stock. The next run makes new ones. */
export async function closePipes(): Promise<void> {
  await refilling
  for (const pipe of stock.splice(0)) closeSync(pipe)
}

function unlessAborted(work: Promise<boolean>, signal: AbortSignal): Promise<boolean> {
  return new Promise((settle) => {
    const stop = () => settle(false)
    signal.addEventListener('abort', stop, { once: true })
    work.then((done) => {
      signal.removeEventListener('abort', stop)
      settle(done)
    })
  })
}

async function refill(): Promise<boolean> {
  let folder: string | undefined
  try {
    folder = mkdtempSync(join(tmpdir(), 'legwork-'))
    const names = Array.from({ length: batchSize }, (_, at) => String(at))
    await makeFifos(folder, names)
    // Without O_NONBLOCK this would wait for a writer.
    for (const name of names) stock.push(openSync(join(folder, name), constants.O_RDONLY | constants.O_NONBLOCK))
    return true
  } catch {
    return false
  } finally {
    if (folder) rmSync(folder, { recursive: true, force: true })
    refilling = undefined
  }
}

async function makeFifos(folder: string, names: readonly string[]): Promise<void> {
  mkfifo ??= findSystemProgram('mkfifo')
  possible = mkfifo !== undefined
  if (mkfifo === undefined) throw new Error('There is no mkfifo.')
  const signal = AbortSignal.timeout(maxRefillMs)
  const stdio = ['ignore', 'ignore', 'ignore'] as const
  const args = ['-m', '600', ...names]
  const launched = await launch({ file: mkfifo, args, cwd: folder, environment: {}, stdio }, signal)
  if (launched === 'cut-short') throw new Error('The pipes could not be made in time.')
  if (!launched.ok) throw launched.error
  const kill = () => groupTree(launched.pid).kill()
  signal.addEventListener('abort', kill)
  await launched.exited
  signal.removeEventListener('abort', kill)
}
