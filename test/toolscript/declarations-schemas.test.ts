// Random schemas and random values against the real compiler: many at once, because starting it is what takes time.

import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { setOwn } from '../../src/base/json.ts'
import type { JsonSchema } from '../../src/model/schema.ts'
import type { ToolDefinition } from '../../src/model/tool.ts'
import { ambientDeclarations, declarations, signature } from '../../src/toolscript/declarations.ts'
import { schemaType } from '../../src/toolscript/schema-type.ts'
import { compile, definition, described } from './declarations-compile.ts'

const sharp = fc.constantFrom(
  '*/',
  '\u2028',
  '`',
  '${x}',
  '"',
  "'",
  '\\',
  '\n',
  '__proto__',
  'constructor',
  '@ts-ignore',
)
const anyText = fc.oneof(fc.string({ maxLength: 8 }), fc.string({ unit: 'grapheme', maxLength: 4 }), sharp)
const ref = fc.constantFrom('#', '#/$defs/a', '#/$defs/b', '#/$defs/c', '#/properties/a', '#nowhere', 'https://x/y')

/** An object with every key its own, `__proto__` included. */
const fields = <T>(value: fc.Arbitrary<T>) =>
  fc.array(fc.tuple(anyText, value), { maxLength: 4 }).map((pairs) => {
    const object = {}
    for (const [name, field] of pairs) setOwn(object, name, field)
    return object
  })

/** Anything that may stand where a schema should, sensible or not. */
const { schema: wild } = fc.letrec<{ schema: unknown }>((tie) => {
  const inner = tie('schema')
  const list = fc.array(inner, { maxLength: 3 })
  const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object', 'odd')
  const keywords = fc.record(
    {
      type: fc.oneof(type, fc.array(type, { maxLength: 3 })),
      description: anyText,
      properties: fields(inner),
      required: fc.array(anyText, { maxLength: 3 }),
      additionalProperties: inner,
      patternProperties: fields(inner),
      items: fc.oneof(inner, list),
      prefixItems: list,
      minItems: fc.integer({ min: -1, max: 3 }),
      maxItems: fc.integer({ min: -1, max: 3 }),
      enum: fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 4 }),
      const: fc.jsonValue({ maxDepth: 2 }),
      nullable: fc.boolean(),
      anyOf: list,
      oneOf: list,
      allOf: list,
      not: inner,
      $ref: ref,
      $dynamicRef: ref,
      $defs: fc.record({ a: inner, b: inner, c: inner }),
    },
    { requiredKeys: [] },
  )
  return { schema: fc.oneof({ maxDepth: 4, depthSize: 'small' }, fc.constantFrom(true, false, {}, 7, null), keywords) }
})

const tool = fc
  .tuple(
    anyText,
    anyText,
    fc.oneof(wild, fc.record({ $ref: ref, $defs: fc.record({ a: wild, b: wild, c: wild }) })),
    wild,
    anyText,
  )
  .map(([module, name, input, output, description]): ToolDefinition => {
    return definition([module, name], input as JsonSchema, { output: output as JsonSchema, description })
  })

test('whatever the schemas are, the module compiles', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const tools = await described(fc.sample(tool, { numRuns: 200, seed }))
  const said = await compile({
    'tools.d.ts': declarations(tools),
    'legwork.d.ts': ambientDeclarations(tools).replace('toolscript', 'other'),
  })
  expect(said, `seed ${seed}`).toEqual([])
})

/** Whatever the texts are, taking the comments and the texts out leaves the same bones. */
function bones(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/"(?:[^"\\\n]|\\.)*"/g, 'TEXT')
    .replace(/\s+/g, ' ')
    .trim()
}

test('no text leaves its comment or its string', async () => {
  const [plain] = await described([definition(['a', 'b'], {})])
  if (!plain) throw new Error('There is no tool.')
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom('*/ evil()', '*\u200b/', '*\u2028/', '"', '\\', '\n', '\r', '${x}', '`', '**/'),
  )
  fc.assert(
    fc.property(text, text, text, (description, name, value) => {
      fc.pre(name !== '__proto__' && !/^[a-zA-Z_$][\w$]*$/.test(name))
      const schema = { type: 'object', properties: { [name]: { enum: [value], description } } }
      const made = signature({ ...plain, description, input: { type: 'json', schema } })
      expect(bones(made)).toBe('tools.a.b(input?: { TEXT?: TEXT }): Promise<Json>')
    }),
  )
})

/** Sensible schemas, whose values are told apart by a validator. */
const { schema: sensible } = fc.letrec<{ schema: object }>((tie) => {
  const inner = tie('schema')
  const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c-d', 'constructor', '日本'), { maxLength: 3 })
  const object = names.chain((all) =>
    fc.record({
      type: fc.constant('object'),
      properties: fc
        .tuple(...all.map(() => inner))
        .map((list) => Object.fromEntries(all.map((name, at) => [name, list[at]]))),
      required: fc.subarray(all),
      additionalProperties: fc.constant(false),
    }),
  )
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom({ type: 'string' }, { type: 'integer' }, { type: 'boolean' }, { type: ['null', 'number'] }, {}),
      fc.record({
        enum: fc.array(fc.oneof(fc.string({ maxLength: 3 }), fc.integer(), fc.boolean()), {
          minLength: 1,
          maxLength: 3,
        }),
      }),
      fc.record({ type: fc.constant('array'), items: inner }),
      fc.record({
        type: fc.constant('array'),
        prefixItems: fc.array(inner, { minLength: 1, maxLength: 3 }),
        minItems: fc.nat(2),
      }),
      fc.record({ anyOf: fc.array(inner, { minLength: 1, maxLength: 3 }) }),
      fc.record({ type: fc.constant('object'), additionalProperties: inner }),
      object,
    ),
  }
})

/** Values that are likely to fit: the schema is followed, and now and then left. */
function valueFor(schema: object): fc.Arbitrary<unknown> {
  const {
    type,
    enum: choices,
    items,
    prefixItems,
    anyOf,
    properties,
    required,
    additionalProperties,
  } = schema as Record<string, never> & { required?: string[] }
  if (choices) return fc.constantFrom(...(choices as unknown[]))
  if (anyOf) return fc.oneof(...(anyOf as object[]).map(valueFor))
  if (prefixItems)
    return fc
      .tuple(...(prefixItems as object[]).map(valueFor))
      .chain((all) => fc.nat(all.length).map((most) => all.slice(0, most)))
  if (items) return fc.array(valueFor(items), { maxLength: 2 })
  if (properties) {
    const values = Object.fromEntries(
      Object.entries<object>(properties).map(([name, field]) => [name, valueFor(field)]),
    )
    return fc.record(values, { requiredKeys: required ?? [] })
  }
  if (additionalProperties)
    return fc.dictionary(fc.string({ maxLength: 3 }), valueFor(additionalProperties), { maxKeys: 2 })
  if (type === 'string') return fc.string({ maxLength: 3 })
  if (type === 'integer') return fc.integer()
  return type === 'boolean'
    ? fc.boolean()
    : Array.isArray(type)
      ? fc.constantFrom(null, 1.5)
      : fc.jsonValue({ maxDepth: 1 })
}

test('a value that a validator accepts is of the type', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const ajv = new Ajv2020({ strict: false })
  const pairs = fc.sample(
    sensible.chain((schema) => valueFor(schema).map((value) => ({ schema, value }))),
    { numRuns: 500, seed },
  )
  const accepted = pairs.filter(({ schema, value }) => ajv.validate(schema, value))
  expect(accepted.length).toBeGreaterThan(100)
  const lines = accepted.map(({ schema, value }, at) => {
    const { text } = schemaType({ ...schema }, { prefix: 'x', taken: new Set() })
    return `export const v${at}: ${text} = ${JSON.stringify(value)}`
  })
  expect(await compile({ 'values.ts': lines.join('\n') }), `seed ${seed}`).toEqual([])
})
