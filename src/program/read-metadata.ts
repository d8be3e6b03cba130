// Metadata from files and folders.

import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, parseJson } from '../base/json.ts'
import { checkMetadata, type MetadataCheck } from './check-metadata.ts'
import type { ProgramMetadata } from './metadata.ts'

export interface MetadataFiles {
  readonly tools: readonly ProgramMetadata[]
  /** What was wrong, each with its file and its path in there. */
  readonly faults: readonly string[]
  /** Keys that are nearly known ones and therefore do nothing, in the same way. */
  readonly warnings: readonly string[]
}

/** The metadata in a file, or in every `.json` file of a folder. Faults in one file do not touch the others. */
export async function readMetadata(path: string): Promise<MetadataFiles> {
  const files = await listFiles(path)
  if (!files.ok) return { tools: [], faults: [`${path}: ${files.message}`], warnings: [] }
  const read = await Promise.all(files.paths.map(async (file) => ({ file, check: await readFileMetadata(file) })))
  return {
    tools: read.flatMap(({ check }) => (check.ok ? [check.metadata] : [])),
    faults: read.flatMap(({ file, check }) => (check.ok ? [] : check.faults.map((fault) => `${file}: ${fault}`))),
    warnings: read.flatMap(({ file, check }) => (check.ok ? check.warnings.map((each) => `${file}: ${each}`) : [])),
  }
}

/** The metadata of one program in a file, or in a folder as `NAME.json` or by the name inside. */
export async function readMetadataOf(name: string, path: string): Promise<MetadataCheck> {
  const files = await listFiles(path)
  if (!files.ok) return { ok: false, faults: [files.message] }
  if (files.isOne) return readFileMetadata(path)
  const own = join(path, `${name}.json`)
  if (files.paths.includes(own)) return readFileMetadata(own)
  const { tools, faults } = await readMetadata(path)
  const found = tools.find((tool) => tool.name === name)
  if (found) return checkMetadata(found)
  const holds = tools.length ? ` It describes ${tools.map((tool) => tool.name).join(', ')}.` : ''
  return { ok: false, faults: [`No file in this folder describes "${name}".${holds}`, ...faults] }
}

/** Metadata as text, from a file or from a program. */
export async function parseMetadata(text: string): Promise<MetadataCheck> {
  const parsed = parseJson(text)
  if (!parsed.ok) return { ok: false, faults: [`This is not JSON: ${parsed.message}`] }
  const twice = await duplicateKeys(text)
  return twice.length ? { ok: false, faults: twice } : checkMetadata(parsed.value)
}

const maxFileBytes = 64 * 1_048_576

async function readFileMetadata(file: string): Promise<MetadataCheck> {
  try {
    if ((await stat(file)).size > maxFileBytes) return { ok: false, faults: ['The file is larger than 64 MB.'] }
    return await parseMetadata(await readFile(file, 'utf8'))
  } catch (error) {
    return { ok: false, faults: [messageOf(error)] }
  }
}

type Listed =
  | { readonly ok: true; readonly isOne: boolean; readonly paths: readonly string[] }
  | { readonly ok: false; readonly message: string }

async function listFiles(path: string): Promise<Listed> {
  try {
    if (!(await stat(path)).isDirectory()) return { ok: true, isOne: true, paths: [path] }
    const names = (await readdir(path)).filter((name) => name.endsWith('.json')).sort()
    return { ok: true, isOne: false, paths: names.map((name) => join(path, name)) }
  } catch (error) {
    return { ok: false, message: messageOf(error) }
  }
}

const maxFaults = 20

/** JSON lets the last of two equal names win without a word: one of two commands would be gone. */
async function duplicateKeys(text: string): Promise<readonly string[]> {
  const { visit } = await import('jsonc-parser')
  const objects: Set<string>[] = []
  const faults: string[] = []
  visit(text, {
    onObjectBegin: () => {
      objects.push(new Set())
    },
    onObjectEnd: () => {
      objects.pop()
    },
    onObjectProperty: (name, _offset, _length, line, character, path) => {
      const names = objects.at(-1)
      if (names?.has(name) && faults.length < maxFaults) {
        faults.push(
          `${[...path(), name].join('.')}: this name is there twice (line ${line + 1}, column ${character + 1}).`,
        )
      }
      names?.add(name)
    },
  })
  return faults
}
