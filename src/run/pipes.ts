// Real pipes. What Node calls a pipe to a child is a socket, and opening /dev/stderr or /dev/stdin again, as scripts do, fails
// on a socket. Node cannot make a pipe itself, so one `mkfifo` process makes a batch of them; each is opened and its name
// removed at once, and the read ends are kept in stock. Nothing stays in the file system.

import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch } from './launch.ts'

const batchSize = 96
const refillBelow = 16

const stock: number[] = []
let possible = process.platform === 'linux'
let refilling: Promise<boolean> | undefined

/** The read ends of as many new pipes, each to be closed by whoever took it; nothing where real pipes cannot be had. */
export async function takePipes(count: number): Promise<number[] | undefined> {
  while (stock.length < count) {
    if (!possible) return undefined
    refilling ??= refill()
    if (!(await refilling)) return undefined
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
  const launched = await launch({
    file: 'mkfifo',
    args: ['-m', '600', ...names],
    cwd: folder,
    environment: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  if (!launched.ok) {
    possible = launched.error.code !== 'ENOENT'
    throw launched.error
  }
  await launched.exited
}
