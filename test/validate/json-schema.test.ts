import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonSchema } from '../../src/model/schema.ts'
import { type Validation, validate } from '../../src/validate/validate.ts'

const bounds = { maxInputBytes: 10_485_760, maxInputDepth: 128 }

async function check(schema: JsonSchema, input: unknown): Promise<Validation> {
  return await validate({ type: 'json', schema }, input, bounds)
}

async function told(schema: JsonSchema, input: unknown): Promise<string[]> {
  const validation = await check(schema, input)
  return validation.ok ? [] : validation.issues.map(({ path, code, message }) => `${path} ${code}: ${message}`)
}

const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: 'object',
  properties,
  ...more,
})

describe('each issue has its path, its code, the value and what is wanted', () => {
  test.each<[JsonSchema, unknown, string[]]>([
    [
      object({ title: { type: 'string' } }, { required: ['title'] }),
      {},
      ['title MISSING_REQUIRED: The parameter "title" is missing. It must be a string.'],
    ],
    [
      object({ files: { type: 'array', items: object({}, { required: ['name'] }) } }),
      { files: [{ name: 1 }, {}] },
      ['files[1].name MISSING_REQUIRED: The parameter "files[1].name" is missing.'],
    ],
    [
      object({ count: { type: 'integer' } }),
      { count: '12abc' },
      ['count INVALID_TYPE: "count" must be an integer, but is the string "12abc".'],
    ],
    [
      object({ state: { enum: ['open', 'closed'] } }),
      { state: 'opne' },
      ['state INVALID_ENUM: "state" must be one of "open", "closed", but is "opne". Did you mean "open"?'],
    ],
    [object({ v: { const: 2 } }), { v: 3 }, ['v INVALID_ENUM: "v" must be 2, but is 3.']],
    [
      object({ at: { type: 'string', format: 'date-time' } }),
      { at: 'now' },
      ['at INVALID_FORMAT: "at" must be a valid date-time, but is "now".'],
    ],
    [
      object({ title: {} }, { additionalProperties: false }),
      { titel: 1 },
      ['titel UNKNOWN_PARAMETER: There is no parameter "titel". Did you mean "title"?'],
    ],
    [
      object({ a: true, b: {}, c: { enum: ['x', { y: 1 }] } }, { required: ['a', 'b', 'c'] }),
      {},
      [
        'a MISSING_REQUIRED: The parameter "a" is missing.',
        'b MISSING_REQUIRED: The parameter "b" is missing.',
        'c MISSING_REQUIRED: The parameter "c" is missing. It must be one of "x", "{\\"y\\":1}".',
      ],
    ],
    [
      object({ n: { enum: Array.from({ length: 25 }, (_, at) => at) } }),
      { n: 99 },
      [
        'n INVALID_ENUM: "n" must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 or one of 5 others, but is 99.',
      ],
    ],
    [
      { type: 'object', additionalProperties: false },
      { title: 1 },
      ['title UNKNOWN_PARAMETER: There is no parameter "title".'],
    ],
    [
      { allOf: [object({ name: {} })], properties: { title: {} }, unevaluatedProperties: false },
      { name: 1, titel: 1 },
      ['titel UNKNOWN_PARAMETER: There is no parameter "titel". Did you mean "title"?'],
    ],
    [
      object({ x: { not: { type: 'null' } } }),
      { x: null },
      ['x INVALID_VALUE: "x" has a shape that is not allowed, and is null.'],
    ],
    [object({ x: false }), { x: 1 }, ['x INVALID_VALUE: "x" is not allowed here.']],
    [object({ s: { pattern: '^a$' } }), { s: 'b' }, ['s INVALID_VALUE: "s" must match the pattern "^a$", but is "b".']],
    [
      object({ l: { uniqueItems: true } }),
      {
        l: [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      },
      ['l INVALID_VALUE: "l" must not hold the same item twice.'],
    ],
    [
      object({}, { dependentRequired: { user: ['password'] } }),
      { user: 'x' },
      ['password MISSING_REQUIRED: The parameter "password" is missing.'],
    ],
    [
      object({ m: { propertyNames: { pattern: '^[a-z]+$' } } }),
      { m: { A: 1 } },
      ['m INVALID_VALUE: "m" has the name "A" in it, which is not allowed.'],
    ],
    [
      object({ a: {} }, JSON.parse('{"if": {"required": ["a"]}, "then": {"required": ["b"]}}')),
      { a: 1 },
      ['b MISSING_REQUIRED: The parameter "b" is missing.'],
    ],
    [{ type: 'object' }, 'text', [' INVALID_TYPE: The input must be an object, but is the string "text".']],
    [object({ x: { type: 'null' } }), { x: 1 }, ['x INVALID_TYPE: "x" must be null, but is the number 1.']],
    [false, {}, [' INVALID_VALUE: The tool accepts no input at all.']],
  ])('%j', async (schema, input, expected) => {
    expect(await told(schema, input)).toEqual(expected)
  })

  test.each<[Record<string, unknown>, unknown, string]>([
    [{ minLength: 1 }, '', 'have at least 1 character, but is ""'],
    [{ maxLength: 2 }, 'abc', 'have at most 2 characters, but is "abc"'],
    [{ minItems: 2 }, [1], 'have at least 2 items, but is an array of 1'],
    [{ maxItems: 1 }, [1, 2], 'have at most 1 item, but is an array of 2'],
    [{ prefixItems: [{}], items: false }, [1, 2], 'have at most 1 item, but is an array of 2'],
    [{ prefixItems: [{}], unevaluatedItems: false }, [1, 2], 'have at most 1 item, but is an array of 2'],
    [{ items: [{}], additionalItems: false }, [1, 2], 'have at most 1 item, but is an array of 2'],
    [{ contains: { const: 3 } }, [], 'satisfy "contains", but is an array of 0'],
    [{ minProperties: 1 }, {}, 'have at least 1 field, but is an object'],
    [{ maxProperties: 1 }, { a: 1, b: 2 }, 'have at most 1 field, but is an object'],
    [{ minimum: 3 }, 2, 'be at least 3, but is 2'],
    [{ maximum: 3 }, 4, 'be at most 3, but is 4'],
    [{ exclusiveMinimum: 3 }, 3, 'be more than 3, but is 3'],
    [{ exclusiveMaximum: 3 }, 3, 'be less than 3, but is 3'],
    [{ multipleOf: 5 }, 7, 'be a multiple of 5, but is 7'],
  ])('%j refuses %j', async (schema, value, expected) => {
    expect(await told(object({ x: schema }), { x: value })).toEqual([`x INVALID_VALUE: "x" must ${expected}.`])
  })

  test('all of them at once, long values cut', async () => {
    const schema = object({ a: { type: 'integer' }, b: { type: 'integer' } }, { required: ['c'] })
    const issues = await told(schema, { a: 'x'.repeat(10_000), b: true })
    expect(issues).toHaveLength(3)
    expect(issues.every((issue) => issue.length < 200)).toBe(true)
  })

  test('fifty at most', async () => {
    const issues = await told(
      { type: 'array', items: { type: 'string' } },
      Array.from({ length: 1000 }, () => 1),
    )
    expect(issues).toHaveLength(50)
  })

  test('one, where thousands of items are wrong', async () => {
    const items = Array.from({ length: 3_000 }, () => 1)
    expect(await told({ type: 'array', items: { type: 'string' } }, items)).toEqual([
      '[0] INVALID_TYPE: "[0]" must be a string, but is the number 1.',
    ])
  })

  test('one, where a million items are wrong', async () => {
    const issues = await told(
      { type: 'array', items: { type: 'string' } },
      Array.from({ length: 1_000_000 }, () => 1),
    )
    expect(issues).toEqual(['[0] INVALID_TYPE: "[0]" must be a string, but is the number 1.'])
  })
})

describe('alternatives', () => {
  const shapes = {
    oneOf: [
      object({ kind: { const: 'file' }, path: { type: 'string' } }, { required: ['kind', 'path'] }),
      { $ref: '#/$defs/link' },
    ],
  }
  const $defs = { link: object({ kind: { const: 'link' }, url: { type: 'string' } }, { required: ['kind', 'url'] }) }
  const schema = object({ item: shapes, id: { anyOf: [{ type: 'string' }, { type: 'integer' }] } }, { $defs })

  test.each<[unknown, string[]]>([
    [{ item: { kind: 'link', url: 5 } }, ['item.url INVALID_TYPE: "item.url" must be a string, but is the number 5.']],
    [
      { item: { kind: 'file' } },
      ['item.path MISSING_REQUIRED: The parameter "item.path" is missing. It must be a string.'],
    ],
    [{ item: { kind: 'x' } }, ['item.kind INVALID_ENUM: "item.kind" must be one of "file", "link", but is "x".']],
    [{ item: 3 }, ['item INVALID_TYPE: "item" must be an object, but is the number 3.']],
    [{ id: true }, ['id INVALID_TYPE: "id" must be a string or an integer, but is true.']],
    [
      { id: true, item: { kind: 'link', url: 5 } },
      [
        'id INVALID_TYPE: "id" must be a string or an integer, but is true.',
        'item.url INVALID_TYPE: "item.url" must be a string, but is the number 5.',
      ],
    ],
  ])('of %j only what helps is told', async (input, expected) => {
    expect((await told(schema, input)).toSorted()).toEqual(expected)
  })

  test('values that several alternatives allow are one list', async () => {
    const modes = { anyOf: [{ enum: ['a', 'b'] }, { const: 'c' }, { type: 'null' }] }
    expect(await told(object({ m: modes }), { m: 'd' })).toEqual([
      'm INVALID_ENUM: "m" must be one of "a", "b", "c", but is "d".',
    ])
  })

  test('a value that fits two that exclude each other says so', async () => {
    const schema = object({ x: { oneOf: [{ type: 'number' }, { minimum: 1 }] } })
    expect(await told(schema, { x: 2 })).toEqual([
      'x INVALID_VALUE: "x" fits more than one of the shapes that exclude each other. Give fewer parameters.',
    ])
  })

  test('in a list are told for each item', async () => {
    const items = { anyOf: [{ type: 'string' }, { type: 'integer' }] }
    expect((await told({ items }, ['a', true, 1, null])).toSorted()).toEqual([
      '[1] INVALID_TYPE: "[1]" must be a string or an integer, but is true.',
      '[3] INVALID_TYPE: "[3]" must be a string or an integer, but is null.',
    ])
  })

  test('where there is nothing to tell of them, the choice itself is told', async () => {
    expect(await told(object({ x: { anyOf: [] } }), { x: 2 })).toEqual([
      'x INVALID_VALUE: "x" fits none of the shapes that are allowed, and is 2.',
    ])
  })

  test('that differ in the names they allow are told by the name', async () => {
    const names = { anyOf: [{ propertyNames: { enum: ['a'] } }, { propertyNames: { enum: ['b'] } }] }
    expect(await told(object({ m: names }), { m: { '': 1 } })).toEqual([
      'm INVALID_VALUE: "m" has the name "" in it, which is not allowed.',
    ])
  })
})

describe('unknown parameters', () => {
  test('are warnings, and stay in the value', async () => {
    expect(await check(object({ title: {} }), { title: 1, titel: 2 })).toEqual({
      ok: true,
      value: { title: 1, titel: 2 },
      warnings: [
        { path: 'titel', code: 'UNKNOWN_PARAMETER', message: 'There is no parameter "titel". Did you mean "title"?' },
      ],
    })
  })

  test.each<[string, JsonSchema]>([
    ['the schema names none', { type: 'object' }],
    ['others are welcome', object({ a: {} }, { additionalProperties: true })],
    ['others have a pattern', object({ a: {} }, { patternProperties: { '^x': {} } })],
    ['it is named by a reference', { $ref: '#/$defs/o', $defs: { o: object({ x: {} }) } }],
    ['it is named by an alternative', { anyOf: [object({ x: {} }), object({ y: {} })] }],
    ['it is named by a part', { allOf: [object({ y: {} }), { properties: { x: {} } }] }],
    ['a reference leads to a name', { $ref: '#n', $defs: { n: { $anchor: 'n' } }, properties: { y: {} } }],
    ['it is named by what depends on another', object({ y: {} }, { dependentSchemas: { y: object({ x: {} }) } })],
    ['it is named by a condition', object({ y: {} }, JSON.parse('{"if": {}, "then": {"properties": {"x": {}}}}'))],
  ])('are none where %s', async (_, schema) => {
    expect(await check(schema, { x: 1 })).toMatchObject({ ok: true, warnings: [] })
  })

  test('are told of a tool that takes none', async () => {
    expect(await check(object({}), { x: 1 })).toMatchObject({ ok: true, warnings: [{ path: 'x' }] })
  })

  test('are fifty at most', async () => {
    const input = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`x${at}`, at]))
    const { warnings } = await check(object({}), input)
    expect(warnings.map(({ path }) => path)).toEqual(Object.keys(input).slice(0, 50))
  })
})

describe('dialects', () => {
  const draft = (name: string) => `http://json-schema.org/${name}/schema#`
  test.each<[string, JsonSchema, unknown, unknown]>([
    ['2020-12 by default', { prefixItems: [{ type: 'string' }] }, ['a'], [1]],
    [
      '2020-12 by name',
      { $schema: 'https://json-schema.org/draft/2020-12/schema', dependentRequired: { a: ['b'] } },
      { a: 1, b: 1 },
      { a: 1 },
    ],
    ['2019-09', { $schema: 'https://json-schema.org/draft/2019-09/schema', items: [{ type: 'string' }] }, ['a'], [1]],
    ['draft 7', { $schema: draft('draft-07'), items: [{ type: 'string' }], dependencies: { a: ['b'] } }, ['a'], [1]],
    ['draft 6', { $schema: draft('draft-06'), exclusiveMinimum: 3 }, 4, 3],
    ['draft 4', { $schema: draft('draft-04'), minimum: 3, exclusiveMinimum: true }, 4, 3],
    ['draft 4, switched off', { $schema: draft('draft-04'), minimum: 3, exclusiveMinimum: false }, 3, 2],
    [
      'draft 4, in a part',
      { $schema: draft('draft-04'), allOf: [{ maximum: 3, exclusiveMaximum: true }, { type: 'integer' }] },
      2,
      3,
    ],
    ['lists of the older kind without a name', { items: [{ type: 'string' }] }, ['a'], [1]],
    ['a dialect nobody knows', { $schema: 'https://example.com/mine', type: 'string' }, 'a', 1],
    ['a schema of schemas', { $ref: draft('draft-07'), $schema: draft('draft-07') }, { type: 'string' }, { type: 5 }],
    ['nullable', { type: 'string', nullable: true }, null, 1],
  ])('%s', async (_, schema, good, bad) => {
    expect(await check(schema, good)).toMatchObject({ ok: true, warnings: [] })
    expect(await check(schema, bad)).toMatchObject({ ok: false })
  })

  test('two tools may use the same $id for different things', async () => {
    const named = (type: string) => ({ $id: 'https://example.com/s', $defs: { x: { $id: 'x', type } }, $ref: 'x' })
    expect(await check(named('string'), 'a')).toMatchObject({ ok: true })
    expect(await check(named('number'), 'a')).toMatchObject({ ok: false })
    expect(await check({ $ref: 'https://example.com/x' }, 5)).toMatchObject({
      ok: true,
      warnings: [{ code: 'UNCHECKED' }],
    })
  })
})

describe('a schema that cannot be used accepts everything and says so', () => {
  const cyclic: Record<string, unknown> = { type: 'object' }
  cyclic.properties = { self: cyclic }

  test.each<[string, unknown]>([
    ['an unknown type', { type: 'strng' }],
    ['a wrong keyword', { required: true }],
    ['a missing reference', { $ref: '#/$defs/nothing' }],
    ['a reference to elsewhere', { $ref: 'https://example.com/schema.json' }],
    ['a cycle of objects', cyclic],
    ['a function', { type: 'object', properties: { a: () => 1 } }],
    ['null', null],
    ['a list', []],
    ['text', 'string'],
    ['what turns into text', { toJSON: () => 'string' }],
    ['2 MB', { description: 'x'.repeat(2_000_000), type: 'string' }],
  ])('%s', async (_, schema) => {
    const validation = await check(schema as JsonSchema, { a: 1 })
    const message = expect.stringContaining("The input is not checked, because the tool's own schema cannot be used: ")
    const warning = { path: '', code: 'UNCHECKED', message }
    expect(validation).toEqual({ ok: true, value: { a: 1 }, warnings: [warning] })
  })

  test('a single pattern that cannot be used leaves the rest in force', async () => {
    const schema = object({ a: { type: 'string', pattern: '(x)\\1' } })
    const message = expect.stringMatching(/^The pattern .* is not checked, because it .*cannot be run in bounded time/)
    expect(await check(schema, { a: 'b' })).toEqual({
      ok: true,
      value: { a: 'b' },
      warnings: [{ path: '', code: 'UNCHECKED', message }],
    })
    expect(await check(schema, { a: 1 })).toMatchObject({ ok: false })
  })

  test('an unknown format is not checked', async () => {
    expect(await check(object({ a: { format: 'lunar-phase' } }), { a: 'x' })).toMatchObject({ ok: true, warnings: [] })
  })
})

describe('a hostile schema cannot hang or crash the host', () => {
  const chain = (length: number) =>
    Object.fromEntries(
      Array.from({ length }, (_, at) => {
        const next = { $ref: `#/$defs/d${(at + 1) % length}` }
        return [`d${at}`, at === length - 1 ? { type: 'object' } : { allOf: [next, next] }]
      }),
    )

  test.each<[string, JsonSchema, unknown]>([
    ['references that double', { $ref: '#/$defs/d0', $defs: chain(60) }, {}],
    [
      'references that double with the depth of the input',
      {
        $ref: '#/$defs/t',
        $defs: { t: { properties: { a: { anyOf: [{ $ref: '#/$defs/t' }, { $ref: '#/$defs/t' }] } }, required: ['b'] } },
      },
      nested(100),
    ],
    ['a reference to itself', { $ref: '#' }, {}],
    ['a reference to itself, twice', { allOf: [{ $ref: '#' }, { $ref: '#' }] }, {}],
    [
      'a dynamic reference to itself',
      { $dynamicAnchor: 'x', allOf: [{ $dynamicRef: '#x' }, { $dynamicRef: '#x' }] },
      {},
    ],
    [
      'a pattern on every item',
      { items: { pattern: '^(?:a{0,30}){0,30}$' } },
      Array.from({ length: 5_000 }, () => `${'a'.repeat(1_000)}!`),
    ],
    ['a schema that pretends to be asynchronous', { $async: true, type: 'string' }, {}],
  ])('%s', async (_, schema, input) => {
    expect(await check(schema, input)).toMatchObject({ ok: false })
  })

  test('equal items are looked for in linear time', async () => {
    const items = Array.from({ length: 200_000 }, (_, at) => ({ at }))
    expect(await check({ uniqueItems: true }, items)).toMatchObject({ ok: true })
    expect(await check({ uniqueItems: true }, [...items, { at: 7 }])).toMatchObject({ ok: false })
    expect(await check({ uniqueItems: true }, [1, '1', true, null, [], {}, '[]', '{}'])).toMatchObject({ ok: true })
  })

  test('inherited names are no parameters', async () => {
    expect(await told(object({}, { required: ['constructor', 'toString'] }), {})).toHaveLength(2)
    expect(await check(object({ constructor: { type: 'string' } }), {})).toMatchObject({ ok: true })
  })

  test('text in a schema stays text', async () => {
    const name = `'];globalThis.pwned=1;//"\`$\{globalThis.pwned=1}`
    const schema = object({ [name]: { enum: [name], pattern: 'a' } }, { required: [name], $comment: name })
    expect(await check(schema, {})).toMatchObject({ ok: false })
    expect(await check(schema, { [name]: 'b' })).toMatchObject({ ok: false })
    expect('pwned' in globalThis).toBe(false)
  })
})

test('a schema may describe trees', async () => {
  const tree = object({ name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } })
  expect(await check(tree, { children: [{ children: [{ name: 'x' }] }] })).toMatchObject({ ok: true, warnings: [] })
  expect(await told(tree, { children: [{ children: [{ name: 5 }] }] })).toEqual([
    'children[0].children[0].name INVALID_TYPE: "children[0].children[0].name" must be a string, but is the number 5.',
  ])
})

function nested(depth: number): unknown {
  let value: unknown = {}
  for (let level = 0; level < depth; level++) value = { a: value }
  return value
}

test('once the validator is loaded, answers come at once, for new schemas too', async () => {
  await check({ type: 'object' }, {})
  expect(validate({ type: 'json', schema: object({ fresh: {} }) }, {}, bounds)).toMatchObject({ ok: true })
})

test('a schema that is changed afterwards is still the one that was compiled', async () => {
  const schema = { type: 'string' }
  expect(await check(schema, 1)).toMatchObject({ ok: false })
  schema.type = 'number'
  expect(await check(schema, 1)).toMatchObject({ ok: false })
})

test('each of many schemas is enforced, those that were seen long ago too', async () => {
  const numbers = Array.from({ length: 600 }, (_, at) => at)
  for (const number of [...numbers, 0, 599]) {
    expect(await check({ const: number }, number)).toEqual({ ok: true, value: number, warnings: [] })
    expect(await told({ const: number }, -1)).toEqual([` INVALID_ENUM: The input must be ${number}, but is -1.`])
  }
})

const name = fc.constantFrom('a', 'b', '')
const scalar = fc.constantFrom<unknown>('a', '', 1, 2.5, true, null)
const anyValue = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(name, fc.oneof(scalar, fc.dictionary(name, scalar))),
)
const { schema: anySchema } = fc.letrec<{ schema: JsonSchema }>((tie) => {
  const schemas = fc.array(tie('schema'), { maxLength: 3 })
  return {
    schema: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.boolean(),
      fc.record({ type: fc.constantFrom('string', 'number', 'null', 'array', 'object') }),
      fc.record({ const: scalar }),
      fc.record({ enum: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
      fc.record({ required: fc.uniqueArray(name) }),
      fc.record({ anyOf: schemas }),
      fc.record({ oneOf: schemas }),
      fc.record({ allOf: schemas }),
      fc.record({ not: tie('schema') }),
      fc.record({ contains: tie('schema') }),
      fc.record({ propertyNames: tie('schema') }),
      fc.record({ properties: fc.dictionary(name, tie('schema')), unevaluatedProperties: fc.boolean() }),
      fc.tuple(tie('schema'), tie('schema'), tie('schema')).map((parts) => conditional(...parts)),
    ),
  }
})

function conditional(condition: JsonSchema, yes: JsonSchema, no: JsonSchema): JsonSchema {
  return Object.fromEntries([
    ['if', condition],
    ['then', yes],
    ['else', no],
  ])
}

test('every refusal says why, each time the same', () =>
  fc.assert(
    fc.asyncProperty(anySchema, anyValue, async (schema, input) => {
      const validation = await check(schema, input)
      if (validation.ok) return
      expect(validation.issues).not.toEqual([])
      expect(await check(schema, input)).toEqual(validation)
    }),
    { numRuns: 300 },
  ))
