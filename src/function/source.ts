// Gives functions to the catalogue: tools handed over in code, or everything that a module exports.

import { pathToFileURL } from 'node:url'
import { messageOf } from '../base/json.ts'
import { LegworkError } from '../model/errors.ts'
import type { Limits } from '../model/limits.ts'
import type { Ran, RunContext, Source, ToolDefinition } from '../model/tool.ts'
import { validate } from '../validate/validate.ts'
import { type FunctionTool, isFunctionTool } from './define-tool.ts'

export function functionSource(name: string, tools: readonly FunctionTool[]): Source {
  const definitions = tools.map(toDefinition)
  return { name, load: () => ({ tools: definitions }) }
}

/** The tools that a module exports, by any name, singly or in lists. Node strips the types of a .ts file by itself. */
export function functionModuleSource(name: string, file: string): Source {
  const load = async () => ({ tools: (await importTools(file)).map(toDefinition) })
  return { name, load }
}

async function importTools(file: string): Promise<readonly FunctionTool[]> {
  const exports = await import(pathToFileURL(file).href).catch((error: unknown) => {
    throw new LegworkError(
      'invalid-configuration',
      `The functions in "${file}" cannot be loaded: ${messageOf(error)}`,
      {
        cause: error,
      },
    )
  })
  const tools = new Set(Object.values(exports).flat().filter(isFunctionTool))
  if (tools.size) return [...tools]
  throw new LegworkError('invalid-configuration', `"${file}" exports no tool. Export what defineTool returns.`)
}

function toDefinition(tool: FunctionTool): ToolDefinition {
  const [first = '', second] = tool.name.split(':')
  return {
    name: second === undefined ? { path: [first] } : { module: first, path: [second] },
    kind: 'function',
    description: tool.description,
    input: tool.input,
    ...(tool.output && { output: tool.output }),
    effects: tool.effects,
    trust: tool.trust,
    ownersOwn: true,
    ...(tool.limits && { limits: tool.limits }),
    run: (input, context) => runFunction(tool, input, context),
  }
}

async function runFunction(tool: FunctionTool, input: unknown, context: RunContext): Promise<Ran> {
  const { signal, progress, caller, callId, content, limits } = context
  try {
    const value = await tool.run(input, { signal, progress, caller, callId, content })
    return tool.output ? await checkOutput(tool, value, limits) : { ok: true, value }
  } catch (error) {
    return { ok: false, code: 'tool-failed', message: messageOf(error) }
  }
}

async function checkOutput({ name, output }: FunctionTool, value: unknown, limits: Limits): Promise<Ran> {
  if (!output) return { ok: true, value }
  const checked = await validate(output, value ?? null, limits)
  if (checked.ok) return { ok: true, value: checked.value }
  const faults = checked.issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ')
  return {
    ok: false,
    code: 'tool-failed',
    message: `"${name}" returned what does not fit its output schema. ${faults}`,
  }
}
