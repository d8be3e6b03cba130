// The sources that a configuration names. A fault in one takes that one out, with a warning; the rest are there.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { LoadedConfiguration } from './configuration/load.ts'
import { childEnvironment } from './configuration/secrets.ts'
import { functionModuleSource } from './function/source.ts'
import type { Source } from './model/tool.ts'
import { type ProgramSourceOptions, programSource } from './program/source.ts'
import { journalFiles } from './settings.ts'
import { type SkillPlace, usualPlaces } from './skill/discover.ts'
import type { SkillSettings } from './skill/settings.ts'
import { skillsSource } from './skill/source.ts'

export function sourcesOf(loaded: LoadedConfiguration): readonly Source[] {
  const { functions = [], programs = {} } = loaded.configuration
  return [
    ...functions.map((path) => functionModuleSource(`functions ${path}`, resolve(loaded.folder, path))),
    ...Object.keys(programs).map((name) => programSource(name, programOptions(name, loaded))),
    ...skillSources(skillPlaces(loaded)),
  ]
}

/** No source where there is nowhere to look: it would have to be asked whenever a name is not found. */
function skillSources(places: readonly SkillPlace<SkillSettings>[]): readonly Source[] {
  return places.length ? [skillsSource(places)] : []
}

/** Where skills are looked for: what the configuration names, then the usual places that exist. */
export function skillPlaces(loaded: LoadedConfiguration): readonly SkillPlace<SkillSettings>[] {
  const common = { workspace: loaded.folder, hidden: journalFiles(loaded), readOnly: configurationFiles(loaded) }
  const named = (loaded.configuration.skills ?? []).map((folder) => {
    const { path, env = [], workspace, ...said } = typeof folder === 'string' ? { path: folder } : folder
    const settings = {
      ...said,
      ...common,
      ...(workspace && { workspaceAccess: workspace }),
      env: childEnvironment(env, process.env),
      settable: Array.isArray(env) ? env : [],
    }
    return { path: resolve(loaded.folder, path), settings, isNamed: true }
  })
  const usual = usualPlaces(loaded.folder).filter((path) => existsSync(path))
  return [...named, ...usual.map((path) => ({ path, settings: common, isNamed: false }))]
}

/** A tool that could write these could give itself any right. */
function configurationFiles({ file }: LoadedConfiguration): readonly string[] {
  return file === undefined ? [] : [file]
}

/** What the configuration says of one program. */
export function programOptions(name: string, loaded: LoadedConfiguration): ProgramSourceOptions {
  const { env = [], ...said } = loaded.configuration.programs?.[name] ?? {}
  return {
    ...said,
    workspace: loaded.folder,
    hidden: journalFiles(loaded),
    readOnly: configurationFiles(loaded),
    env: childEnvironment(env, process.env),
  }
}
