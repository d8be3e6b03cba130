// Finds the scripts of a skill, when one of its names is first wanted: below `scripts/` and in the whole folder, with what
// runs each of them and what it says of itself. Nothing is run, and nothing outside the folder is read.

import { closeSync, constants, type Dirent, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { type DeclaredArguments, declaredArguments } from './declared.ts'
import { descriptionOf } from './description.ts'
import { isLibrary, isTestFile } from './entry-point.ts'
import { type Language, languageOf, languageOfShebang, shebangOf } from './languages.ts'
import { resolveScript } from './resolve-script.ts'
import { nameScripts } from './script-names.ts'
import type { Skill } from './skill.ts'

export interface Script {
  /** The parts of its name below the skill's: one, unless another script has that. */
  readonly name: readonly string[]
  /** From the skill's folder, with `/` between the parts. */
  readonly path: string
  readonly type: Language['type']
  /** What runs it; the words of its first line where the name does not tell. */
  readonly interpreter: readonly string[]
  /** The interpreter that its first line names, for where the usual one is missing. */
  readonly shebang: readonly string[]
  readonly description: string
  /** What it says that it takes on its command line; missing where it does not. */
  readonly declared?: DeclaredArguments
  /** Whether it names its dependencies in its head (PEP 723). */
  readonly hasInlineMetadata: boolean
}

export interface Detected {
  readonly scripts: readonly Script[]
  /** Files that others import: no tools. */
  readonly libraries: readonly string[]
  /** Links that lead where no script may be. */
  readonly refused: readonly string[]
  /** Everything else in the folder, for whoever reads the instructions. */
  readonly resources: readonly string[]
  readonly warnings: readonly string[]
}

const maxDepth = 5
const maxFiles = 20_000
const maxResources = 200
const maxScriptBytes = 262_144
const skipped = new Set(['node_modules', '.git', '.venv', 'venv', '__pycache__'])

export function detectScripts(skill: Skill): Detected {
  const walk: Walk = { base: skill.realBase, files: [], warnings: [] }
  const primary = join(skill.realBase, 'scripts')
  collect(walk, primary, 0)
  collect(walk, skill.realBase, 0, primary)
  const found: Omit<Script, 'name'>[] = []
  const libraries: string[] = []
  const refused: string[] = []
  const resources: string[] = []
  for (const file of walk.files) {
    const script = readScript(skill, file, walk.warnings)
    if (script === 'library') libraries.push(file.path)
    else if (script === 'refused') refused.push(file.path)
    else if (script) found.push(script)
    else if (resources.length < maxResources && file.path !== skill.file) resources.push(file.path)
  }
  const names = nameScripts(found.map(({ path }) => path))
  const scripts = found.map((script) => ({ ...script, name: names.get(script.path) ?? [script.path] }))
  return { scripts, libraries, refused, resources, warnings: walk.warnings }
}

interface FoundFile {
  readonly path: string
  readonly isLink: boolean
}

interface Walk {
  readonly base: string
  readonly files: FoundFile[]
  readonly warnings: string[]
}

/** Files of a folder and of those below it, but for one. Links to folders are not followed. */
function collect(walk: Walk, folder: string, depth: number, except?: string): void {
  for (const entry of entriesOf(folder)) {
    if (entry.name.startsWith('.') || skipped.has(entry.name)) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (depth < maxDepth && path !== except) collect(walk, path, depth + 1)
    } else if (entry.isFile() || entry.isSymbolicLink()) {
      if (walk.files.length >= maxFiles) return
      walk.files.push({ path: relative(walk.base, path).replaceAll('\\', '/'), isLink: entry.isSymbolicLink() })
    }
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}

/** A file that somebody names by its path: a script even where it is written as a library. What may not run has no interpreter. */
export function scriptAt(skill: Skill, path: string): Script {
  const nothing = { type: 'other', interpreter: [], shebang: [], description: '', hasInlineMetadata: false } as const
  const found = resolveScript(skill, path).ok ? describeScript(skill, path) : undefined
  return { ...nothing, path, ...found?.script, name: [path] }
}

/** Nothing for a file that is no script. */
function readScript(
  skill: Skill,
  file: FoundFile,
  warnings: string[],
): Omit<Script, 'name'> | 'library' | 'refused' | undefined {
  const extension = extname(file.path).toLowerCase()
  if (extension !== '' && !languageOf(extension)) return undefined
  if (file.path.endsWith('.d.ts')) return 'library'
  if (file.isLink) {
    const resolved = resolveScript(skill, file.path)
    if (!resolved.ok) {
      warnings.push(`${skill.name}: ${resolved.message}`)
      return 'refused'
    }
  }
  const described = describeScript(skill, file.path)
  return described?.isLibrary ? 'library' : described?.script
}

interface Described {
  readonly script: Omit<Script, 'name'>
  readonly isLibrary: boolean
}

function describeScript(skill: Skill, path: string): Described | undefined {
  const language = languageOf(extname(path).toLowerCase())
  const start = readText(join(skill.realBase, path), !language)
  if (!start) return undefined
  const { text, isExecutable } = start
  const shebang = shebangOf(text)
  const known = language ?? languageOfShebang(shebang)
  if (!known) return undefined
  const isMarked = isExecutable && shebang.length > 0
  const declared = declaredArguments(text, known, path)
  const script = {
    path,
    type: known.type,
    interpreter: language ? [language.interpreter] : shebang,
    shebang,
    description: descriptionOf(text, known),
    ...(declared && { declared }),
    hasInlineMetadata: known.type === 'python' && /^# \/\/\/ script\s*$/m.test(text),
  }
  return { script, isLibrary: isTestFile(path) || (!isMarked && isLibrary(text, path, known)) }
}

let shared: Buffer | undefined

/** The beginning of a file. Of one without a telling name, nothing but for a script that may be run. */
function readText(
  path: string,
  onlyScripts: boolean,
): { readonly text: string; readonly isExecutable: boolean } | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const stats = fstatSync(descriptor)
    const isExecutable = (stats.mode & 0o111) !== 0
    if (!stats.isFile() || (onlyScripts && !isExecutable)) return undefined
    shared ??= Buffer.allocUnsafe(maxScriptBytes)
    const length = readSync(descriptor, shared, 0, Math.min(stats.size, maxScriptBytes), 0)
    if (onlyScripts && shared.toString('latin1', 0, Math.min(2, length)) !== '#!') return undefined
    return { text: shared.toString('utf8', 0, length), isExecutable }
  } catch {
    return undefined
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
