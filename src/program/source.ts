// Gives a configured program's commands to the catalogue, and says where their descriptions came from.

import { existsSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beginningsOf } from '../model/name.ts'
import type { Loaded, Source } from '../model/tool.ts'
import { askProgram } from './agent.ts'
import type { ProgramMetadata } from './metadata.ts'
import { readMetadataOf } from './read-metadata.ts'
import { type ProgramOptions, programTools } from './tools.ts'

export interface ProgramSourceOptions extends ProgramOptions {
  /** A file of metadata, or a folder of such files. Default: what Legwork ships for that name, else the program's own. */
  readonly metadata?: string
  /** Whether it may be asked for its metadata where it cannot be shut in. Default false. */
  readonly agent?: boolean
  /** Whether it takes `--` before its positional arguments. Default: what the metadata says. */
  readonly endOfOptions?: boolean
}

/** A fault takes this program out, with a warning; the others are there. */
export function programSource(name: string, options: ProgramSourceOptions): Source {
  const load = async (): Promise<Loaded> => {
    const found = await findMetadata(name, options)
    if (!found.ok)
      return { tools: [], warnings: found.faults, unread: (spelling) => (isOwn(spelling) ? found.faults : []) }
    return { tools: programTools(found.metadata, options), warnings: found.warnings }
  }
  const isOwn = (spelling: string) =>
    spelling === name || beginningsOf('program', name).some((each) => `${spelling}:`.startsWith(each))
  return { name: `program ${name}`, load }
}

export type FoundMetadata =
  /** Where it came from, such as `./gh.json`. */
  | {
      readonly ok: true
      readonly metadata: ProgramMetadata
      readonly from: string
      readonly warnings: readonly string[]
    }
  | { readonly ok: false; readonly faults: readonly string[] }

/** The owner's file first, then what Legwork ships, then the program itself. The configured name wins over the metadata's own. */
export async function findMetadata(name: string, options: ProgramSourceOptions): Promise<FoundMetadata> {
  const { metadata: path, workspace, command = name, agent = false, endOfOptions } = options
  const named = (metadata: ProgramMetadata): ProgramMetadata => {
    return { ...metadata, name, ...(endOfOptions !== undefined && { 'x-endOfOptions': endOfOptions }) }
  }
  if (path !== undefined) {
    const read = await readMetadataOf(name, resolve(workspace, path))
    const placed = (sentence: string) => `${path}: ${sentence}`
    if (!read.ok) return { ok: false, faults: read.faults.map(placed) }
    return { ok: true, metadata: named(read.metadata), from: path, warnings: read.warnings.map(placed) }
  }
  const shipped = shippedFile(name)
  if (shipped !== undefined) {
    const read = await readMetadataOf(name, shipped)
    if (read.ok) return { ok: true, metadata: named(read.metadata), from: 'Legwork', warnings: read.warnings }
    return { ok: false, faults: read.faults.map((fault) => `${name}.json of Legwork: ${fault}`) }
  }
  const program = command.includes('/') ? resolve(workspace, command) : command
  const told = await askProgram({ command: program, workspace, unconfined: agent })
  if (told.ok) {
    const from = `${command} --agent`
    return { ok: true, metadata: named(told.metadata), from, warnings: told.warnings.map((each) => `${from}: ${each}`) }
  }
  const advice = `There is no metadata for the program "${name}". Write some, and add "metadata": "./${name}.json".`
  return { ok: false, faults: [advice, ...told.faults] }
}

const shippedFolder = new URL('../../metadata/', import.meta.url)

/** The programs that Legwork knows without being told. */
export function shippedNames(): readonly string[] {
  const files = readdirSync(fileURLToPath(shippedFolder))
  return files
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort()
}

/** The file that comes with this package, if there is one. A name that is a path names none. */
function shippedFile(name: string): string | undefined {
  if (!/^[\w][\w.+-]*$/.test(name)) return undefined
  const file = fileURLToPath(new URL(`${encodeURIComponent(name)}.json`, shippedFolder))
  return existsSync(file) ? file : undefined
}
