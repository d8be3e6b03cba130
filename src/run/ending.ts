// Ends a whole tree of processes: asks with SIGTERM, and 50 ms later does not ask.

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A tree of processes as something that can be ended. */
export interface Tree {
  /** Asks every process to end. False when there is nobody yet who could be asked. */
  readonly terminate: () => boolean
  readonly kill: () => void
}

const graceMs = 50
const retryMs = 5

/** Begins to end a tree. The function it returns stops the timers, once the tree is gone. */
export function startEnding(tree: Tree): () => void {
  const retry = tree.terminate() ? undefined : setInterval(() => tree.terminate() && clearInterval(retry), retryMs)
  const killing = setTimeout(() => {
    clearInterval(retry)
    tree.kill()
  }, graceMs)
  return () => {
    clearInterval(retry)
    clearTimeout(killing)
  }
}

/** The processes of one group. One that has called `setsid` has left it. */
export function groupTree(pid: number): Tree {
  if (process.platform === 'win32') {
    const taskkill = join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'taskkill.exe')
    const end = () => spawn(taskkill, ['/T', '/F', '/PID', String(pid)], { stdio: 'ignore' }).on('error', () => {})
    return { terminate: () => true, kill: end }
  }
  return {
    terminate: () => send(-pid, 'SIGTERM') || true,
    kill: () => send(-pid, 'SIGKILL'),
  }
}

/**
 * The processes of one namespace: none can leave it, and all of them end with its first one.
 * That one leads the group that the command is in, and is not moved by SIGTERM itself.
 */
export function namespaceTree(bubblewrap: number, first: () => number | undefined): Tree {
  return {
    terminate: () => {
      const init = first()
      if (init === undefined) return false
      // No group yet: nothing but the setting up is there to be ended.
      return send(-init, 'SIGTERM') || send(init, 'SIGKILL')
    },
    // Before it has been told of, the first process is in bubblewrap's own group, and would wait for bubblewrap for ever.
    kill: () => send(first() ?? -bubblewrap, 'SIGKILL'),
  }
}

/** How long a namespace that was killed may take to empty itself before it is not waited for any more. */
const emptyingMs = 300
const lookAgainMs = 1

/**
 * Waits until the namespace that bubblewrap has left is empty. Bubblewrap may go a few milliseconds before the last process
 * does; and a program that has got hold of the first process can keep it from ending at all, so that one is killed.
 */
export async function emptyNamespace(first: number | undefined): Promise<void> {
  if (first === undefined) return
  for (let waitedMs = 0; isFirstOfNamespace(first) && waitedMs < emptyingMs; waitedMs += lookAgainMs) {
    send(first, 'SIGKILL')
    // Alone it has only its mounts to undo, which takes longer than all the rest.
    if (isAlone(first)) return
    await sleep(lookAgainMs)
  }
}

/** Another process that has got the number since is not the first of any; and one that is dead has outlived all the others. */
function isFirstOfNamespace(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    // Its numbers in each namespace, from ours to its own.
    return /^NSpid:\t.+\t1$/m.test(status) && !/^State:\tZ/m.test(status)
  } catch {
    return false
  }
}

/** Whether a first process has no children; whatever lost its parent in the namespace would be one. */
function isAlone(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8') === ''
  } catch {
    return false
  }
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
