import { beforeAll, describe, expect, test } from 'vitest'
import { ambientDeclarations, declarations, signature } from '../../src/toolscript/declarations.ts'
import { schemaType } from '../../src/toolscript/schema-type.ts'
import { compile, definition, described, surprises } from './declarations-compile.ts'

const typeOf = (schema: object) => schemaType(schema as Record<string, unknown>, { prefix: 'x', taken: new Set() }).text

describe('a schema as a type', () => {
  test.each<[object, string]>([
    [{}, 'unknown'],
    [{ type: 'string' }, 'string'],
    [{ type: 'integer' }, 'number'],
    [{ type: 'nonsense' }, 'unknown'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ type: 'string', nullable: true }, 'string | null'],
    [{ enum: ['a', 'b"', 3, null] }, '"a" | "b\\"" | 3 | null'],
    [{ enum: [] }, 'never'],
    [{ enum: [{ a: [1, 'x'] }, []] }, '{ a: [1, "x"] } | []'],
    [{ const: 'x' }, '"x"'],
    [{ const: null }, 'null'],
    [{ const: Number.POSITIVE_INFINITY }, 'number'],
    [{ enum: Array.from({ length: 501 }, (_, at) => `a${at}`) }, 'string'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, '("a" | "b")[]'],
    [{ type: 'array' }, 'unknown[]'],
    [{ items: { type: 'string' } }, 'string[]'],
    [{ type: 'array', items: [] }, 'unknown[]'],
    [{ prefixItems: [{ type: 'string' }, { type: 'number' }], items: false, minItems: 2 }, '[string, number]'],
    [{ prefixItems: [{ type: 'string' }, { enum: [1, 2] }], minItems: 1 }, '[string, (1 | 2)?, ...unknown[]]'],
    [{ items: [{ type: 'string' }], additionalItems: { type: 'number' }, minItems: 1 }, '[string, ...number[]]'],
    [{ items: [{ type: 'string' }], maxItems: 1 }, '[string?]'],
    [{ type: 'object' }, 'Record<string, unknown>'],
    [{ type: 'object', properties: {}, additionalProperties: false }, 'Record<string, never>'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, '{ [key: string]: number }'],
    [{ patternProperties: { '^a': { type: 'number' } }, additionalProperties: false }, '{ [key: string]: number }'],
    [{ patternProperties: { '^a': { type: 'number' } } }, 'Record<string, unknown>'],
    [{ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }, '{\n  a: string\n}'],
    [{ required: ['a', 7] }, '{\n  a: unknown\n}'],
    [{ properties: { 'a-b': { type: 'boolean', description: 'Both' } } }, '{\n  /** Both */\n  "a-b"?: boolean\n}'],
    [{ properties: { a: {} }, additionalProperties: true }, '{\n  a?: unknown\n  [key: string]: unknown\n}'],
    [{ properties: { constructor: { type: 'string' } } }, '{\n  constructor?: unknown\n}'],
    [{ anyOf: [{ type: 'string' }, { $ref: '#/$defs/n' }], $defs: { n: { type: 'number' } } }, 'string | number'],
    [{ oneOf: [{ type: 'string' }, {}] }, 'unknown'],
    [{ allOf: [{ type: 'string' }, { type: 'string' }, { minLength: 3 }] }, 'string'],
    [{ type: 'object', allOf: [{ required: ['a'] }, { required: ['b'] }] }, '{\n  a: unknown\n} & {\n  b: unknown\n}'],
    [{ type: 'string', not: { const: 'x' }, if: {}, else: { type: 'number' } }, 'string'],
    [{ $ref: '#there', $defs: { a: { $anchor: 'there', type: 'string' } } }, 'string'],
    [{ $ref: '#/$defs/a~1b%20c', $defs: { 'a/b c': { type: 'string' } } }, 'string'],
    [{ $ref: '#/$defs/nowhere' }, 'unknown'],
    [{ $ref: '#/$defs/__proto__', $defs: {} }, 'unknown'],
    [{ $ref: 'https://elsewhere' }, 'unknown'],
    [{ $ref: 7 }, 'unknown'],
    [{ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }, 'unknown'],
  ])('%j is %s', (schema, type) => expect(typeOf(schema)).toBe(type))

  test('true and false are anything and nothing', () => {
    const options = { prefix: 'x', taken: new Set<string>() }
    expect(schemaType(true, options).text).toBe('unknown')
    expect(schemaType(false, options).text).toBe('never')
  })

  test('what refers to itself has a name', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' } } }
    const made = schemaType(
      { $ref: '#/$defs/node', $defs: { node } },
      { prefix: 'list', taken: new Set(['list_node']) },
    )
    expect(made.text).toBe('list_node_2')
    expect([...made.named]).toEqual([['list_node_2', '{\n  next?: list_node_2\n}']])
  })

  test.each([
    [
      '10,000 properties',
      { properties: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`p${at}`, {}])) },
    ],
    ['a choice of 1 MB', { enum: ['x'.repeat(1_000_000)] }],
    [
      'a description for every one of 1,000 properties',
      {
        properties: Object.fromEntries(
          Array.from({ length: 1_000 }, (_, at) => [`p${at}`, { description: 'x'.repeat(1_000) }]),
        ),
      },
    ],
    ['an object that holds itself, twice', holdingItself()],
    [
      'a field that throws',
      Object.defineProperty({}, 'type', {
        get: () => {
          throw new Error('no')
        },
        enumerable: true,
      }),
    ],
  ])('%s is unknown, soon', (_, schema) => expect(typeOf(schema)).toBe('unknown'))

  test('what is nested too deeply is unknown from there on', () => {
    let schema: object = { type: 'string' }
    for (let depth = 0; depth < 1_000; depth++) schema = { type: 'array', items: schema }
    expect(typeOf(schema)).toMatch(/^unknown(\[\]){20,30}$/)
  })
})

function holdingItself(): object {
  const schema = { type: 'object', properties: {} }
  Object.assign(schema.properties, { left: schema, right: schema })
  return schema
}

const text = { type: 'string' }
const tree = {
  type: 'object',
  properties: { name: text, children: { type: 'array', items: { $ref: '#' } }, parent: { $ref: '#/$defs/maybe' } },
  required: ['name'],
  $defs: { maybe: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
}
const sharp = `*/ evil() /* \` \${evil()} " ' \\ \n \u2028 \u2029 \u202e // @ts-ignore`

/** Types that are each other and nothing else, met from several sides. */
const knot = {
  type: 'object',
  properties: { a: { $ref: '#/$defs/a' }, c: { $ref: '#/$defs/c' } },
  $defs: {
    a: { anyOf: [{ type: 'object', properties: { x: { $ref: '#/$defs/c' } } }, { $ref: '#/$defs/d' }] },
    c: { allOf: [{ $ref: '#/$defs/a' }, { type: 'object', properties: { z: text } }] },
    d: { anyOf: [{ $ref: '#/$defs/c' }, { type: 'number' }] },
  },
}
/** Each alone is small; multiplied out they are more than any compiler takes. */
const product = {
  allOf: Array.from({ length: 12 }, (_, set) => ({
    anyOf: Array.from({ length: 40 }, (_, at) => ({
      properties: { [`s${set}v${at}`]: text },
      required: [`s${set}v${at}`],
    })),
  })),
}
const names = [
  'constructor',
  'a-b',
  'a_b',
  '日本',
  'delete',
  '__proto__',
  'new',
  'get',
  'set',
  'then',
  '*/',
  '',
  '"',
  'Json',
]

const nasty = [
  ...names.map((name) => definition(['odd', name], { type: 'object', properties: { [name]: text } })),
  definition(['git'], {}, { kind: 'program', description: 'Git itself' }),
  definition(['git', 'log'], { type: 'object', properties: { max: { type: 'integer' } } }, { kind: 'program' }),
  definition(['tree'], tree, { output: tree, description: 'Walks a tree' }),
  definition(
    [sharp, sharp],
    { type: 'object', title: sharp, properties: { [sharp]: { enum: [sharp], description: sharp } }, required: [sharp] },
    { description: sharp },
  ),
  definition(['record', 'record'], { $ref: '#/$defs/Record', $defs: { Record: knot.$defs.a, c: {}, d: {} } }),
  definition(['promise', 'json'], {
    properties: { a: { $ref: '#/definitions/Promise' } },
    definitions: { Promise: tree },
  }),
  definition(['knot', 'knot'], knot, { output: knot }),
  definition(['product', 'product'], product),
  definition(['broken', 'schema'], {
    type: 7,
    properties: [],
    required: 'a',
    enum: 'x',
    allOf: {},
    $defs: null,
  }),
  definition(['either', 'one'], {
    type: 'object',
    properties: { id: text, url: text, big: { type: 'boolean' } },
    anyOf: [{ required: ['id'] }, { required: ['url'] }],
  }),
  definition(['shape', 'draw'], {
    oneOf: [
      {
        type: 'object',
        properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
        required: ['kind', 'radius'],
      },
      {
        type: 'object',
        properties: {
          kind: { const: 'line' },
          to: { prefixItems: [{ type: 'number' }, { type: 'number' }], items: false, minItems: 2 },
        },
        required: ['kind', 'to'],
      },
    ],
  }),
  definition(
    ['github', 'create_issue'],
    {
      type: 'object',
      properties: { title: text, labels: { type: 'array', items: text }, state: { enum: ['open', 'closed'] } },
      required: ['title'],
      additionalProperties: false,
    },
    {
      description: 'Opens an issue',
      output: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
    },
  ),
]

const script = `import { tools, ToolError, type CallOptions, type Json } from "toolscript"
const issue = await tools.github.createIssue({ title: "x", labels: ["a"], state: "open" }, { content: "hi", timeoutMs: 5 })
const number: number = issue.number
tools.github.createIssue({ titel: "x" }) // TS2561
tools.github.createIssue({ title: 7 }) // TS2322
tools.github.createIssue({ title: "x", state: "shut" }) // TS2322
tools.github.createIssue({}) // TS2741
tools.github.createIssue() // TS2554
tools.github.createIsue({ title: "x" }) // TS2551
tools.githb.createIssue({ title: "x" }) // TS2551
tools.github.createIssue({ title: "x" }, { timeout: 5 }) // TS2561
issue.nummer // TS2551
await tools.git()
await tools.git.log({ max: 3 })
tools.git.log({ max: "3" }) // TS2322
const commits = await tools.git.log<{ hash: string }[]>()
const hash: string | undefined = commits[0]?.hash
const also: { hash: string }[] = await tools.git.log()
const plain = await tools.git.log()
const json: Json = plain
const wrong: { hash: string } = plain // TS2322
const top = await tools.tree({ name: "x", children: [{ name: "y", children: [], parent: null }] })
const child: string | undefined = top.children?.[0]?.parent?.name
tools.tree({ name: "x", children: [{ nam: "y" }] }) // TS2561
tools.either.one({ id: "x", big: true })
tools.either.one({ url: "x" })
tools.either.one({ big: true }) // TS2345
tools.shape.draw({ kind: "circle", radius: 1 })
tools.shape.draw({ kind: "line", to: [1, 2] })
tools.shape.draw({ kind: "circle", to: [1, 2] }) // TS2353
tools.shape.draw({ kind: "line", to: [1, 2, 3] }) // TS2322
tools.odd.constructor({ constructor: "x" })
tools.odd.delete({ delete: "x" })
tools.odd.new({ new: "x" })
tools.odd.proto({ "__proto__": "x" })
tools.odd.u65e5u672c({ "日本": "x" })
tools.broken.schema({ anything: 1 })
tools.knot.knot({ a: 5, c: { z: "x" } })
tools.product.product({ s0v0: "x", s1v3: "y" })
tools.product.product({}) // TS2345
try { await tools.git() } catch (error) {
  if (error instanceof ToolError && error.code === "invalid-input") console.log(error.issues[0]?.path, error.tool, error.value)
  if (error instanceof ToolError && error.code === "no-such-code") throw error // TS2367
}
const options: CallOptions = {}
declare const console: { log(...values: unknown[]): void }
export { wrong, number, hash, also, json, child, options }
`

test('the nastiest tools make a module that compiles, right calls pass and wrong ones fail where they are wrong', async () => {
  const tools = await described(nasty)
  expect(tools).toHaveLength(nasty.length)
  expect(await surprises(declarations(tools), script)).toEqual([])
})

test('editors get the same as a module of its own name', async () => {
  const made = ambientDeclarations(await described(nasty))
  const wrong = 'import { tools } from "toolscript"\ntools.github.createIssue({ title: 7 })\n'
  const said = await compile({ 'legwork.d.ts': made, 'script.ts': wrong })
  expect(said).toEqual([expect.stringMatching(/^script\.ts\(2,\d+\): error TS2322/)])
})

describe('one module', () => {
  let made: string
  beforeAll(async () => {
    made = declarations(await described(nasty))
  })

  test('is the same whatever order the tools come in', async () => {
    expect(declarations((await described(nasty)).toReversed())).toBe(made)
  })

  test('has nothing in it that is not seen', () => {
    expect(made).not.toMatch(/[\u2028\u2029\u202e]/)
  })

  test('says nothing to the compiler in a comment', () => {
    expect((made.match(/\/\*\*.*\*\//g) ?? []).filter((comment) => /(?<![\w\\])@/.test(comment))).toEqual([])
  })

  test('leaves out what has no name in scripts, and takes the first of two', async () => {
    const [tool] = await described([definition(['a', 'b'], {}, { description: 'First' })])
    if (!tool) throw new Error('There is no tool.')
    const twice = { ...tool, description: 'Second' }
    const outside = { ...tool, spellings: { ...tool.spellings, script: 'tools.a.b(); evil' } }
    const text = declarations([tool, twice, outside])
    expect(text).toContain('First')
    expect(text).not.toMatch(/Second|evil/)
  })
})

test('a signature has its comment above and the types that it needs below', async () => {
  const [walk, git] = await described([
    definition(['tree'], tree, { output: tree, description: 'Walks' }),
    definition(['git', 'log'], {}),
  ])
  if (!walk || !git) throw new Error('There is no tool.')
  expect(signature(walk)).toMatch(
    /^\/\*\* Walks \*\/\ntools\.tree\(input: \{.*\}\): Promise<\{.*\}>\ntype tree_root = \{/s,
  )
  expect(signature(git)).toBe('tools.git.log(input?: unknown): Promise<Json>\n')
})
