// The host's side of a helper: what it was asked, what it has answered, and what becomes of it when it answers no more.

import type { ChildProcess } from 'node:child_process'
import { groupTree } from './ending.ts'
import { endHolders } from './holders.ts'
import type { Exit, Launch, Launched } from './launch-here.ts'

export interface Helper {
  readonly pid: number
  /**
   * Undefined when the helper has gone without having begun, and the caller is to do it. `cut-short` when it went while it was
   * about it: the program may have begun, and has been ended. The signal ends the waiting, and not what was started.
   */
  readonly launch: (request: Launch, signal?: AbortSignal) => Promise<Launched | 'cut-short' | undefined>
}

export interface HelperRequest extends Launch {
  readonly id: number
}

export type HelperReply =
  | { readonly id: number; readonly type: 'starting' }
  | { readonly id: number; readonly type: 'started'; readonly pid: number }
  | { readonly id: number; readonly type: 'failed'; readonly code: string | undefined; readonly message: string }
  | ({ readonly id: number; readonly type: 'exited' } & Exit)

/** How long a helper that was asked something may say nothing at all. */
const silenceMs = 1_000
/** The same once the caller wants an end. */
const silenceAtEndMs = 80

/** What a helper was asked to start and has not told the end of. */
interface Task {
  readonly output: number | undefined
  readonly started: PromiseWithResolvers<Launched | 'cut-short' | undefined>
  readonly exited: PromiseWithResolvers<Exit>
  /** How far it is. */
  state: 'asked' | 'starting' | number
}

/** Takes over a helper that is up. `onLost` is called once it is of no more use. */
export function connectHelper(child: ChildProcess, onLost: () => void): Helper {
  const tasks = new Map<number, Task>()
  let lastId = 0
  let heardAt = 0
  // The host stays alive for a running program, not for the helper.
  const settleReference = () => (tasks.size ? child.channel?.ref() : child.channel?.unref())

  child.on('message', (reply: HelperReply | 'alive') => {
    heardAt = performance.now()
    const task = reply !== 'alive' && tasks.get(reply.id)
    if (task && take(task, reply)) tasks.delete(reply.id)
    settleReference()
  })
  let lost = false
  const lose = () => {
    if (!lost) onLost()
    lost = true
  }
  // Comes after the last message, so that what the helper had begun is known.
  child.once('disconnect', () => {
    lose()
    for (const task of tasks.values()) abandon(task)
    tasks.clear()
  })
  child.on('error', () => {})
  child.unref()
  settleReference()

  const ping = () => child.send('ping', () => {})

  /** Gives the helper up, if it says nothing for so long, until the function that this returns is called. */
  const watch = (maxSilenceMs: number) => {
    let timer: NodeJS.Timeout | undefined
    const arm = () => {
      const since = performance.now()
      // What it said while this host was busy is read first.
      timer = setTimeout(() => setImmediate(check, since), maxSilenceMs).unref()
    }
    const check = (since: number) => {
      if (timer === undefined) return
      if (heardAt < since) return giveUp()
      ping()
      arm()
    }
    arm()
    return () => {
      clearTimeout(timer)
      timer = undefined
    }
  }
  const giveUp = () => {
    lose()
    child.kill('SIGKILL')
  }

  const launch = async ({ file, args, cwd, environment, stdio }: Launch, signal?: AbortSignal) => {
    if (!child.connected) return undefined
    const id = ++lastId
    const output = stdio.find((end, at) => at > 0 && typeof end === 'number')
    const task: Task = {
      output: typeof output === 'number' ? output : undefined,
      started: Promise.withResolvers(),
      exited: Promise.withResolvers(),
      state: 'asked',
    }
    tasks.set(id, task)
    settleReference()
    child.send({ id, file, args, cwd, environment, stdio } satisfies HelperRequest, () => {})
    const started = watch(silenceMs)
    const onAbort = () => {
      ping()
      void task.exited.promise.then(watch(silenceAtEndMs))
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    void task.exited.promise.then(() => signal?.removeEventListener('abort', onAbort))
    return task.started.promise.finally(started)
  }
  return { pid: child.pid ?? 0, launch }
}

/** Takes an answer in. True when it is the last for this task. */
function take(task: Task, reply: HelperReply): boolean {
  switch (reply.type) {
    case 'starting':
      task.state = 'starting'
      return false
    case 'started':
      task.state = reply.pid
      task.started.resolve({ ok: true, pid: reply.pid, exited: task.exited.promise })
      return false
    case 'failed':
      task.started.resolve({ ok: false, error: Object.assign(new Error(reply.message), { code: reply.code }) })
      task.exited.resolve(killed)
      return true
    case 'exited':
      task.exited.resolve({ code: reply.code, signal: reply.signal })
      return true
    default:
      return reply satisfies never
  }
}

const killed: Exit = { code: null, signal: 'SIGKILL' }

/** What a helper that has gone leaves behind is ended: nobody would learn of its end. */
function abandon({ state, output, started, exited }: Task): void {
  if (typeof state === 'number') groupTree(state).kill()
  if (state === 'starting' && output !== undefined) endHolders(output)
  started.resolve(state === 'asked' ? undefined : 'cut-short')
  exited.resolve(killed)
}
