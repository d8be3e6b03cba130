// A script with every file of its project that it imports, each read and parsed once.

import { basename } from 'node:path'
import { parseJson } from '../base/json.ts'
import { nestingFault } from './nesting.ts'
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

/** Where an import stands. */
type ImportPlace = Pick<ScriptFault, 'path' | 'text' | 'offset'>

export async function readModules(given: Script, workspace: string): Promise<ModuleGraph> {
  const script = { path: given.path, text: plainText(given.text) }
  const files = new Map<string, Module>()
  const faults: ScriptFault[] = []
  const waiting: { readonly file: string; readonly place: ImportPlace }[] = []
  const load = async ({ path, text }: Script): Promise<Module> => {
    const parsed = path.endsWith('.json') ? jsonParsed(path, text) : await parseScript({ path, text })
    faults.push(...parsed.faults)
    const imports = new Map<string, string>()
    for (const { specifier, offset } of parsed.relative) {
      const file = resolveImport(specifier, path, workspace)
      const place = { path, text, offset }
      if (file === undefined) faults.push({ ...place, code: 'INVALID_VALUE', message: notThere(specifier) })
      else {
        imports.set(specifier, file)
        waiting.push({ file, place })
      }
    }
    return { path, text, parsed, imports }
  }

  const entry = await load(script)
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { file, place } = next
    if (files.has(file) || file === entry.path) continue
    const text = readProjectFile(file, workspace) ?? ''
    const message = files.size >= maxFiles ? tooMany : text.length > maxScriptLength ? tooLarge(file, text) : undefined
    if (message !== undefined) {
      faults.push({ ...place, code: 'TOO_LARGE', message })
      break
    }
    files.set(file, await load({ path: file, text: plainText(text) }))
  }
  const references = [entry, ...files.values()].flatMap(({ parsed }) => parsed.references)
  return { entry, files, faults, references }
}

function jsonParsed(path: string, text: string): Parsed {
  const deep = nestingFault(text)
  const read = deep ? undefined : parseJson(text.trimStart())
  if (read?.ok) return nothingParsed
  const message = deep?.message ?? `The file is no JSON. ${read?.ok === false ? read.message : ''}`
  const code = deep ? 'TOO_LARGE' : 'INVALID_FORMAT'
  // Its text is not shown: it may be no script at all.
  return { ...nothingParsed, faults: [{ path, text: '', offset: 0, code, message }] }
}

const tooMany = `The script imports more than ${maxFiles} files. Let it import fewer.`
const tooLarge = (file: string, { length }: string) =>
  `"${basename(file)}" has ${length} characters; at most ${maxScriptLength} are taken. Let a tool read it.`

const notThere = (specifier: string) =>
  `"${specifier}" is not imported: there is no such file in this project. A script may import .ts, .mts, .js, .mjs and .json files inside its project alone, and none that a dot hides.`
