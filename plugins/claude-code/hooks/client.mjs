// The process of the client that runs a hook, to tell later whether its session has gone without a word.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

const shells = new Set(['sh', 'ash', 'dash', 'bash', 'zsh', 'fish', 'ksh', 'busybox', 'timeout'])
const mostSteps = 10

/** Its id and when it was started, so that another process that gets the same id is not taken for it. Undefined where that cannot be told. */
export function findClient() {
  let { ppid: pid } = process
  for (let step = 0; step < mostSteps && pid > 1; step++) {
    const found = look(pid)
    if (!found) return undefined
    if (!shells.has(found.name)) return { pid, startedAt: found.startedAt }
    pid = found.parent
  }
  return undefined
}

export function isClientAlive({ pid, startedAt }) {
  return Number.isInteger(pid) && look(pid)?.startedAt === startedAt
}

function look(pid) {
  try {
    return process.platform === 'linux' ? lookInProc(pid) : lookWithPs(pid)
  } catch {
    return undefined
  }
}

function lookInProc(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // A name may hold spaces and brackets; the fields after it do not.
  const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(text) ?? []
  const fields = rest?.split(' ') ?? []
  // One that has ended and waits to be collected is gone.
  return fields[0] === 'Z' ? undefined : { name, parent: Number(fields[1]), startedAt: fields[19] }
}

function lookWithPs(pid) {
  const words = ['-o', 'ppid=,lstart=,comm=', '-p', String(pid)]
  const text = execFileSync('ps', words, { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' }, timeout: 2_000 })
  const [, parent, startedAt, name] = /^\s*(\d+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s+(.*\S)\s*$/.exec(text) ?? []
  return parent === undefined ? undefined : { name: basename(name), parent: Number(parent), startedAt }
}
