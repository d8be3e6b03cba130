// Finds Deno: the one that npm installed beside this package, else one on the PATH.

import { createRequire } from 'node:module'
import { findProgram } from '../run/lookup.ts'
import { exists } from '../run/paths.ts'

export type DenoLookup = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly message: string }

export const howToGetDeno =
  'Toolscripts run in Deno, which is not installed here. Get it with "npm install deno", or from https://deno.com.'

/** npm's own `deno` command is a script that needs Node, so the binary itself is looked for. */
export function findDeno(searchPath: string | undefined = process.env.PATH, from = import.meta.url): DenoLookup {
  const packaged = packagedDeno(from)
  if (packaged !== undefined) return { ok: true, path: packaged }
  const found = findProgram('deno', '/', searchPath ?? '')
  return found.ok ? { ok: true, path: found.path } : { ok: false, message: howToGetDeno }
}

function packagedDeno(from: string): string | undefined {
  const system = process.platform === 'linux' ? '-glibc' : ''
  const name = process.platform === 'win32' ? 'deno.exe' : 'deno'
  try {
    const launcher = createRequire(from).resolve('deno/package.json')
    const path = createRequire(launcher).resolve(`@deno/${process.platform}-${process.arch}${system}/${name}`)
    return exists(path) ? path : undefined
  } catch {
    return undefined
  }
}
