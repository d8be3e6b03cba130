import { expect, test } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../src/index.ts'
import type { JsonSchema } from '../../src/model/schema.ts'
import { objectInput } from '../../src/toolcall/object-input.ts'
import { plainSchema } from '../../src/toolcall/plain-schema.ts'
import { openLegwork } from '../support/legwork.ts'

test.each<[JsonSchema, boolean]>([
  [{ type: 'array' }, true],
  [{ type: ['string', 'null'] }, true],
  [{ enum: ['a', 'b'] }, true],
  [{ const: 7 }, true],
  [{ anyOf: [{ type: 'string' }, { type: 'array' }] }, true],
  [{ allOf: [{}, { type: 'number' }] }, true],
  [{ $ref: '#/$defs/list', $defs: { list: { type: 'array' } } }, true],
  [{ type: 'object' }, false],
  [{ type: ['object', 'array'] }, false],
  [{ oneOf: [{ type: 'string' }, { type: 'object' }] }, false],
  [{ $ref: '#/$defs/thing', $defs: { thing: { type: 'object' } } }, false],
  [{ const: { a: 1 } }, false],
  [{}, false],
  [true, false],
])('the schema %j has its value wrapped: %s', (schema, expected) => {
  expect(objectInput(schema) !== schema).toBe(expected)
})

test('a schema of a library is looked at in the same way', () => {
  const offered = (schema: z.ZodType) => plainSchema({ type: 'standard', schema })
  expect(offered(z.array(z.string()))).toMatchObject({ required: ['value'] })
  expect(offered(z.union([z.string(), z.number()]))).toMatchObject({ required: ['value'] })
  expect(offered(z.object({}))).not.toMatchObject({ required: ['value'] })
})

const list = { type: 'array', items: { type: 'string' } }
const effects = { destructive: false, network: false, filesystem: { write: false } }
const join = defineTool({ name: 'x:join', description: '', input: list, effects, run: (words) => words })

test.each(['openai', 'anthropic', 'gemini'] as const)(
  '%s is offered a list as the one member of an object',
  async (provider) => {
    const legwork = await openLegwork({ functions: [join] })
    expect(JSON.stringify(await legwork.tools(provider))).toContain('"properties":{"value":{')
  },
)

test('a model that writes it so calls the tool with the list alone', async () => {
  const legwork = await openLegwork({ functions: [join] })
  const call = { id: 'c1', type: 'function', function: { name: 'x--join', arguments: '{"value":["a","b"]}' } }
  const reply = { choices: [{ message: { role: 'assistant', content: null, tool_calls: [call] } }] }
  const { results } = await legwork.handle('openai', reply)
  expect(results).toMatchObject([{ outcome: { ok: true, value: ['a', 'b'] } }])
  expect(legwork.journal.read({ phase: 'start' })).toMatchObject([{ input: '["a","b"]' }])
})
