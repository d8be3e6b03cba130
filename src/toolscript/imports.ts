// A script with every file of its project that it imports, each read and parsed once.

import { nothingParsed, type Parsed, parseScript } from './parse.ts'
import { readProjectFile, resolveImport } from './project-files.ts'
import type { ToolReference } from './references.ts'
import { maxScriptLength, plainText, type Script, type ScriptFault } from './script.ts'

export interface Module extends Script {
  readonly parsed: Parsed
  /** The files behind its relative imports, by what the import says. */
  readonly imports: ReadonlyMap<string, string>
}

export interface ModuleGraph {
  readonly entry: Module
  /** All but the entry, by their paths. */
  readonly files: ReadonlyMap<string, Module>
  readonly faults: readonly ScriptFault[]
  readonly references: readonly ToolReference[]
}

const maxFiles = 500

export async function readModules(given: Script, workspace: string): Promise<ModuleGraph> {
  const script = { path: given.path, text: plainText(given.text) }
  const files = new Map<string, Module>()
  const faults: ScriptFault[] = []
  const load = async ({ path, text }: Script): Promise<Module> => {
    const parsed = /\.json$/.test(path) ? nothingParsed : await parseScript({ path, text })
    faults.push(...parsed.faults)
    const imports = new Map<string, string>()
    for (const { specifier, offset } of parsed.relative) {
      const file = resolveImport(specifier, path, workspace)
      if (file === undefined) faults.push({ path, text, offset, code: 'INVALID_VALUE', message: notThere(specifier) })
      else imports.set(specifier, file)
    }
    return { path, text, parsed, imports }
  }

  const entry = await load(script)
  const waiting = [...entry.imports.values()]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file) || file === entry.path || files.size >= maxFiles) continue
    const text = readProjectFile(file, workspace) ?? ''
    const module = await load({ path: file, text: plainText(text.slice(0, maxScriptLength)) })
    files.set(file, module)
    waiting.push(...module.imports.values())
  }
  const references = [entry, ...files.values()].flatMap(({ parsed }) => parsed.references)
  return { entry, files, faults, references }
}

const notThere = (specifier: string) =>
  `"${specifier}" is not imported: there is no such file in this project. A script may import files inside its project alone.`
