// Gives functions to the catalogue: tools handed over in code, or everything that a module exports.

import { type Stats, statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { messageOf } from '../base/json.ts'
import type { Limits } from '../model/limits.ts'
import type { Schema, StandardSchema } from '../model/schema.ts'
import type { Loaded, Ran, RunContext, Source, ToolDefinition } from '../model/tool.ts'
import { validate } from '../validate/validate.ts'
import { type FunctionTool, isFunctionTool } from './define-tool.ts'

export function functionSource(name: string, tools: readonly FunctionTool[]): Source {
  const definitions = tools.map(toDefinition)
  return { name, load: () => ({ tools: definitions }) }
}

/** The tools that a module exports, by any name, singly or in lists. Node strips the types of a .ts file by itself. */
export function functionModuleSource(name: string, file: string): Source {
  const load = async (): Promise<Loaded> => {
    const imported = await importTools(file)
    return imported.ok ? { tools: imported.tools.map(toDefinition) } : { tools: [], warnings: [imported.fault] }
  }
  return { name, load }
}

type Imported =
  | { readonly ok: true; readonly tools: readonly FunctionTool[] }
  | { readonly ok: false; readonly fault: string }

/** A module that cannot be used takes its own tools out, and nobody else's. */
async function importTools(file: string): Promise<Imported> {
  try {
    const foreign = foreignFault(statSync(file), process.getuid?.())
    if (foreign) return { ok: false, fault: `The functions in "${file}" are not loaded: ${foreign}` }
    const exports = await import(pathToFileURL(file).href)
    const tools = new Set(Object.values(exports).flat().filter(isFunctionTool))
    if (tools.size) return { ok: true, tools: [...tools] }
    return { ok: false, fault: `"${file}" exports no tool. Export what defineTool returns.` }
  } catch (error) {
    return { ok: false, fault: `The functions in "${file}" cannot be loaded: ${messageOf(error)}` }
  }
}

/** Loading a module runs it with all our rights, so nobody else may be able to write it. */
function foreignFault({ uid: owner, mode }: Stats, uid: number | undefined): string | undefined {
  if (uid === undefined) return undefined
  if (owner !== uid && owner !== 0) return `the file belongs to another user (${owner}). Copy it, or change its owner.`
  return mode & 0o002 ? 'everybody may write the file. Take that right away (chmod o-w).' : undefined
}

function toDefinition(tool: FunctionTool): ToolDefinition {
  const [first = '', second] = tool.name.split(':')
  return {
    name: second === undefined ? { path: [first] } : { module: first, path: [second] },
    kind: 'function',
    description: tool.description,
    input: tool.input,
    ...(tool.output && { output: tool.output }),
    effects: structuredClone(tool.effects),
    trust: tool.trust,
    ownersOwn: true,
    ...(tool.limits && { limits: tool.limits }),
    fingerprint: () => String(tool.run),
    run: (input, context) => runFunction(tool, input, context),
  }
}

async function runFunction(tool: FunctionTool, input: unknown, context: RunContext): Promise<Ran> {
  const { signal, progress, caller, callId, content, log, call, limits } = context
  try {
    const value = await tool.run(input, { signal, progress, caller, callId, content, log, call })
    return tool.output ? await checkOutput(tool, value, limits) : { ok: true, value }
  } catch (error) {
    return { ok: false, code: 'tool-failed', message: messageOf(error) }
  }
}

async function checkOutput({ name, output }: FunctionTool, value: unknown, limits: Limits): Promise<Ran> {
  if (!output) return { ok: true, value }
  const faults =
    output.type === 'standard' ? await standardFaults(output.schema, value) : await jsonFaults(output, value, limits)
  if (!Array.isArray(faults)) return { ok: true, value: faults.value }
  const message = `"${name}" returned what does not fit its output schema. ${faults.join('; ')}`
  return { ok: false, code: 'tool-failed', message }
}

/** A Standard Schema gets what the tool returned as it is: it may turn a Date into text. */
async function standardFaults(schema: StandardSchema, value: unknown): Promise<string[] | { value: unknown }> {
  const result = await schema['~standard'].validate(value)
  if (!result.issues) return { value: result.value }
  return result.issues.slice(0, 20).map(({ message }) => message)
}

async function jsonFaults(output: Schema, value: unknown, limits: Limits): Promise<string[] | { value: unknown }> {
  const checked = await validate(output, value ?? null, limits)
  if (checked.ok) return { value: checked.value }
  return checked.issues.map(({ path, message }) => (path ? `${path}: ${message}` : message))
}
