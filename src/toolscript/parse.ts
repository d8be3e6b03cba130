// Reads a script's syntax: what it imports, what it returns, which tools it names, and what no script may do.

import { isObject, messageOf } from '../base/json.ts'
import type { IssueCode } from '../model/schema.ts'
import { nestingFault } from './nesting.ts'
import { type ToolReference, toolReferences } from './references.ts'
import type { Script, ScriptFault } from './script.ts'

export interface Parsed {
  readonly faults: readonly ScriptFault[]
  /** Offsets of `return` outside every function. */
  readonly returns: readonly number[]
  /** The relative modules that it imports. */
  readonly relative: readonly { readonly specifier: string; readonly offset: number }[]
  /** All that it imports, by the names that are written out. */
  readonly imports: readonly string[]
  readonly references: readonly ToolReference[]
}

export const nothingParsed: Parsed = { faults: [], returns: [], relative: [], imports: [], references: [] }

const strayReturn = /'return' statement can only be used within a function body/

export async function parseScript({ path, text }: Script): Promise<Parsed> {
  const fault = (offset: number, code: IssueCode, message: string) => ({ path, text, offset, code, message })
  const deep = nestingFault(text)
  if (deep) return { ...nothingParsed, faults: [fault(deep.offset, 'TOO_LARGE', deep.message)] }
  const { parseSync } = await import('oxc-parser')
  try {
    const { errors, comments, module, program } = parseSync(path, text, {
      sourceType: 'module',
      lang: languageOf(path),
    })
    const startOf = (error: (typeof errors)[number]) => error.labels[0]?.start ?? 0
    const [stray, broken] = partition(errors, ({ message }) => strayReturn.test(message))
    const returns = stray.map(startOf).sort((a, b) => a - b)
    const imports = importsOf(module, text)
    const [firstReturn] = returns
    const exported = firstReturn !== undefined && module.staticExports.find(({ entries }) => entries.some(conflicts))
    const faults = [
      ...broken.map((error) => fault(startOf(error), 'INVALID_FORMAT', error.message)),
      ...comments.flatMap(({ start, value }) => {
        const [, word] = /(?:^|\n)[\s*/]*@(ts-(?:nocheck|ignore|expect-error))\b/.exec(value) ?? []
        return word
          ? [fault(start, 'INVALID_VALUE', `A toolscript is checked: "@${word}" is not possible. Remove it.`)]
          : []
      }),
      ...imports.flatMap(({ specifier, offset }) => {
        const why = refusedImport(specifier)
        return why === undefined ? [] : [fault(offset, 'INVALID_VALUE', why)]
      }),
      ...decoratorsOf(program, text).map((start) => fault(start, 'INVALID_VALUE', noDecorators)),
      ...(exported ? [fault(exported.start, 'INVALID_VALUE', bothWays)] : []),
    ]
    const relative = imports.filter(({ specifier }) => isRelative(specifier))
    faults.sort((a, b) => a.offset - b.offset)
    return {
      faults,
      returns,
      relative,
      imports: imports.map(({ specifier }) => specifier),
      references: toolReferences(program),
    }
  } catch (error) {
    const faults = [fault(0, 'INVALID_FORMAT', `The script could not be read: ${messageOf(error)}`)]
    return { faults, returns: [], relative: [], imports: [], references: [] }
  }
}

export function languageOf(path: string): 'js' | 'ts' {
  return /\.[cm]?js$/.test(path) ? 'js' : 'ts'
}

const bothWays =
  'A script with a "return" outside functions has no "export default" and no "export … from". Use one way.'

const noDecorators = 'Deno runs no decorators, so a toolscript has none. Call the function that it names instead.'

function decoratorsOf(program: unknown, text: string): number[] {
  const found: number[] = []
  const waiting: unknown[] = text.includes('@') ? [program] : []
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (isObject(node) && node.type === 'Decorator' && typeof node.start === 'number') found.push(node.start)
    for (const child of typeof node === 'object' && node !== null ? Object.values(node) : []) {
      if (typeof child === 'object' && child !== null) waiting.push(child)
    }
  }
  return found
}

interface ExportEntry {
  readonly exportName: { readonly kind: string }
  readonly moduleRequest: unknown
}

function conflicts({ exportName, moduleRequest }: ExportEntry): boolean {
  return exportName.kind === 'Default' || Boolean(moduleRequest)
}

interface Imports {
  readonly staticImports: readonly { readonly moduleRequest: { readonly value: string; readonly start: number } }[]
  readonly staticExports: readonly {
    readonly entries: readonly { readonly moduleRequest: { readonly value: string; readonly start: number } | null }[]
  }[]
  readonly dynamicImports: readonly { readonly moduleRequest: { readonly start: number; readonly end: number } }[]
}

/** Those that are written out; what is worked out while the script runs, the box denies. */
function importsOf({ staticImports, staticExports, dynamicImports }: Imports, text: string) {
  const requests = [
    ...staticImports.map(({ moduleRequest }) => moduleRequest),
    ...staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest ?? [])),
  ]
  const literal = dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
    const [, , value] = /^(["'`])([^"'`\\$]*)\1$/.exec(text.slice(start, end)) ?? []
    return value === undefined ? [] : [{ value, start }]
  })
  return [...requests, ...literal].map(({ value, start }) => ({ specifier: value, offset: start }))
}

function refusedImport(specifier: string): string | undefined {
  if (specifier === 'node:worker_threads') return 'A toolscript has no workers. Do the work in the script itself.'
  if (specifier === 'toolscript' || /^node:[\w/]+$/.test(specifier) || isRelative(specifier)) return undefined
  const may = 'A script imports "toolscript", files of its own project by a relative path, and "node:" modules'
  if (/^(https?|npm|jsr|data|blob):/i.test(specifier)) {
    return `"${short(specifier)}" is not imported. ${may}; nothing is fetched, because what was checked must be what runs.`
  }
  return `"${short(specifier)}" is not imported. ${may}.`
}

const isRelative = (specifier: string) => /^\.\.?(\/|$)/.test(specifier)
const short = (text: string) => (text.length > 100 ? `${text.slice(0, 100)}…` : text)

function partition<T>(list: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [list.filter(test), list.filter((item) => !test(item))]
}
