// Legwork itself as a server in a client's file: how it is written, and how it is recognised.

import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isObject, type JsonObject, parseJson } from '../../base/json.ts'
import { fileNames } from '../../configuration/find.ts'
import { findProgram } from '../../run/lookup.ts'
import type { Client } from './known.ts'

/** The command where it is installed in the project, so that nothing is fetched. */
const installed = 'node_modules/legwork/dist/cli/main.js'

/**
 * No client is relied on to start its servers in the folder of the project. One that fills in where that is gets a path from there, so
 * that the file can be shared; one that serves all projects gets the whole path. Claude Code does neither, and starts its servers in
 * the project or below, from where npx and Legwork look upwards.
 */
export function legworkEntry({ scope, projectWord, extra }: Client, configuration: string): JsonObject {
  const project = dirname(configuration)
  const name = basename(configuration)
  const isInstalled = existsSync(join(project, installed))
  const folder = scope === 'user' ? project : projectWord
  const isFound = folder === undefined && fileNames.some((each) => each === name)
  const path = (file: string) => (folder === undefined ? file : `${folder}/${file}`)
  const [command, ...args] =
    isInstalled && folder !== undefined
      ? ['node', path(installed)]
      : ['npx', isInstalled ? '--no-install' : '-y', 'legwork']
  return { ...extra, command, args: [...args, 'serve', '--stdio', ...(isFound ? [] : ['--config', path(name)])] }
}

/** The configuration that an entry names, as an absolute path; undefined where it names none. */
export function namedConfiguration(entry: unknown, project: string): string | undefined {
  const words = wordsOf(entry)
  const at = words.indexOf('--config')
  const named = at < 0 ? undefined : words[at + 1]
  return named === undefined ? undefined : resolve(project, named.replace('${workspaceFolder}', project))
}

/** Whether a server is Legwork, under whatever name and however it is started. */
export function isLegwork(entry: unknown, folder: string): boolean {
  const words = wordsOf(entry).flatMap((word) => word.split(/\s+/))
  const serving = words.indexOf('serve')
  return serving > 0 && words.slice(0, serving).some((word) => namesLegwork(word, folder))
}

function wordsOf(entry: unknown): string[] {
  if (!isObject(entry)) return []
  const { command, args } = entry
  return [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string')
}

/** By its name, with or without a version or a folder; else by the package that the file belongs to. */
function namesLegwork(word: string, folder: string): boolean {
  return /(?:^|[\\/])legwork(?:@[^\\/]*)?(?:\.(?:cmd|ps1|exe))?$/.test(word) || isOurFile(word, folder)
}

function isOurFile(word: string, folder: string): boolean {
  try {
    const found = findProgram(word, folder, process.env.PATH)
    const file = realpathSync(found.ok ? found.path : resolve(folder, word))
    if (!/^main\.[jt]s$/.test(basename(file))) return false
    const manifest = parseJson(readFileSync(join(dirname(file), '../../package.json'), 'utf8'))
    return manifest.ok && isObject(manifest.value) && manifest.value.name === 'legwork'
  } catch {
    return false
  }
}
