// Starts one process from here.

import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { coverInherited } from './inherited.ts'

export interface Launch {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  /** What the child gets as its descriptors 0, 1, 2 and on: a descriptor of ours, nothing, or a socket of Node's. */
  readonly stdio: readonly (number | 'ignore' | 'pipe')[]
}

export interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

export type Launched =
  | {
      readonly ok: true
      readonly pid: number
      readonly exited: Promise<Exit>
      /** The host's ends of the descriptors that were asked for as 'pipe'. */
      readonly streams?: readonly (Readable | Writable | null | undefined)[]
    }
  | { readonly ok: false; readonly error: NodeJS.ErrnoException }

/** The child leads a session and a process group of its own. Never throws. */
export async function launchHere(request: Launch): Promise<Launched> {
  let child: ChildProcess
  try {
    child = spawn(request.file, request.args, {
      cwd: request.cwd,
      env: request.environment,
      stdio: coverInherited(request.stdio),
      detached: true,
      windowsHide: true,
    })
  } catch (error) {
    return { ok: false, error: asSystemError(error) }
  }
  const { pid } = child
  if (pid === undefined) {
    return new Promise((settle) => child.once('error', (error) => settle({ ok: false, error })))
  }
  const exited = new Promise<Exit>((settle) => child.once('exit', (code, signal) => settle({ code, signal })))
  child.on('error', () => {})
  return { ok: true, pid, exited, streams: child.stdio }
}

/** `spawn` throws errors of the system, with a code, and its own complaints about arguments, with another. */
function asSystemError(thrown: unknown): NodeJS.ErrnoException {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
