// The executor of specification 003 on an engine it is handed: names in, the one path, results or the specification's
// errors out.

import { parseJson } from '../base/json.ts'
import { nearest } from '../base/text.ts'
import type { Call } from '../model/call.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Tool, ToolDefinition } from '../model/tool.ts'
import { checkMetadata } from './check-metadata.ts'
import { type CommandMapping, flatten, groupsOf } from './commands.ts'
import { UnknownCommandError } from './errors.ts'
import type { CallOptions, Executor, ExecutorCall, ExecutorConfig, ExecutorParts } from './executor-types.ts'
import type { AtipTool, ProgramMetadata } from './metadata.ts'
import { validateToolCall } from './parameters.ts'
import { passOutput } from './pass-output.ts'
import { asTools, checkDefinition } from './policy-check.ts'
import { type ExecutorResult, type Settled, settle } from './settle.ts'
import { programTool } from './tools.ts'

export function executorOn(parts: ExecutorParts, config: ExecutorConfig): Executor {
  const { execution = {}, separator } = config
  const { tools, warnings } = usable(config.tools)
  const index = flatten(tools, separator)
  const alike = groupsOf(index)
  const added = new Map<readonly CommandMapping[], Promise<readonly Tool[]>>()
  const passed = passOutput(parts, execution)

  const definitionOf = (mapping: CommandMapping): ToolDefinition => {
    const { env, shell, confine, resources } = execution
    return programTool(mapping, {
      workspace: parts.workspace,
      ownersOwn: true,
      skipValidation: config.skipValidation ?? false,
      ...(env && { env }),
      ...(shell && { shell }),
      ...(confine && { confine }),
      ...(resources && { resources }),
    })
  }
  /**
   * A command becomes a tool of the engine when it is first called: ten thousand of them cost nothing until then. Those
   * whose names are alike come along, so that none of them gets another's spelling by being called first.
   */
  const toolOf = async (mapping: CommandMapping): Promise<Tool> => {
    const group = alike(mapping)
    const tools = added.get(group) ?? parts.add(group.map(definitionOf))
    added.set(group, tools)
    return (await tools)[group.indexOf(mapping)] as Tool
  }
  const unknown = (name: string) => {
    const note = [...warnings, ...tools.flatMap(partialNote)].join(' ')
    return new UnknownCommandError(name, nearest(name, index.keys()), note)
  }

  const prepare = async (call: ExecutorCall, options: CallOptions = {}) => {
    const { signal, timeout = execution.timeout } = options
    const name = String(call.name)
    const mapping = index.get(name)
    const tool = mapping && (await toolOf(mapping))
    if (mapping && tool) parts.names.set(tool.id, mapping.name)
    const made: Call = {
      // Only flattened names count here, though the catalogue knows more spellings of what was called already.
      tool: tool?.id ?? (parts.isTaken(name) ? `"${name}"` : name),
      input: inputOf(call),
      ...(signal && { signal }),
      ...(timeout !== undefined && { timeoutMs: timeout }),
    }
    return { call, mapping, tool, made }
  }
  type Prepared = Awaited<ReturnType<typeof prepare>>

  const finish = async ({ call, mapping, tool, made }: Prepared, outcome: Outcome): Promise<Settled> => {
    const kept = await passed?.end(outcome)
    if (!mapping || !tool) return { ok: false, error: unknown(String(call.name)) }
    const { policy, redactor, maxOutputSize, workspace } = parts
    const asked = { ...call, arguments: made.input }
    const circumstances = {
      call: asked,
      mapping,
      tool,
      policy,
      redactor,
      maxOutputSize,
      output: { ...config.output, workspace },
    }
    return settle(outcome, { ...circumstances, kept, timeout: made.timeoutMs ?? tool.limits?.timeoutMs })
  }
  const orThrow = (settled: Settled): ExecutorResult => {
    if (settled.ok) return settled.result
    throw settled.error
  }
  const mapped = ({ name }: ExecutorCall): CommandMapping => {
    const mapping = index.get(name)
    if (!mapping) throw unknown(name)
    return mapping
  }

  return {
    execute: async (call, options) => {
      const prepared = await prepare(call, options)
      return orThrow(await finish(prepared, await parts.execute(prepared.made)))
    },
    executeBatch: async (calls, options = {}) => {
      const prepared = await Promise.all(calls.map((call) => prepare(call)))
      const outcomes = await parts.executeBatch(
        prepared.map(({ made }) => made),
        options,
      )
      const settled = await Promise.all(prepared.map((one, at) => finish(one, outcomes[at] as Outcome)))
      return settled.map((one, at) => ({ call: calls[at] as ExecutorCall, ...one }))
    },
    executeStream: async function* (call, options) {
      const prepared = await prepare(call, options)
      for await (const event of parts.stream(prepared.made)) {
        if (event.type === 'output') yield { type: event.stream, text: event.text }
        if (event.type === 'ended') yield { type: 'result', result: orThrow(await finish(prepared, event.outcome)) }
      }
    },
    validate: (call) => {
      const mapping = index.get(call.name)
      if (mapping) return validateToolCall({ arguments: inputOf(call) }, mapping)
      const error = { path: '', code: 'UNKNOWN_COMMAND', message: unknown(call.name).message } as const
      return { valid: false, errors: [error], warnings: [], arguments: {} }
    },
    checkPolicy: (call) => {
      const mapping = mapped(call)
      const given = call.arguments === undefined ? {} : { arguments: inputOf(call) }
      const group = alike(mapping)
      const tool = asTools(group.map(definitionOf))[group.indexOf(mapping)] as Tool
      return checkDefinition(given, mapping, tool, parts.policy)
    },
    commands: () => [...index.keys()],
    warnings,
    journal: parts.journal,
  }
}

/** Text that is JSON is taken for what it says; any other is refused when it is checked. */
function inputOf({ arguments: given = {}, error }: ExecutorCall): unknown {
  if (error !== undefined) return 'arguments that could not be read'
  if (typeof given !== 'string') return given
  const parsed = parseJson(given)
  return parsed.ok ? parsed.value : given
}

function usable(given: readonly AtipTool[]): { tools: readonly ProgramMetadata[]; warnings: readonly string[] } {
  const tools = new Map<string, ProgramMetadata>()
  const warnings: string[] = []
  for (const [at, tool] of given.entries()) {
    const checked = checkMetadata(tool)
    if (!checked.ok) warnings.push(...checked.faults.map((fault) => `tools[${at}]: ${fault}`))
    else if (tools.has(checked.metadata.name)) {
      warnings.push(`tools[${at}].name: there is another program "${checked.metadata.name}"; the first one counts.`)
    } else tools.set(checked.metadata.name, checked.metadata)
  }
  return { tools: [...tools.values()], warnings }
}

function partialNote({ name, partial }: ProgramMetadata): readonly string[] {
  return partial ? [`The metadata of "${name}" is partial: a command that it leaves out cannot be called.`] : []
}
