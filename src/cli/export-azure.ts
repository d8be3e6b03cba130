// `legwork export azure DIR`: the catalogue as a function app, one folder a tool with its bindings, and one handler for all of them.

import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { messageOf } from '../base/json.ts'
import { makeFolder } from '../base/make-folder.ts'
import { count } from '../base/text.ts'
import { toAzureName } from '../model/name.ts'
import type { ToolDescription } from '../model/tool.ts'
import { withLegwork } from './open.ts'
import { print, printAside, printJson } from './print.ts'
import type { Globals } from './program.ts'
import { withProgress } from './progress.ts'
import { UsageError } from './usage.ts'

interface ExportOptions extends Globals {
  /** Writes into a folder that has something in it, over files of the same name. Default false. */
  readonly force?: boolean
}

export async function exportAzureVerb(folder: string, options: ExportOptions): Promise<number> {
  const path = resolve(folder)
  checkFolder(path, folder, options)
  return withLegwork(options, async (legwork) => {
    const { functions, leftOut } = azureFunctions(
      await withProgress('Asking the servers', options, () => legwork.tools()),
    )
    write(path, folder, functions)
    if (options.json) printJson({ folder: path, functions, leftOut })
    else {
      for (const { tool, reason } of leftOut) printAside(`Left out "${tool}": ${reason}`)
      print(`Wrote ${folder}: ${count(functions.length, 'function')}.`)
    }
    return 0
  })
}

export interface AzureFunction {
  readonly tool: string
  /** The function's name, and its folder's. */
  readonly name: string
}

export interface AzureFunctions {
  readonly functions: readonly AzureFunction[]
  readonly leftOut: readonly { readonly tool: string; readonly reason: string }[]
}

/** What Azure takes as a function's name; upper and lower case do not differ there. */
const azurePattern = /^[a-zA-Z][a-zA-Z0-9_-]{0,126}$/

export function azureFunctions(tools: readonly Pick<ToolDescription, 'id'>[]): AzureFunctions {
  const functions: AzureFunction[] = []
  const leftOut: { tool: string; reason: string }[] = []
  const taken = new Map<string, string>()
  for (const { id } of tools) {
    const name = toAzureName(id)
    const other = taken.get(name.toLowerCase())
    if (!azurePattern.test(name)) {
      leftOut.push({
        tool: id,
        reason: `Azure takes no function "${name}": a letter first, then letters, digits, "_" and "-", 127 at most.`,
      })
    } else if (other !== undefined) {
      leftOut.push({ tool: id, reason: `to Azure its name is that of "${other}".` })
    } else {
      taken.set(name.toLowerCase(), id)
      functions.push({ tool: id, name })
    }
  }
  return { functions, leftOut }
}

/** A call is a POST with the input as its body; the answer is the outcome. */
function bindingsOf(name: string) {
  return {
    bindings: [
      { type: 'httpTrigger', direction: 'in', name: 'request', authLevel: 'function', methods: ['post'], route: name },
      { type: 'http', direction: 'out', name: '$return' },
    ],
    scriptFile: '../legwork.mjs',
    entryPoint: 'run',
  }
}

const host = { version: '2.0', extensions: { http: { routePrefix: 'api' } } }

const packageFile = { type: 'module', private: true, dependencies: { legwork: '*' } }

const handler = `// Made by "legwork export azure". One handler for every function: the function's name is a spelling of its tool.
// What it may do is in legwork.jsonc, which belongs beside this file.

import { join } from 'node:path'
import { createLegwork } from 'legwork'

const legwork = createLegwork({ configuration: join(import.meta.dirname, 'legwork.jsonc') })

const statuses = {
  'unknown-tool': 404,
  'invalid-input': 400,
  denied: 403,
  'approval-needed': 403,
  'timed-out': 504,
  cancelled: 503,
  'too-busy': 429,
}

export async function run(context, request) {
  const outcome = await (await legwork).call({
    tool: context.executionContext.functionName,
    input: request.body ?? {},
    caller: { front: 'gateway', name: 'azure' },
  })
  return {
    status: outcome.ok ? 200 : (statuses[outcome.code] ?? 500),
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify(outcome),
  }
}
`

function checkFolder(path: string, folder: string, { force = false }: ExportOptions): void {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found && !found.isDirectory()) throw new UsageError(`"${folder}" is a file. Name a folder.`)
    if (force || !found || readdirSync(path).length === 0) return
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`"${folder}" cannot be written to: ${messageOf(error)}`)
  }
  throw new UsageError(`The folder "${folder}" has something in it. Name another one, or write over it with --force.`)
}

function write(path: string, folder: string, functions: readonly AzureFunction[]): void {
  try {
    for (const { name } of functions) {
      makeFolder(join(path, name))
      writeJson(join(path, name, 'function.json'), bindingsOf(name))
    }
    makeFolder(path)
    writeJson(join(path, 'host.json'), host)
    writeJson(join(path, 'package.json'), packageFile)
    writeFileSync(join(path, 'legwork.mjs'), handler)
  } catch (error) {
    throw new UsageError(`"${folder}" cannot be written to: ${messageOf(error)}`)
  }
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
}
