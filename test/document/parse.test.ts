import { describe, expect, test } from 'vitest'
import { contentOf, parametersOf, storedResult } from '../../src/document/call-parts.ts'
import type { Document } from '../../src/document/document.ts'
import { parseDocument } from '../../src/document/parse.ts'
import { plainText } from '../../src/document/rich-text.ts'

function parse(text: string): Document {
  const parsed = parseDocument(text)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults, null, 2))
  return parsed.document
}

const report = `<document id="report" title="A report">
  <h1>Report</h1>
  <p>Prose with <strong>marks</strong>, a <a href="https://example.org">link</a> and <mention:user id="u1" label="Ann"/>.</p>
  <fncall id="one" idyll-tool="demo:echo">
    <params>{"message": "hi", "list": [1]}</params>
    <content>Do the <em>right</em> thing</content>
    <result><![CDATA[{"said": "hi"}]]></result>
  </fncall>
  <bulletlistitem>One<bulletlistitem>Two<fncall fn="echo"/></bulletlistitem></bulletlistitem>
  <checklistitem checked="true">Done</checklistitem>
  <heading level="3">Third</heading>
  <code language="ts">if (a &lt; b) &amp;&amp; c</code>
  <quote author="X">Words</quote>
  <separator/>
  <data title="rows">1,2</data>
  <trigger idyll-trigger="time:daily"><params>{"at": "9:00"}</params></trigger>
  <trigger idyll-trigger="time:never" enabled="false"/>
</document>
`

test('a document gives its blocks in order, with their kinds', () => {
  const document = parse(report)
  expect(document.root).toBe('document')
  expect(document.attributes).toEqual({ id: 'report', title: 'A report' })
  expect(document.blocks.map(({ kind }) => kind)).toEqual([
    ...['heading', 'paragraph', 'call', 'bullet', 'check', 'heading', 'code', 'quote', 'separator', 'data'],
    ...['trigger', 'trigger'],
  ])
  expect(document.warnings).toEqual([])
  expect(document.blocks[4]).toMatchObject({ checked: true })
  expect(document.blocks[5]).toMatchObject({ level: 3 })
  expect(document.blocks[6]).toMatchObject({ text: 'if (a < b) && c' })
})

test('a call has its tool, parameters, content and stored result', () => {
  const [call] = parse(report).calls
  if (!call) throw new Error('no call')
  expect(call.tool).toBe('demo:echo')
  expect(parametersOf(call)).toEqual({ ok: true, value: { message: 'hi', list: [1] } })
  expect(contentOf(call)).toBe('Do the right thing')
  expect(storedResult(call)).toEqual({ ok: true, value: { said: 'hi' } })
})

test('calls are found at any depth, and have no parameters, content or result when there are none', () => {
  const [, call] = parse(report).calls
  if (!call) throw new Error('no second call')
  expect(call.tool).toBe('echo')
  expect(parametersOf(call)).toEqual({ ok: true, value: {} })
  expect(contentOf(call)).toBe('')
  expect(storedResult(call)).toBeUndefined()
})

test('triggers are apart from calls, and enabled="false" means false', () => {
  const { triggers, calls } = parse(report)
  expect(triggers.map(({ tool, enabled }) => [tool, enabled])).toEqual([
    ['time:daily', true],
    ['time:never', false],
  ])
  expect(calls).toHaveLength(2)
})

test('what is neither true nor false does not switch a trigger on', () => {
  const { triggers, warnings } = parse('<document><trigger fn="a" enabled="no"/></document>')
  expect(triggers[0]?.enabled).toBe(false)
  expect(warnings[0]?.code).toBe('INVALID_ATTRIBUTE')
})

test.each([
  ['idyll-tool', 'tool'],
  ['idyll-fn', 'function'],
  ['fn', 'function'],
])('both dialects: %s in <%s>', (attribute, element) => {
  const { tools, calls } = parse(
    `<document><${element} title="Search The Web" icon="x"><${element}:description>Finds</${element}:description>` +
      `<${element}:definition><p>Note</p><fncall ${attribute}="web:search"><content>Look for <variable name="query" prompt="What" /></content></fncall>` +
      `</${element}:definition></${element}></document>`,
  )
  expect(calls).toEqual([])
  expect(tools[0]).toMatchObject({ title: 'Search The Web', icon: 'x', description: 'Finds' })
  expect(tools[0]?.calls.map(({ tool }) => tool)).toEqual(['web:search'])
  expect(tools[0]?.variables).toMatchObject([{ name: 'query', prompt: 'What', optional: false }])
})

test('an agent has its own attributes and blocks', () => {
  const document = parse('<agent name="Helper" model="m"><p>You help.</p><fncall fn="a"/></agent>')
  expect(document.root).toBe('agent')
  expect(document.attributes).toEqual({ name: 'Helper', model: 'm' })
  expect(document.calls).toHaveLength(1)
})

test('rich text reaches a tool whole: variables filled in, mentions by label, links by text', () => {
  const { calls } = parse(
    '<document><fncall fn="a"><content>Ask <mention:topic>AI</mention:topic> of <mention:user id="u"/>: <a href="https://x">here</a>, ' +
      '<strong>b<em>c</em></strong><u>d</u><s>e</s><code>f</code><annotation comment="z">g</annotation> ' +
      '<variable name="when"/> &lt;raw&gt; <![CDATA[<p>]]></content></fncall></document>',
  )
  const rich = calls[0]?.content?.rich ?? []
  expect(plainText(rich, ({ name }) => (name === 'when' ? '<b>now</b>' : undefined))).toBe(
    'Ask AI of u: here, bcdefg <b>now</b> <raw> <p>',
  )
})

test('variables: optional ones, types and options', () => {
  const { variables } = parse(
    '<document><p><variable name="a" prompt="Time (optional)"/><variable name="b" optional="true"/>' +
      '<variable name="c" type="number" options="1, 2"/><variable name="__proto__"/><variable name="a"/></p></document>',
  )
  expect(variables.map(({ name, optional }) => [name, optional])).toEqual([
    ['a', true],
    ['b', true],
    ['c', false],
    ['__proto__', false],
  ])
  expect(variables[2]).toMatchObject({ type: 'number', options: ['1', '2'] })
})

test('unknown elements and attributes are kept and warned about, with their places', () => {
  const { warnings, blocks, calls } = parse(
    '<document>\n<section wide="1"><fncall fn="a"/></section>\n<p colour="red">x <blink>y</blink></p>\nloose\n</document>',
  )
  expect(warnings.map(({ code, line }) => [code, line])).toEqual([
    ['STRAY_TEXT', 1],
    ['UNKNOWN_ELEMENT', 2],
    ['UNKNOWN_ATTRIBUTE', 3],
    ['UNKNOWN_ELEMENT', 3],
  ])
  expect(blocks[0]).toMatchObject({ kind: 'unknown', element: 'section', attributes: { wide: '1' } })
  expect(calls).toHaveLength(1)
})

test('a result that is no JSON is a text; falsy ones are results; an empty element is none', () => {
  const results = ['0', 'false', '""', 'null', 'plain words', ''].map((raw) => {
    const { calls } = parse(`<document><fncall fn="a"><result>${raw}</result></fncall></document>`)
    return calls[0] && storedResult(calls[0])
  })
  expect(results.map((result) => result?.ok && result.value)).toEqual([0, false, '', null, 'plain words', undefined])
  expect(results[5]).toBeUndefined()
})

test('a failed result has its code and message', () => {
  const { calls } = parse(
    '<document><fncall fn="a"><result error="timed-out">{"message": "too slow"}</result></fncall></document>',
  )
  expect(calls[0] && storedResult(calls[0])).toEqual({ ok: false, code: 'timed-out', message: 'too slow' })
})

describe('ids', () => {
  const twice = '<document><p>Same</p><p>Same</p><fncall fn="a"><params>{}</params></fncall></document>'

  test('are derived from what a block says, the same on every parse, and unique', () => {
    const ids = parse(twice).allBlocks.map(({ id }) => id)
    expect(parse(twice).allBlocks.map(({ id }) => id)).toEqual(ids)
    expect(new Set(ids).size).toBe(3)
  })

  test('do not change when results are written or another block is added', () => {
    const document = parse(twice)
    const [call] = document.calls
    if (!call) throw new Error('no call')
    const written = parse(document.withResults({ blocks: [[call.id, { result: 'x'.repeat(200) }]] }))
    expect(written.allBlocks.map(({ id }) => id)).toEqual(document.allBlocks.map(({ id }) => id))
    const longer = parse(twice.replace('<document>', '<document><h1>New</h1>'))
    expect(longer.block(call.id)?.kind).toBe('call')
  })

  test('never clash with one that is written', () => {
    const [{ id } = { id: '' }] = parse('<document><p>x</p></document>').blocks
    const document = parse(`<document><p>x</p><h1 id="${id}">y</h1></document>`)
    expect(document.block(id)?.kind).toBe('heading')
    expect(document.blocks[0]?.id).toBe(`${id}-2`)
  })
})

test('every element and attribute knows where it stands', () => {
  const document = parse(report)
  for (const block of document.allBlocks) {
    const { start, end } = block.source
    expect(document.text.slice(start).startsWith(`<${block.element}`)).toBe(true)
    expect(document.text.slice(start, end)).toMatch(/>$/)
    for (const [name, value] of Object.entries(block.attributes)) {
      const source = document.attributeSource(block, name)
      expect(document.text.slice(source?.valueStart, source?.valueEnd)).toBe(value)
      expect(document.text.slice(source?.start, source?.end)).toBe(`${name}="${value}"`)
    }
  }
  const [call] = document.calls
  expect(
    call?.parameters && document.text.slice(call.parameters.source.contentStart, call.parameters.source.contentEnd),
  ).toBe('{"message": "hi", "list": [1]}')
})

test('a document is frozen through and through', () => {
  const seen = new Set<unknown>()
  const frozen = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return true
    seen.add(value)
    return Object.isFrozen(value) && Object.values(value).every(frozen)
  }
  expect(frozen(parse(report))).toBe(true)
  expect(frozen(parse('<document><p x="1"/><fncall fn="a"><params>[</params></fncall></document>'))).toBe(true)
  const document = parse(report)
  expect(() => Object.assign(document, { text: '' })).toThrow(TypeError)
})

test('an element named like something of a prototype is just unknown', () => {
  const { warnings } = parse('<document><constructor toString="1"/><p __proto__="x">a<hasOwnProperty/></p></document>')
  expect(warnings.map(({ code }) => code)).toEqual(['UNKNOWN_ELEMENT', 'UNKNOWN_ATTRIBUTE', 'UNKNOWN_ELEMENT'])
})
