// The host's side of the helper: a small process that starts programs for a host that has grown large. It opens the ends that a
// program gets through the host's own descriptors, so that no byte of input or output passes through it.

import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Exit, Launch, Launched } from './launch-here.ts'

export interface Helper {
  readonly pid: number
  /** Nothing when the helper has gone, and the caller is to do it. */
  readonly launch: (request: Launch) => Promise<Launched | undefined>
}

export interface HelperRequest extends Launch {
  readonly id: number
}

export type HelperReply =
  | { readonly id: number; readonly type: 'started'; readonly pid: number }
  | { readonly id: number; readonly type: 'failed'; readonly code: string | undefined; readonly message: string }
  | ({ readonly id: number; readonly type: 'exited' } & Exit)

let current: Helper | undefined
let starting: Promise<Helper | undefined> | undefined

/** The helper, if it is up. */
export function helper(): Helper | undefined {
  return current
}

/** Starts the helper, once. Nothing when it cannot be had. */
export function startHelper(): Promise<Helper | undefined> {
  starting ??= forkHelper()
  return starting
}

async function forkHelper(): Promise<Helper | undefined> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const program = fileURLToPath(new URL(`./helper-main.${extension}`, import.meta.url))
  try {
    const child = fork(program, { execArgv: [], env: {}, stdio: ['ignore', 'ignore', 'ignore', 'ipc'], detached: true })
    const up = await new Promise<boolean>((settle) => {
      child.once('message', () => settle(true))
      child.once('error', () => settle(false))
      child.once('exit', () => settle(false))
    })
    if (up) current = connect(child)
  } catch {
    // Left as it is: programs are started from here.
  }
  return current
}

function connect(child: ChildProcess): Helper {
  const waiting = new Map<number, { started: (reply: HelperReply | undefined) => void; exited: (exit: Exit) => void }>()
  let lastId = 0
  // The host stays alive for a running program, not for the helper.
  const settleReference = () => (waiting.size ? child.channel?.ref() : child.channel?.unref())

  child.on('message', (reply: HelperReply) => {
    const entry = waiting.get(reply.id)
    if (reply.type === 'exited') entry?.exited({ code: reply.code, signal: reply.signal })
    else entry?.started(reply)
    if (reply.type !== 'started') waiting.delete(reply.id)
    settleReference()
  })
  child.once('exit', () => {
    current = undefined
    starting = undefined
    for (const { started, exited } of waiting.values()) {
      started(undefined)
      exited({ code: null, signal: 'SIGKILL' })
    }
    waiting.clear()
  })
  child.on('error', () => {})
  child.unref()
  settleReference()

  const launch = async ({ file, args, cwd, environment, stdio }: Launch): Promise<Launched | undefined> => {
    const id = ++lastId
    const start = Promise.withResolvers<HelperReply | undefined>()
    const exit = Promise.withResolvers<Exit>()
    waiting.set(id, { started: start.resolve, exited: exit.resolve })
    settleReference()
    child.send(
      { id, file, args, cwd, environment, stdio } satisfies HelperRequest,
      (error) => error && start.resolve(undefined),
    )
    const reply = await start.promise
    if (reply?.type === 'started') return { ok: true, pid: reply.pid, exited: exit.promise }
    waiting.delete(id)
    settleReference()
    if (reply?.type !== 'failed') return undefined
    return { ok: false, error: Object.assign(new Error(reply.message), { code: reply.code }) }
  }
  return { pid: child.pid ?? 0, launch }
}
