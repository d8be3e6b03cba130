// The types of very many tools, and the client that goes with them.

import type { ToolDescription } from '../src/model/tool.ts'
import { clientModule } from '../src/toolscript/client.ts'
import { declarations } from '../src/toolscript/declarations.ts'
import { type Measurement, p50, percentile, sideBySide } from './measure.ts'

export async function benchTypes(): Promise<readonly Measurement[]> {
  const tools = toolsFor(1_000)
  const make = { types: () => declarations(tools), client: () => clientModule(tools) }
  const started = performance.now()
  make.types()
  const first = performance.now() - started
  const { types, client } = await sideBySide(make, { rounds: 50 })
  return [
    { name: 'types for 1,000 tools, the first time', value: first, unit: 'ms', goal: '≤ 150' },
    { name: 'types for 1,000 tools, p50', value: p50(types), unit: 'ms', goal: '≤ 150' },
    { name: 'types for 1,000 tools, p95', value: percentile(types, 0.95), unit: 'ms', goal: '≤ 150' },
    { name: 'the client for 1,000 tools, p50', value: p50(client), unit: 'ms' },
  ]
}

/** Twenty servers of fifty tools, each with eight parameters, a nested object and an output. */
function toolsFor(amount: number): readonly ToolDescription[] {
  return Array.from({ length: amount }, (_, at) => {
    const [module, name] = [`server${at % 20}`, `tool${at}`]
    const about = `What number ${at} is given here; it may be left out where the project has a default for it.`
    const person = { type: 'object', properties: { name: { type: 'string' }, friends: { $ref: '#/$defs/people' } } }
    const properties = {
      title: { type: 'string', description: about },
      state: { enum: ['open', 'closed', 'all'], description: about },
      labels: { type: 'array', items: { type: 'string' }, description: about },
      limit: { type: ['integer', 'null'], description: about },
      owner: person,
      options: { type: 'object', properties: { deep: { type: 'boolean' }, since: { type: 'string' } } },
      either: { anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: { type: 'number' } }] },
      people: { $ref: '#/$defs/people' },
    }
    const $defs = { people: { type: 'array', items: person } }
    return {
      id: `${module}:${name}`,
      source: module,
      name: { module, path: [name] },
      kind: 'mcp',
      description: `Does what tool number ${at} does. ${about}`,
      input: { type: 'json', schema: { type: 'object', properties, required: ['title'], $defs } },
      output: {
        type: 'json',
        schema: { type: 'object', properties: { total: { type: 'integer' }, owner: person }, $defs },
      },
      effects: {},
      trust: 'community',
      spellings: {
        id: `${module}:${name}`,
        script: `tools.${module}.${name}`,
        wire: `${module}__${name}`,
        provider: name,
      },
    }
  })
}
