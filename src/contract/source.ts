// Gives the compose files and contract scripts that a configuration names to the catalogue.

import { globSync, readFileSync, statSync } from 'node:fs'
import { basename, extname, resolve } from 'node:path'
import { messageOf } from '../base/json.ts'
import { missingFiles, noFile } from '../base/missing-files.ts'
import { allSpellings, spell } from '../model/name.ts'
import type { Loaded, Source, ToolDefinition } from '../model/tool.ts'
import { readContractFile } from './compose-file.ts'
import { fileDefinition } from './definition.ts'
import type { Files } from './files.ts'

export interface ContractSourceOptions {
  /** The folder that the patterns stand in. */
  readonly folder: string
  /** Files or patterns, such as `./contracts/*.yaml`. */
  readonly patterns: readonly string[]
  /** The files that the contracts of `core/fs` may touch. Default none. */
  readonly files?: Files
}

const maxFileBytes = 1_048_576

/** A file that cannot be read takes itself out, with a warning. */
export function contractSource({ folder, patterns, files }: ContractSourceOptions): Source {
  const load = async (): Promise<Loaded> => {
    const tools: ToolDefinition[] = []
    const warnings: string[] = []
    const faults = new Map<string, string>()
    for (const pattern of patterns) {
      const found = globSync(pattern, { cwd: folder }).sort()
      if (found.length === 0) warnings.push(noFile(pattern, 'contracts'))
      for (const path of found) {
        const tool = await readTool(resolve(folder, path), files).catch((error: unknown) => {
          const fault = `The contract "${path}" is not loaded. ${messageOf(error)}`
          warnings.push(fault)
          for (const spelling of spellingsOf(nameOf(path))) faults.set(spelling, fault)
        })
        if (tool) tools.push(tool)
      }
    }
    return { tools, warnings, faults }
  }
  return { name: 'contracts', lazy: true, load, warnings: missingFiles(folder, patterns, 'contracts') }
}

/** What a tool of that name would be called by. */
function spellingsOf(name: string): Iterable<string> {
  return allSpellings(spell('contract', { module: 'contract', path: [name] }, () => false).spellings)
}

function nameOf(path: string): string {
  return basename(path, extname(path))
}

async function readTool(file: string, files: Files | undefined): Promise<ToolDefinition> {
  const { size } = statSync(file)
  if (size > maxFileBytes) throw new Error(`It has ${size} bytes; at most ${maxFileBytes} are read.`)
  const name = nameOf(file)
  return fileDefinition(name, await readContractFile(readFileSync(file, 'utf8'), name), { ...(files && { files }) })
}
