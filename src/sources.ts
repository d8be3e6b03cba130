// The sources that a configuration names. A fault in one takes that one out, with a warning; the rest are there.

import { resolve } from 'node:path'
import type { LoadedConfiguration } from './configuration/load.ts'
import { childEnvironment } from './configuration/secrets.ts'
import { functionModuleSource } from './function/source.ts'
import type { Source } from './model/tool.ts'
import { type ProgramSourceOptions, programSource } from './program/source.ts'
import { journalFiles } from './settings.ts'

export function sourcesOf(loaded: LoadedConfiguration): readonly Source[] {
  const { functions = [], programs = {} } = loaded.configuration
  return [
    ...functions.map((path) => functionModuleSource(`functions ${path}`, resolve(loaded.folder, path))),
    ...Object.keys(programs).map((name) => programSource(name, programOptions(name, loaded))),
  ]
}

/** What the configuration says of one program. */
export function programOptions(name: string, loaded: LoadedConfiguration): ProgramSourceOptions {
  const { env = [], ...said } = loaded.configuration.programs?.[name] ?? {}
  return {
    ...said,
    workspace: loaded.folder,
    hidden: journalFiles(loaded),
    env: childEnvironment(env, process.env),
  }
}
