import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parametersOf } from '../../src/document/call-parts.ts'
import { describeFault } from '../../src/document/faults.ts'
import { parseDocument, readDocument } from '../../src/document/parse.ts'
import { temporaryFolder } from '../support/temporary.ts'

function faultsIn(text: string) {
  const parsed = parseDocument(text)
  return parsed.ok ? [] : parsed.faults
}

const within = (text: string) => `<document>\n${text}\n</document>`

test.each([
  ['an unclosed element, where it opens', within('<p>a'), [['UNCLOSED_ELEMENT', 2, 1]]],
  ['an unclosed element among others', within('<p>a\n<h1>b</h1>'), [['UNCLOSED_ELEMENT', 2, 1]]],
  [
    'crossed tags',
    within('<p><u>a</p></u>'),
    [
      ['UNCLOSED_ELEMENT', 2, 4],
      ['UNMATCHED_CLOSING_TAG', 2, 12],
    ],
  ],
  ['a closing tag too many', within('<p>a</q></p>'), [['UNMATCHED_CLOSING_TAG', 2, 5]]],
  [
    'two mistakes at once',
    within('<p>a</q></p>\n<h1>'),
    [
      ['UNMATCHED_CLOSING_TAG', 2, 5],
      ['UNCLOSED_ELEMENT', 3, 1],
    ],
  ],
  ['a DOCTYPE with entities', '<!DOCTYPE d [<!ENTITY a "b">]>\n<document/>', [['DOCTYPE_NOT_ALLOWED', 1, 1]]],
  ['an entity nobody knows', within('<p>&xxe;</p>'), [['INVALID_ENTITY', 2, 4]]],
  ['a plain ampersand', within('<p>a & b;</p>'), [['INVALID_ENTITY', 2, 6]]],
  ['a plain ampersand without an end', within('<p>a & b</p>'), [['INVALID_ENTITY', 2, 6]]],
  ['a plain ampersand in a value', within('<p title="a&b"/>'), [['INVALID_ENTITY', 2, 12]]],
  [
    'a plain ampersand and what comes after it',
    within('<p>a & b</p>\n<fncall fn="a-b"/>\n<p>AT&T &amp; <em>co</p>'),
    [
      ['INVALID_ENTITY', 2, 6],
      ['INVALID_FUNCTION', 3, 1],
      ['INVALID_ENTITY', 4, 6],
      ['UNCLOSED_ELEMENT', 4, 15],
    ],
  ],
  ['an attribute twice', within('<p id="a" id="b"/>'), [['DUPLICATE_ATTRIBUTE', 2, 11]]],
  ['NUL', within('<p>a\0b</p>'), [['INVALID_CHARACTER', 2, 5]]],
  ['half of a character', within('<p>a\ud83d</p>'), [['INVALID_CHARACTER', 2, 5]]],
  ['the other half of one', within('<p>\ude00</p>'), [['INVALID_CHARACTER', 2, 4]]],
  ['a character by its number that is none', within('<p>&#0;</p>'), [['INVALID_ENTITY', 2, 4]]],
  ['an attribute without quotes', within('<p id=a></p>'), [['NOT_WELL_FORMED', 2, 7]]],
  ['a text that ends in a comment', '<document>\n</document><!-- a', [['NOT_WELL_FORMED', 2, 12]]],
  ['a declaration', within('<!ELEMENT p>'), [['NOT_WELL_FORMED', 2, 9]]],
  ['nothing', '', [['MISSING_ROOT', 1, 1]]],
  ['a comment alone', '<!-- x -->', [['MISSING_ROOT', 1, 1]]],
  ['another root', '<html/>', [['UNKNOWN_ROOT', 1, 1]]],
  ['a root named like something of a prototype', '<constructor/>', [['UNKNOWN_ROOT', 1, 1]]],
  ['two roots', '<document/>\n<document/>', [['OUTSIDE_ROOT', 2, 1]]],
  ['text after the root', '<document/>\nmore', [['OUTSIDE_ROOT', 2, 1]]],
  ['an id twice', within('<p id="a"/><bulletlistitem><p id="a"/></bulletlistitem>'), [['DUPLICATE_NODE_ID', 2, 28]]],
  ['a call of nothing', within('<fncall/>'), [['MISSING_FUNCTION', 2, 1]]],
  ['a call of the empty name', within('<fncall fn=""/>'), [['MISSING_FUNCTION', 2, 1]]],
  ['a call of two', within('<fncall fn="a" idyll-tool="b"/>'), [['INVALID_FUNCTION', 2, 1]]],
  ['kebab-case', within('<fncall fn="ai:analyze-text"/>'), [['INVALID_FUNCTION', 2, 1]]],
  ['three parts', within('<fncall fn="a:b:c"/>'), [['INVALID_FUNCTION', 2, 1]]],
  ['a digit first', within('<fncall fn="1a"/>'), [['INVALID_FUNCTION', 2, 1]]],
  ['a name with an end of line', within('<fncall fn="a&#10;"/>'), [['INVALID_FUNCTION', 2, 1]]],
  ['a trigger of nothing', within('<trigger/>'), [['MISSING_TRIGGER', 2, 1]]],
  ['a trigger with a bad name', within('<trigger fn="a-b"/>'), [['INVALID_TRIGGER', 2, 1]]],
  ['a tool without a title', within('<tool/>'), [['MISSING_TITLE', 2, 1]]],
  ['a variable without a name', within('<p><variable/></p>'), [['INVALID_VARIABLE', 2, 4]]],
  ['a variable of an unknown type', within('<p><variable name="a" type="cat"/></p>'), [['INVALID_VARIABLE', 2, 4]]],
  [
    'a tool in a tool',
    within('<tool title="a"><tool:definition><tool title="b"/></tool:definition></tool>'),
    [['NESTED_TOOL', 2, 34]],
  ],
])('%s is a fault with code, line and column', (_, text, expected) => {
  const faults = faultsIn(text)
  expect(faults.map(({ code, line, column }) => [code, line, column])).toEqual(expected)
  for (const { message, hint, frame } of faults) {
    expect(message).toMatch(/\.$/)
    expect(hint).not.toBe('')
    expect(frame).toContain('^')
  }
})

test('a fault shows the lines around it, with a caret below the place', () => {
  const [fault] = faultsIn('<document>\r\n\t<fncall fn="data:process-csv"/>\r\n</document>')
  expect(fault && describeFault('report.xml', fault)).toBe(
    [
      'report.xml:2:2 INVALID_FUNCTION',
      'The name "data:process-csv" is not "module:function" with both parts JavaScript identifiers. Write "data:processCsv".',
      '  1 | <document>',
      '> 2 |  <fncall fn="data:process-csv"/>',
      '    |  ^',
      '  3 | </document>',
    ].join('\n'),
  )
})

test('a plain ampersand is told with what to write; in CDATA and comments it is a letter', () => {
  const [fault] = faultsIn(within('<p>salt & pepper</p>'))
  expect(fault?.message).toBe('A plain "&" stands here.')
  expect(fault?.hint).toContain('Write &amp;')
  expect(faultsIn(within('<!-- a & b --><p><![CDATA[a & b]]></p><?x a & b?>'))).toEqual([])
})

test('a variable declared twice with another prompt is told with both places; each tool is a scope of its own', () => {
  const tool = (title: string, second: string) =>
    `<tool title="${title}"><tool:definition><fncall fn="a"><content><variable name="x" prompt="One"/>\n` +
    `<variable name="x" ${second}/></content></fncall></tool:definition></tool>`
  const text = within(`${tool('Good', '')}\n${tool('Same', 'prompt="One"')}\n${tool('Bad', 'prompt="Two"')}`)
  const parsed = parseDocument(text)
  if (parsed.ok) throw new Error('it has a fault')
  expect(parsed.faults).toMatchObject([{ code: 'DUPLICATE_VARIABLE', line: 7, column: 1, related: { line: 6 } }])
  const bad = parsed.partial?.tools.find(({ id }) => id === parsed.faults[0]?.toolId)
  expect(bad?.title).toBe('Bad')
})

test.each([
  ['no JSON', '{"a": }', [3, 1]],
  ['no JSON, where that can be told', '{"a": 1 "b"}', [3, 17]],
  ['no JSON in CDATA', '<![CDATA[{"a": 1 "b"}]]>', [3, 26]],
  ['a list', '[1]', [3, 1]],
  ['a text', '"a"', [3, 1]],
  ['null', 'null', [3, 1]],
])('parameters that are %s are the fault of their block alone', (_, raw, place) => {
  const parsed = parseDocument(`<document>\n<fncall id="x" fn="a">\n<params>${raw}</params></fncall></document>`)
  if (!parsed.ok) throw new Error('the rest may run')
  const [warning] = parsed.document.warnings
  expect(warning).toMatchObject({ code: 'INVALID_PARAMETERS', blockId: 'x' })
  expect([warning?.line, warning?.column]).toEqual(place)
  const [call] = parsed.document.calls
  expect(call && parametersOf(call)).toEqual({ ok: false, fault: warning })
})

test('elements that may be there once are taken once', () => {
  const parsed = parseDocument(within('<fncall fn="a"><params>{"a": 1}</params><params>{"a": 2}</params></fncall>'))
  if (!parsed.ok) throw new Error('it is a warning')
  expect(parsed.document.warnings[0]?.code).toBe('REPEATED_ELEMENT')
  expect(parsed.document.calls[0]?.parameters?.raw).toBe('{"a": 1}')
})

describe('texts made to be slow or large', () => {
  const many = 100_000
  const some = 10_000

  test.each([
    ['unclosed tags', `<document>${'<p>'.repeat(many)}`, 'UNCLOSED_ELEMENT'],
    ['closing tags', `<document>${'</p>'.repeat(many)}</document>`, 'UNMATCHED_CLOSING_TAG'],
    ['crossed tags', within('<p><u></p></u>\n'.repeat(many / 2)), 'UNCLOSED_ELEMENT'],
    ['levels', within('<p>'.repeat(many) + '</p>'.repeat(many)), 'TOO_DEEP'],
    ['attributes of one name', within(`<p ${'a="1" '.repeat(some)}/>`), 'DUPLICATE_ATTRIBUTE'],
    ['letters that are no attribute', within(`<p ${'='.repeat(some)}/>`), 'NOT_WELL_FORMED'],
    ['letters after <!', within(`<!${'x'.repeat(some)}`), 'NOT_WELL_FORMED'],
    ['ampersands', within(`<p>${'&a; '.repeat(some)}</p>`), 'INVALID_ENTITY'],
    ['NULs', within(`<p>${'\0a'.repeat(some)}</p>`), 'INVALID_CHARACTER'],
    ['calls of nothing', within('<fncall/>'.repeat(some)), 'MISSING_FUNCTION'],
  ])('very many %s are told and do no harm', (_, text, code) => {
    const faults = faultsIn(text)
    expect(faults.some((fault) => fault.code === code)).toBe(true)
    expect(faults.length).toBeLessThanOrEqual(many + 2)
    expect(faults.every(({ frame }) => frame.length < 1_000)).toBe(true)
  })

  test('16,000 blocks are nothing special', () => {
    const parsed = parseDocument(within('<fncall fn="a"/>\n'.repeat(16_000)))
    expect(parsed.ok && parsed.document.calls.length).toBe(16_000)
  })

  test('what would fill the memory is refused', () => {
    const codes = faultsIn(`<html>${'<a/>'.repeat(1_000_001)}</html>`).map(({ code }) => code)
    expect(codes).toEqual(['UNKNOWN_ROOT', 'TOO_LARGE'])
    expect(faultsIn('x'.repeat(64 * 1024 * 1024 + 1))[0]?.code).toBe('TOO_LARGE')
  })
})

test('a file has to be UTF-8, and a folder is no file', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'a.xml')
  writeFileSync(file, Buffer.from('<document>\xe4</document>', 'latin1'))
  expect(await readDocument(file)).toMatchObject({ ok: false, faults: [{ code: 'INVALID_ENCODING' }] })
  mkdirSync(join(folder, 'b.xml'))
  await expect(readDocument(join(folder, 'b.xml'))).rejects.toThrow('EISDIR')
})
