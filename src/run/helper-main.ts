// The helper itself: starts what the host asks for, tells how it ended, and takes it along when the host is gone.

import { closeSync, constants, openSync } from 'node:fs'
import type { HelperReply, HelperRequest } from './helper-connection.ts'
import { launchHere } from './launch-here.ts'

const host = Number(process.argv[2])
const groups = new Set<number>()

process.on('message', (request: HelperRequest | 'ping') => void (request === 'ping' ? say('alive') : serve(request)))
process.on('disconnect', leave)
void say('ready')

async function serve(request: HelperRequest): Promise<void> {
  const { id } = request
  const opened: number[] = []
  const open = (end: number | 'ignore' | 'pipe', at: number) => {
    if (typeof end !== 'number') return end
    const descriptor = openSync(`/proc/${host}/fd/${end}`, at === 0 ? constants.O_RDONLY : constants.O_WRONLY)
    opened.push(descriptor)
    return descriptor
  }
  try {
    stayWithHost()
    const stdio = request.stdio.map(open)
    // The host must know of it before it can have happened: else it might start the program a second time.
    await say({ id, type: 'starting' })
    stayWithHost()
    const launched = await launchHere({ ...request, stdio })
    if (!launched.ok) return fail(id, launched.error)
    groups.add(launched.pid)
    void say({ id, type: 'started', pid: launched.pid })
    void launched.exited.then((exit) => {
      groups.delete(launched.pid)
      void say({ id, type: 'exited', ...exit })
    })
  } catch (error) {
    fail(id, error instanceof Error ? error : new Error(String(error)))
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
}

/** A helper that has another parent has lost its host: what the host had asked for is wanted no more. */
function stayWithHost(): void {
  if (process.ppid !== host) leave()
}

function leave(): never {
  // What bubblewrap holds ends with this process; a plain group does not.
  for (const pid of groups) endGroup(pid)
  process.exit()
}

function fail(id: number, { code, message }: NodeJS.ErrnoException): void {
  void say({ id, type: 'failed', code, message })
}

/** Settles once it is on its way, also when nobody will read it. */
function say(message: HelperReply | 'ready' | 'alive'): Promise<void> {
  return new Promise((settle) => {
    if (process.connected) process.send?.(message, () => settle())
    else settle()
  })
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has gone already.
  }
}
