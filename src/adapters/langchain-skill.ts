// The subpath `legwork/skill/langchain`: a LangChain StructuredTool for each script of each skill, and one for the
// instructions of each skill that has some. Needs `@langchain/core` beside Legwork.

import { randomUUID } from 'node:crypto'
import { DynamicStructuredTool, type ToolRunnableConfig } from '@langchain/core/tools'
import { isObject, messageOf } from '../base/json.ts'
import type { ScriptMetadata, SkillManager, SkillMetadata } from '../doors/skill.ts'
import { LegworkError } from '../model/errors.ts'
import { type ScriptToolResult, toolResult } from '../skill/result.ts'
import { type LangChainSchema, langChainSchema } from './langchain-schema.ts'

export interface LangChainOptions {
  /** The skills to take. Default: all that the manager has. */
  readonly skills?: readonly string[]
  /** The name of a tool, from the specification's own (`pdf-extractor.extract`). Default: that name. */
  readonly rename?: (name: string) => string
}

/** A script that failed, or was not run. Its message is what the script wrote to stderr, or why it did not run. */
export class ScriptToolError extends LegworkError {
  readonly result: ScriptToolResult

  constructor(message: string, result: ScriptToolResult, options?: ErrorOptions) {
    super('execution-failed', message, options)
    this.result = result
  }
}

/** Detects the scripts of the skills, and makes the tools. */
export async function langChainTools(
  manager: SkillManager,
  { skills, rename = (name) => name }: LangChainOptions = {},
): Promise<DynamicStructuredTool[]> {
  const wanted = manager.listSkills().filter(({ name }) => !skills || skills.includes(name))
  const tools = wanted.map(async (skill) => {
    const scripts = await manager.listScripts(skill.name)
    const prompt = skill.has_prompt ? [promptTool(manager, skill, rename)] : []
    return [...prompt, ...scripts.map((script) => scriptTool(manager, skill, script, rename))]
  })
  return (await Promise.all(tools)).flat()
}

function promptTool(manager: SkillManager, { name, description }: SkillMetadata, rename: (name: string) => string) {
  return new DynamicStructuredTool<LangChainSchema>({
    name: rename(name),
    description,
    schema: { type: 'object', properties: { arguments: { type: 'string' } }, additionalProperties: false },
    func: async (input: unknown) => manager.invokeSkill(name, isObject(input) ? (input.arguments ?? '') : ''),
  })
}

/** One field of any JSON, which the script gets as it is; or the arguments that the script declares. */
function scriptTool(
  manager: SkillManager,
  skill: SkillMetadata,
  { name, path, description, input_schema: declared }: ScriptMetadata,
  rename: (name: string) => string,
) {
  return new DynamicStructuredTool<LangChainSchema>({
    name: rename(`${skill.name}.${name}`),
    description,
    schema: declared === undefined ? anything : langChainSchema(declared),
    responseFormat: 'content_and_artifact',
    func: async (given: unknown, _manager: unknown, config?: ToolRunnableConfig) => {
      const input = declared === undefined && isObject(given) ? given.input : given
      const id = config?.toolCall?.id ?? randomUUID()
      return run(manager, skill.name, path, input, id, config?.signal)
    },
  })
}

const anything: LangChainSchema = {
  type: 'object',
  properties: { input: {} },
  required: ['input'],
  additionalProperties: false,
}

/** What a model reads, and the specification's own result beside it. */
async function run(
  manager: SkillManager,
  skill: string,
  path: string,
  input: unknown,
  id: string,
  signal: AbortSignal | undefined,
): Promise<[string, ScriptToolResult]> {
  const result = await manager
    .executeSkillScript(skill, path, input, { ...(signal && { signal }) })
    .catch((error: unknown) => {
      const refused = { type: 'tool_result', tool_use_id: id, content: null, is_error: true } as const
      throw new ScriptToolError(messageOf(error), refused, { cause: error })
    })
  const told = toolResult(id, result)
  if (told.is_error) throw new ScriptToolError(result.stderr || `It ended with exit code ${result.exit_code}.`, told)
  return [result.stdout, told]
}
