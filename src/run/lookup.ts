// Finds a program as the system would, and says in words why one cannot be started.

import { accessSync, closeSync, constants, openSync, readSync, type Stats, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import type { NotRunnableReason } from '../model/outcome.ts'

export interface Refusal {
  readonly reason: NotRunnableReason
  readonly message: string
}

export type Lookup = { readonly ok: true; readonly path: string } | ({ readonly ok: false } & Refusal)

/** A name with a slash is a path from the working directory; any other is looked for along `PATH`. */
export function findProgram(name: string, cwd: string, searchPath: string | undefined): Lookup {
  if (name.includes('/')) return checkProgram(name, resolve(cwd, name))
  let refused: Lookup | undefined
  for (const folder of name === '' ? [] : (searchPath ?? '/usr/bin:/bin').split(delimiter)) {
    const found = checkProgram(name, resolve(cwd, join(folder, name)))
    if (found.ok) return found
    if (found.reason !== 'not-found') refused ??= found
  }
  if (refused) return refused
  const message = `The program "${name}" was not found on the PATH. Install it, or give its full path.`
  return { ok: false, reason: 'not-found', message }
}

/** Where a system keeps its programs. Nothing that is run confined can put anything there. */
const systemPath = [
  '/usr/bin',
  '/bin',
  '/usr/sbin',
  '/sbin',
  '/usr/local/bin',
  '/run/current-system/sw/bin',
  '/nix/var/nix/profiles/default/bin',
].join(delimiter)

/** One of the few programs that confine the others. The host's `PATH` is not asked: a workspace's own folder may be first on it. */
export function findSystemProgram(name: 'bwrap' | 'mkfifo' | 'prlimit' | 'true'): string | undefined {
  const found = findProgram(name, '/', systemPath)
  return found.ok ? found.path : undefined
}

/** Says why a working directory cannot be one, or nothing. */
export function checkFolder(path: string): Refusal | undefined {
  const refuse = (why: string): Refusal => ({
    reason: 'bad-directory',
    message: `The working directory "${path}" ${why}. Create it, or choose another.`,
  })
  try {
    if (!statSync(path).isDirectory()) return refuse('is not a folder')
    accessSync(path, constants.X_OK)
    return undefined
  } catch (error) {
    return refuse(isMissing(error) ? 'does not exist' : 'cannot be entered')
  }
}

/**
 * Why a start failed, from what the disk says now. Nothing when program and folder are as they should be.
 * `missing`: the system says that something is not there; if the program is, then what it needs is not.
 */
export function explainFailure(
  name: string,
  cwd: string,
  searchPath: string | undefined,
  missing: boolean,
): Refusal | undefined {
  const folder = checkFolder(cwd)
  if (folder) return folder
  const program = findProgram(name, cwd, searchPath)
  if (!program.ok) return { reason: program.reason, message: program.message }
  const interpreter = firstLineOf(program.path)[0]
  if (!missing || interpreter === undefined) return undefined
  return {
    reason: 'interpreter-not-found',
    message: `The script "${program.path}" names the interpreter "${interpreter}", which could not be started. Install it where the script can reach it, or change the script's first line.`,
  }
}

function checkProgram(name: string, path: string): Lookup {
  const refuse = (reason: NotRunnableReason, message: string): Lookup => ({ ok: false, reason, message })
  let stats: Stats | undefined
  try {
    stats = statSync(path, { throwIfNoEntry: false })
  } catch {
    // A folder on the way that may not be entered.
  }
  if (!stats && name === path) return refuse('not-found', `There is no program "${path}". Check the path.`)
  if (!stats) return refuse('not-found', `The program "${name}" does not exist at "${path}". Check the path.`)
  if (!stats.isFile()) return refuse('not-executable', `"${path}" is not a file that can be run. Name a program.`)
  try {
    accessSync(path, constants.X_OK)
    return { ok: true, path }
  } catch {
    return refuse('not-executable', `The program "${path}" may not be run. Give it permission with: chmod +x "${path}"`)
  }
}

/** The programs that a script's first line names: the interpreter, and with `env` the one that it looks for. */
export function interpretersOf(path: string, searchPath: string | undefined): string[] {
  const [interpreter, ...rest] = firstLineOf(path)
  if (interpreter === undefined) return []
  const sought = /\/env$/.test(interpreter) && rest.find((word) => !/^-|=/.test(word))
  const found = sought ? findProgram(sought, '/', searchPath) : undefined
  return found?.ok ? [interpreter, found.path] : [interpreter]
}

/** The words after `#!`. */
function firstLineOf(path: string): string[] {
  const buffer = Buffer.alloc(256)
  let file: number | undefined
  try {
    file = openSync(path, constants.O_RDONLY)
    const [line = ''] = buffer.toString('utf8', 0, readSync(file, buffer)).split('\n')
    return line.startsWith('#!') ? line.slice(2).trim().split(/\s+/) : []
  } catch {
    return []
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
