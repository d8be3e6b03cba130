// The sources that a configuration names. A fault in one takes that one out, with a warning; the rest are there.

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { messageOf, parseJson } from './base/json.ts'
import type { LoadedConfiguration } from './configuration/load.ts'
import { childEnvironment } from './configuration/secrets.ts'
import { functionModuleSource } from './function/source.ts'
import type { Loaded, Source } from './model/tool.ts'
import { checkMetadata } from './program/metadata.ts'
import { programTools } from './program/tools.ts'
import { journalFiles } from './settings.ts'

export function sourcesOf(loaded: LoadedConfiguration): readonly Source[] {
  const { functions = [], programs = {} } = loaded.configuration
  return [
    ...functions.map((path) => functionModuleSource(`functions ${path}`, resolve(loaded.folder, path))),
    ...Object.entries(programs).map(([name, program]) => programSource(name, program, loaded)),
  ]
}

type ProgramEntry = NonNullable<LoadedConfiguration['configuration']['programs']>[string]

function programSource(name: string, entry: ProgramEntry, loaded: LoadedConfiguration): Source {
  const { folder } = loaded
  const { metadata, command, trust, confine, env = [] } = entry
  const load = async (): Promise<Loaded> => {
    if (metadata === undefined)
      return absent(`There is no metadata for the program "${name}". Add "metadata": "./${name}.json".`)
    const read = await readMetadata(resolve(folder, metadata))
    if (!read.ok) return absent(...read.faults.map((fault) => `${metadata}: ${fault}`))
    const options = {
      workspace: folder,
      hidden: journalFiles(loaded),
      env: childEnvironment(env, process.env),
      ...(command !== undefined && { command }),
      ...(trust !== undefined && { trust }),
      ...(confine !== undefined && { confine }),
    }
    return { tools: programTools({ ...read.metadata, name }, options) }
  }
  return { name: `program ${name}`, load }
}

async function readMetadata(file: string) {
  try {
    const parsed = parseJson(await readFile(file, 'utf8'))
    if (!parsed.ok) return { ok: false as const, faults: [`This is not JSON: ${parsed.message}`] }
    return checkMetadata(parsed.value)
  } catch (error) {
    return { ok: false as const, faults: [messageOf(error)] }
  }
}

function absent(...warnings: readonly string[]): Loaded {
  return { tools: [], warnings }
}
