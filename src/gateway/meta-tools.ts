// The few tools that stand for a whole catalogue where an MCP client is not to be shown every one: they search, describe, call and
// run scripts. Here is what a model reads of them, each word of which it pays for.

import type { JsonObject } from '../base/json.ts'

export interface MetaTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  /** Known to change nothing, so that a client may always allow it. Default false. */
  readonly readOnly?: boolean
}

const object = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

/** For clients without a session: what shows that they are the one that asked. */
const approval = { type: 'string', description: 'Only as an answer before said.' }

const script = object(
  {
    code: { type: 'string', description: 'TypeScript. Its value is what it returns.' },
    timeoutMs: { type: 'integer', minimum: 1, maximum: 600_000, description: 'Default 60000.' },
    approval,
  },
  ['code'],
)

export const metaTools = [
  {
    name: 'search_tools',
    description: 'Finds tools by what they do. Gives names and first lines, best first.',
    inputSchema: object(
      {
        query: { type: 'string', description: 'Words, such as "create issue".' },
        limit: { type: 'integer', minimum: 1, maximum: 100, description: 'Default 10.' },
      },
      ['query'],
    ),
    readOnly: true,
  },
  {
    name: 'describe_tools',
    description: 'Gives the TypeScript signatures of tools, with what they may do.',
    inputSchema: object({ names: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 100 } }, ['names']),
    readOnly: true,
  },
  {
    name: 'call_tool',
    description: 'Calls one tool by its name.',
    inputSchema: object(
      { name: { type: 'string' }, input: { type: 'object', description: 'Its arguments.' }, approval },
      ['name'],
    ),
  },
  {
    name: 'query_script',
    description:
      'Runs a script that may only look: it calls tools as "await tools.github.listIssues({…})", those that change nothing. One script instead of many calls; only what it returns comes back.',
    inputSchema: script,
    readOnly: true,
  },
  {
    name: 'run_script',
    description: 'The same with every tool. A person may be asked about what it does.',
    inputSchema: script,
  },
  {
    name: 'get_run',
    description: 'Gives the state of a run, or its outcome.',
    inputSchema: object({ id: { type: 'string' } }, ['id']),
    readOnly: true,
  },
] as const satisfies readonly MetaTool[]
