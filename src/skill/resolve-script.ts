// Where a script really is, checked at the moment of use: a file inside its skill's folder, by its real path, and no file
// that could give anybody more rights than they have.
//
// Links are resolved here and once: what is run is the real path, so that exchanging a link afterwards changes nothing.

import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync, type Stats } from 'node:fs'
import { join, posix, sep, win32 } from 'node:path'
import type { DeniedReason } from '../model/outcome.ts'
import type { Skill } from './skill.ts'

export type ResolvedScript =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly code: 'denied'; readonly reason: DeniedReason; readonly message: string }
  | { readonly ok: false; readonly code: 'not-runnable'; readonly reason: 'not-found'; readonly message: string }

export function resolveScript(skill: Pick<Skill, 'name' | 'base' | 'realBase'>, path: string): ResolvedScript {
  const shown = JSON.stringify(path)
  const outside = denied(
    'path-security',
    `The script ${shown} is outside its skill "${skill.name}". Move it under "${skill.base}".`,
  )
  if (isOutside(path)) return outside
  let real: string
  try {
    real = realpathSync.native(join(skill.realBase, path))
  } catch (error) {
    if (codeOf(error) === 'ELOOP') return denied('path-security', `The script ${shown} is a link that leads nowhere.`)
    return looksOutside(path) || codeOf(error) === 'ENAMETOOLONG' ? outside : notFound(skill, shown)
  }
  if (!real.startsWith(skill.realBase.endsWith(sep) ? skill.realBase : skill.realBase + sep)) return outside
  try {
    return checkFile(real, shown, outside)
  } catch (error) {
    // Something else stands there now than a moment ago, or nobody may read it.
    if (codeOf(error) === 'ENOENT') return notFound(skill, shown)
    return codeOf(error) === 'ELOOP' ? outside : denied('script-permission', `The script ${shown} cannot be read.`)
  }
}

/** Looks at the very file that the path leads to now. A pipe or a device is not opened. */
function checkFile(real: string, shown: string, outside: ResolvedScript): ResolvedScript {
  const named = refusedKind(lstatSync(real), shown)
  if (named) return named
  const descriptor = openSync(real, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0))
  try {
    const opened = refusedKind(fstatSync(descriptor), shown)
    if (opened) return opened
    return isStillThere(descriptor, real) ? { ok: true, path: real } : outside
  } finally {
    closeSync(descriptor)
  }
}

function refusedKind(stats: Stats, shown: string): ResolvedScript | undefined {
  if (!stats.isFile()) return denied('script-permission', `${shown} is not a plain file, so it is not run.`)
  if (stats.mode & 0o6000) {
    const message = `The script ${shown} has setuid or setgid permission and is not run. Remove it with: chmod ug-s`
    return denied('script-permission', message)
  }
  // Another name of the file may stand anywhere on the disk, and nobody can tell which one was first.
  if (stats.nlink > 1) {
    const message = `The script ${shown} has another name elsewhere (a hard link), so it may be a file from outside its skill. Copy it.`
    return denied('path-security', message)
  }
  return undefined
}

/** Whether what was opened has the path that was checked. A folder on the way may have been exchanged in between. */
function isStillThere(descriptor: number, real: string): boolean {
  return process.platform !== 'linux' || readlinkSync(`/proc/self/fd/${descriptor}`) === real
}

/** Absolute in any system's spelling, or with a way up in it. A `\` separates on some systems, so it is in no file's name. */
function isOutside(path: string): boolean {
  if (path === '' || path.includes('\0') || posix.isAbsolute(path) || win32.isAbsolute(path)) return true
  if (/^[A-Za-z]:/.test(path) || (sep === '/' && path.includes('\\'))) return true
  return path.split(/[/\\]/).some((part) => part === '..')
}

/** Whether somebody who reads the path less strictly would be led outside: encoded, with look-alikes, with dots at the end. */
function looksOutside(path: string): boolean {
  const plain = decoded(decoded(path))
    .normalize('NFKC')
    .replace(/[\u2044\u2215\u29f8\uff0f\u2216\u29f5\uff3c\\]/gu, '/')
    .replace(/[\u2024\u2025\u2026\u3002\uff0e\uff61]/gu, (dots) => (dots === '\u2025' ? '..' : '.'))
  if (plain.includes('\0') || plain.startsWith('/') || plain.startsWith('~') || /^[A-Za-z]+:\//.test(plain)) return true
  return plain.split('/').some((part) => /^\s*\.[.\s]*\.[.\s]*(;.*)?$/.test(part))
}

function decoded(text: string): string {
  return text.replace(/%(?:25)*([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

function denied(reason: DeniedReason, message: string): ResolvedScript {
  return { ok: false, code: 'denied', reason, message }
}

function notFound({ name, base }: Pick<Skill, 'name' | 'base'>, shown: string): ResolvedScript {
  const message = `The skill "${name}" has no script ${shown} in "${base}". It may have been moved or deleted.`
  return { ok: false, code: 'not-runnable', reason: 'not-found', message }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
