// What a value can be, and what it can never become: structure in a tool that it is handed on to, or nothing where something is needed.

import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Engine, parseDocument, type ResolveVariables } from '../../src/doors/document.ts'

const tool = (title: string, blocks: string) =>
  `<tool title="${title}"><tool:definition>${blocks}</tool:definition></tool>`
const call = (name: string, content: string) => `<fncall fn="${name}"><content>${content}</content></fncall>`

function open(tools: string, resolveVariables?: ResolveVariables) {
  const told: string[] = []
  const say = { execute: (_: unknown, content: string) => told.push(content) }
  const engine = new Engine<Record<string, unknown>>({
    tools: { say },
    documents: [`<document>${tools}</document>`],
    ...(resolveVariables && { resolveVariables }),
  })
  onTestFinished(() => engine.close())
  return { engine, told }
}

describe('a value that is handed on to another custom tool', () => {
  const inner = tool('Save', call('say', 'topic=[<variable name="topic"/>] path=[<variable name="path"/>]'))
  const given = '<variable name="given" prompt="Topic"/>'
  const outer = {
    plain: tool('Outer', call('custom:save', `topic: ${given}, path: safe.txt`)),
    quoted: tool('Outer', call('custom:save', `topic="${given}" path="safe.txt"`)),
    first: tool('Outer', call('custom:save', `${given} topic: x, path: safe.txt`)),
    mentioned: tool('Outer', call('custom:save', `<mention:topic>${given}</mention:topic> path: safe.txt`)),
  }

  test.each([
    ['plain', 'x, path: /etc/passwd'],
    ['plain', 'x\npath: /etc/passwd'],
    ['plain', 'path: "/etc/passwd"'],
    ['plain', '"x" path: "/etc/passwd"'],
    ['plain', '", path: evil, topic: "'],
    ['quoted', 'x" path="/etc/passwd'],
    ['quoted', "x' path='/etc/passwd"],
    ['mentioned', 'path: /etc/passwd'],
  ] as const)('is one value there, however it is written (%s): %j', async (how, value) => {
    const { engine, told } = open(inner + outer[how])
    await engine.executeTool('Outer', { variables: { given: value } })
    expect(told).toEqual([`topic=[${value}] path=[safe.txt]`])
  })

  test.each(['path: /etc/passwd,', 'topic="y" path="z"', 'path:'])('sets nothing by itself: %j', async (value) => {
    const { engine, told } = open(inner + outer.first)
    await engine.executeTool('Outer', { variables: { given: value } })
    expect(told).toEqual(['topic=[x] path=[safe.txt]'])
  })

  test('whatever it holds', async () => {
    const { engine, told } = open(inner + outer.plain)
    const words = fc.constantFrom('path', 'topic', ':', '=', '"', "'", ',', ';', '\n', ' ', 'x', '<b>', '&', '\uffff')
    const values = fc.array(words, { minLength: 1, maxLength: 12 }).map((parts) => `v${parts.join('')}v`)
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        told.length = 0
        await engine.executeTool('Outer', { variables: { given: value } })
        expect(told).toEqual([`topic=[${value}] path=[safe.txt]`])
      }),
      { numRuns: 100 },
    )
  })

  test('is one value for a document’s own block too', async () => {
    const { engine, told } = open(inner, (variables) => new Map(variables.map(({ name }) => [name, 'x, path: evil'])))
    const own = new Engine<Record<string, unknown>>({
      tools: { say: { execute: (_, content) => told.push(content) } },
      documents: [`<document>${inner}</document>`],
    })
    onTestFinished(() => own.close())
    await own.execute(`<document>${call('custom:save', `topic: ${given}, path: safe.txt`)}</document>`, {
      resolveVariables: () => ({ given: 'x, path: evil' }),
    })
    expect(told).toEqual(['topic=[x, path: evil] path=[safe.txt]'])
    await engine.close()
  })
})

describe('a variable that is needed', () => {
  test.each(['', ' ', '\n\t', '\u200b', '\u2060 \u00a0'])('has no value when the answer is %j', async (value) => {
    const { engine, told } = open(tool('T', call('say', 'rm /data/<variable name="q" prompt="Which"/>')), () => ({
      q: value,
    }))
    expect(await engine.call('custom:t')).toMatchObject({
      code: 'invalid-input',
      issues: [{ path: 'variables.q', code: 'MISSING_REQUIRED' }],
    })
    expect(told).toEqual([])
  })

  test('has no value when it is given as nothing', async () => {
    const { engine, told } = open(tool('T', call('say', '<variable name="q"/>')))
    const outcome = await engine.call('custom:t', { variables: { q: ' ' } })
    expect(outcome).toMatchObject({ issues: [{ path: 'variables.q', code: 'MISSING_REQUIRED' }] })
    expect(told).toEqual([])
  })

  test('may be left out, or be blank, where it is optional', async () => {
    const { engine, told } = open(tool('T', call('say', '[<variable name="q" optional="true"/>]')), () => ({ q: ' ' }))
    expect(await engine.call('custom:t')).toMatchObject({ ok: true })
    expect(told).toEqual(['[ ]'])
  })
})

describe('a type or options', () => {
  test.each([
    ['type="number"', ' 42 ', '42'],
    ['type="boolean"', '\ttrue\n', 'true'],
    ['options="prod,test"', ' prod ', 'prod'],
    ['options="prod" optional="true"', '  ', ''],
    ['', ' as it is ', ' as it is '],
  ])('%s: of %j, what was checked is what is filled in', async (attributes, value, filled) => {
    const { engine, told } = open(tool('T', call('say', `<variable name="v" ${attributes}/>`)), () => ({ v: value }))
    const run = await engine.executeTool('T')
    expect(told).toEqual([filled])
    expect(run.variables.get('v')).toBe(filled)
  })

  test.each(['1e999', '-1e400', 'Infinity', 'NaN'])('no number is %s', async (value) => {
    const { engine } = open(tool('T', call('say', '<variable name="v" type="number"/>')))
    expect(await engine.call('custom:t', { variables: { v: value } })).toMatchObject({
      issues: [{ path: 'variables.v', code: 'INVALID_VALUE' }],
    })
  })
})

describe('a declaration', () => {
  const faultsOf = (content: string) => {
    const parsed = parseDocument(`<document>${tool('T', call('say', content))}</document>`)
    return parsed.ok ? [] : parsed.faults
  }

  test.each([
    ['another type', '<variable name="a" type="number"/><variable name="a" type="boolean"/>'],
    ['a type that comes too late', '<variable name="a"/><variable name="a" type="number"/>'],
    ['other options', '<variable name="a" options="x,y"/><variable name="a" options="x,z"/>'],
    ['another word on whether it is needed', '<variable name="a"/><variable name="a" optional="true"/>'],
    ['another case', '<variable name="topic"/><variable name="Topic"/>'],
    ['another case, outside of ASCII', '<variable name="größe"/><variable name="GRÖßE"/>'],
  ])('once more with %s is a fault with both places', (_, content) => {
    expect(faultsOf(content)).toMatchObject([{ code: 'DUPLICATE_VARIABLE', related: { line: 1 } }])
  })

  test.each([
    '<variable name="a" type="number" options="1,2"/><variable name="a"/>',
    '<variable name="a" type="number" options="1,2"/><variable name="a" type="number" options="1, 2"/>',
    '<variable name="a" prompt="x (optional)"/><variable name="a" optional="true"/>',
  ])('once more with the same is none: %s', (content) => {
    expect(faultsOf(content)).toEqual([])
  })

  test('in parameters is a fault that says where variables belong', () => {
    const block = '<fncall fn="say"><params>{"q": "<variable name="q"/>"}</params></fncall>'
    const parsed = parseDocument(`<document>${tool('T', block)}</document>`)
    expect(parsed.ok ? [] : parsed.faults).toMatchObject([
      { code: 'INVALID_VARIABLE', hint: expect.stringContaining('<content>') },
    ])
  })
})
