// The folders of this machine that a path may lie below.

import { readdirSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'

export interface MachinePlaces {
  readonly workspace: string
  readonly home: string
  /** The names of what stands at the top of the file system. */
  readonly topLevel: ReadonlySet<string>
}

export function machinePlaces(workspace: string): MachinePlaces {
  topLevel ??= new Set([...topNames(), ...[homedir(), tmpdir()].map(firstName)])
  return { workspace, home: homedir(), topLevel }
}

/** Read once: what is made there later is a rarity. */
let topLevel: ReadonlySet<string> | undefined

function topNames(): readonly string[] {
  try {
    return readdirSync('/')
  } catch {
    return usualNames
  }
}

const usualNames = [
  'Users',
  'bin',
  'dev',
  'etc',
  'home',
  'lib',
  'mnt',
  'opt',
  'proc',
  'root',
  'run',
  'srv',
  'tmp',
].concat(['private', 'usr', 'var'])

function firstName(path: string): string {
  return path.split('/')[1] ?? ''
}
