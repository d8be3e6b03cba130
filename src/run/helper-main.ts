// The helper itself: starts what the host asks for, tells how it ended, and takes it along when the host is gone.

import { closeSync, constants, openSync } from 'node:fs'
import type { HelperReply, HelperRequest } from './helper.ts'
import { launchHere } from './launch-here.ts'

const groups = new Set<number>()

process.on('message', (request: HelperRequest) => void serve(request))
process.on('disconnect', () => {
  // What bubblewrap holds ends with this process; a plain group does not.
  for (const pid of groups) endGroup(pid)
  process.exit()
})
process.send?.('ready')

async function serve(request: HelperRequest): Promise<void> {
  const { id } = request
  const opened: number[] = []
  const open = (end: number | 'ignore' | 'pipe', at: number) => {
    if (typeof end !== 'number') return end
    const descriptor = openSync(`/proc/${process.ppid}/fd/${end}`, at === 0 ? constants.O_RDONLY : constants.O_WRONLY)
    opened.push(descriptor)
    return descriptor
  }
  try {
    const launched = await launchHere({ ...request, stdio: request.stdio.map(open) })
    if (!launched.ok) return fail(id, launched.error)
    groups.add(launched.pid)
    reply({ id, type: 'started', pid: launched.pid })
    void launched.exited.then((exit) => {
      groups.delete(launched.pid)
      reply({ id, type: 'exited', ...exit })
    })
  } catch (error) {
    fail(id, error instanceof Error ? error : new Error(String(error)))
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
}

function fail(id: number, { code, message }: NodeJS.ErrnoException): void {
  reply({ id, type: 'failed', code, message })
}

function reply(message: HelperReply): void {
  if (process.connected) process.send?.(message, () => {})
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has gone already.
  }
}
