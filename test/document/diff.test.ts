import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Document } from '../../src/document/document.ts'
import { parseDocument } from '../../src/document/parse.ts'

function parse(text: string): Document {
  const parsed = parseDocument(text)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults, null, 2))
  return parsed.document
}

const lines = (...list: string[]) => `${list.join('\n')}\n`

const text = lines(
  '<!-- before -->',
  '<document id="report">',
  '  <h1 id="title"  class = \'x\'>Title</h1>',
  '',
  '  <!-- about the intro -->',
  '  <p id="intro">Hello <em>you</em></p>',
  '  <fncall id="call" idyll-fn="demo:echo">',
  '    <params>{"a": 1}</params>',
  '    <result hash="x">1</result>',
  '  </fncall>',
  '  <fncall id="bare" fn="demo:bare" />',
  '  <bulletlistitem id="list">One <strong>x</strong>',
  '    <bulletlistitem id="inner">Two</bulletlistitem>',
  '    <bulletlistitem id="other">Three</bulletlistitem>',
  '  </bulletlistitem>',
  '  <code id="code" language="js">1 &lt; 2</code>',
  '  <tool id="tool" title="T"><tool:definition>',
  '    <fncall id="nested" fn="a"/>',
  '  </tool:definition></tool>',
  '  <separator id="line"/>',
  '  <p>No id</p>',
  '</document>',
)

function apply(...operations: string[]): string {
  const applied = parse(text).apply(`<diff>${operations.join('\n')}</diff>`)
  if (!applied.ok) throw new Error(JSON.stringify(applied.faults, null, 2))
  return applied.text
}

/** The text with each of these replaced once. */
function changed(...pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((result, [from, to]) => {
    expect(result).toContain(from)
    return result.replace(from, () => to)
  }, text)
}

const intro = '  <p id="intro">Hello <em>you</em></p>\n'

test.each<[string, string[], string]>([
  ['nothing', [], text],
  [
    'edit:attr changes a value and nothing around it',
    ['<edit:attr block-id="title" name="class" value="a&quot;&lt;b"/>'],
    changed(["class = 'x'", 'class = "a&quot;&lt;b"']),
  ],
  [
    'edit:attr adds one',
    ['<edit:attr block-id="line" name="wide" value="yes"/>'],
    changed(['<separator id="line"/>', '<separator id="line" wide="yes"/>']),
  ],
  ['edit:prop is the same', ['<edit:prop block-id="code" name="language" value="ts"/>'], changed(['"js"', '"ts"'])],
  [
    'edit:attr names another tool',
    ['<edit:attr block-id="call" name="idyll-fn" value="demo:calculate"/>'],
    changed(['demo:echo', 'demo:calculate']),
  ],
  [
    'edit:content of prose',
    ['<edit:content block-id="intro">\n   New <strong>words</strong> &amp; more\n </edit:content>'],
    changed(['Hello <em>you</em>', 'New <strong>words</strong> &amp; more']),
  ],
  [
    'edit:content of prose leaves the blocks in it',
    ['<edit:content block-id="list">First</edit:content>'],
    changed(['One <strong>x</strong>\n', 'First\n']),
  ],
  [
    'edit:content of code, as it is',
    ['<edit:content block-id="code">\n<![CDATA[a < b]]>\n</edit:content>'],
    changed(['1 &lt; 2', '\n<![CDATA[a < b]]>\n']),
  ],
  [
    'edit:content of a call that has none',
    ['<edit:content block-id="call">Do it</edit:content>'],
    changed(['</params>\n', '</params>\n    <content>Do it</content>\n']),
  ],
  [
    'edit:params',
    ['<edit:params block-id="call"><![CDATA[{"b": "<"}]]></edit:params>'],
    changed(['{"a": 1}', '<![CDATA[{"b": "<"}]]>']),
  ],
  [
    'edit:params of a call that has none',
    ['<edit:params block-id="bare">{}</edit:params>'],
    changed(['<fncall id="bare" fn="demo:bare" />', '<fncall id="bare" fn="demo:bare"><params>{}</params></fncall>']),
  ],
  [
    'edit:id, and the block by its new id',
    ['<edit:id block-id="intro" value="start"/>', '<edit:content block-id="start">X</edit:content>'],
    changed(['id="intro">Hello <em>you</em>', 'id="start">X']),
  ],
  [
    'insert after',
    ['<insert after-block-id="title"><p>A</p><h2>B</h2></insert>'],
    changed(['</h1>\n', '</h1>\n  <p>A</p>\n  <h2>B</h2>\n']),
  ],
  [
    'insert before',
    ['<insert before-block-id="bare"><p>A</p></insert>'],
    changed(['  <fncall id="bare"', '  <p>A</p>\n  <fncall id="bare"']),
  ],
  ['insert at the start', ['<insert at-start="true"><p>A</p></insert>'], changed(['  <h1', '  <p>A</p>\n  <h1'])],
  [
    'insert at the end',
    ['<insert at-end="true"><p>A</p></insert>'],
    changed(['<p>No id</p>\n', '<p>No id</p>\n  <p>A</p>\n']),
  ],
  [
    'insert into a nested place',
    ['<insert after-block-id="inner"><bulletlistitem>A</bulletlistitem></insert>'],
    changed(['Two</bulletlistitem>\n', 'Two</bulletlistitem>\n    <bulletlistitem>A</bulletlistitem>\n']),
  ],
  [
    'insert into a definition',
    ['<insert before-block-id="nested"><p>A</p></insert>'],
    changed(['    <fncall id="nested"', '    <p>A</p>\n    <fncall id="nested"']),
  ],
  [
    'what was inserted can be changed',
    ['<insert at-end="true"><p id="new">A</p></insert>', '<edit:content block-id="new">B</edit:content>'],
    changed(['<p>No id</p>\n', '<p>No id</p>\n  <p id="new">B</p>\n']),
  ],
  ['delete takes the line with it', ['<delete block-id="intro"/>'], changed([intro, ''])],
  [
    'delete of a nested block',
    ['<delete block-id="inner"/>'],
    changed(['    <bulletlistitem id="inner">Two</bulletlistitem>\n', '']),
  ],
  [
    'replace by one block keeps the id',
    ['<replace block-id="intro"><h2>New</h2></replace>'],
    changed([intro, '  <h2 id="intro">New</h2>\n']),
  ],
  [
    'replace by a block with an id of its own',
    ['<replace block-id="intro"><h2 id="mine">New</h2></replace>'],
    changed([intro, '  <h2 id="mine">New</h2>\n']),
  ],
  [
    'replace by several blocks',
    ['<replace block-id="intro"><p id="intro">A</p><p>B</p></replace>'],
    changed([intro, '  <p id="intro">A</p>\n  <p>B</p>\n']),
  ],
  [
    'move to the end',
    ['<move block-id="intro" at-end="true"/>'],
    changed([intro, ''], ['<p>No id</p>\n', `<p>No id</p>\n${intro}`]),
  ],
  ['move to the start', ['<move block-id="intro" at-start="true"/>'], changed([intro, ''], ['  <h1', `${intro}  <h1`])],
  [
    'move of the first to the start',
    ['<move block-id="title" at-start="true"/>'],
    changed(
      ['  <h1 id="title"  class = \'x\'>Title</h1>\n', ''],
      [intro, `  <h1 id="title"  class = 'x'>Title</h1>\n${intro}`],
    ),
  ],
  [
    'move of a list of blocks, in that order',
    ['<move block-ids="line, intro" before-block-id="title"/>'],
    changed([intro, ''], ['  <separator id="line"/>\n', ''], ['  <h1', `  <separator id="line"/>\n${intro}  <h1`]),
  ],
  [
    'move of a range',
    ['<move from-block-id="inner" to-block-id="other" after-block-id="line"/>'],
    changed(
      [
        '    <bulletlistitem id="inner">Two</bulletlistitem>\n    <bulletlistitem id="other">Three</bulletlistitem>\n',
        '',
      ],
      [
        '<separator id="line"/>\n',
        '<separator id="line"/>\n  <bulletlistitem id="inner">Two</bulletlistitem>\n  <bulletlistitem id="other">Three</bulletlistitem>\n',
      ],
    ),
  ],
  [
    'a derived id serves as well, before and after a change',
    ['<edit:content block-id="DERIVED">A</edit:content>', '<edit:attr block-id="DERIVED" name="x" value="1"/>'],
    changed(['<p>No id</p>', '<p x="1">A</p>']),
  ],
])('%s', (_, operations, expected) => {
  const derived = parse(text).blocks.at(-1)?.id ?? ''
  expect(apply(...operations.map((operation) => operation.replace('DERIVED', derived)))).toBe(expected)
})

test.each([
  ['into an empty root', '<document></document>', '<document><p>A</p></document>'],
  ['into a self-closing root', '<agent/>', '<agent><p>A</p></agent>'],
  ['into a root with lines', '<document>\r\n</document>\r\n', '<document>\r\n  <p>A</p>\r\n</document>\r\n'],
  [
    'into a root with a comment',
    '<document>\n  <!-- c -->\n</document>',
    '<document>\n  <!-- c -->\n  <p>A</p>\n</document>',
  ],
])('insert %s', (_, before, after) => {
  for (const place of ['at-start', 'at-end']) {
    expect(parse(before).apply(`<diff><insert ${place}="true"><p>A</p></insert></diff>`)).toEqual({
      ok: true,
      warnings: [],
      text: after,
    })
  }
})

test('what is inserted has the line breaks of the document', () => {
  const document = parse('<document>\r\n  <p id="a"/>\r\n</document>')
  expect(document.apply('<diff><insert after-block-id="a"><code>1\n2</code></insert></diff>')).toEqual({
    ok: true,
    warnings: [],
    text: '<document>\r\n  <p id="a"/>\r\n  <code>1\r\n2</code>\r\n</document>',
  })
})

describe('an operation that cannot be done stops the whole diff, with a fault that names the block', () => {
  test.each([
    ['an unknown block', '<delete block-id="intr"/>', 'UNKNOWN_BLOCK', '"intr". Did you mean "intro"?'],
    ['an unknown place', '<move block-id="intro" after-block-id="nowhere"/>', 'UNKNOWN_BLOCK', '"nowhere"'],
    ['a block that is gone', '<delete block-id="list"/><delete block-id="inner"/>', 'UNKNOWN_BLOCK', '"inner"'],
    ['no block', '<delete/>', 'MISSING_ATTRIBUTE', 'block-id'],
    ['no value', '<edit:attr block-id="intro" name="a"/>', 'MISSING_ATTRIBUTE', 'value'],
    ['an id that is taken', '<edit:id block-id="intro" value="call"/>', 'DUPLICATE_NODE_ID', '"call"'],
    [
      'an id that is taken, by attribute',
      '<edit:attr block-id="intro" name="id" value="call"/>',
      'DUPLICATE_NODE_ID',
      '"call"',
    ],
    ['an inserted id that is taken', '<insert at-end="true"><p id="call"/></insert>', 'DUPLICATE_NODE_ID', '"call"'],
    ['an empty id', '<edit:id block-id="intro" value=""/>', 'MISSING_ATTRIBUTE', 'id'],
    ['no place', '<insert><p/></insert>', 'INVALID_ANCHOR', 'one place'],
    ['two places', '<insert at-end="true" at-start="true"><p/></insert>', 'INVALID_ANCHOR', 'one place'],
    ['a place that is off', '<insert at-end="false"><p/></insert>', 'INVALID_ANCHOR', 'one place'],
    ['a place that is neither', '<insert at-end="yes"><p/></insert>', 'INVALID_ANCHOR', 'yes'],
    ['nothing to insert', '<insert at-end="true"/>', 'EMPTY_OPERATION', 'no blocks'],
    ['nothing to replace by', '<replace block-id="intro"/>', 'EMPTY_OPERATION', 'no blocks'],
    ['nothing to move', '<move at-end="true"/>', 'INVALID_SELECTION', 'one way'],
    ['two ways of naming', '<move block-id="a" block-ids="b" at-end="true"/>', 'INVALID_SELECTION', 'one way'],
    ['half of a range', '<move from-block-id="intro" at-end="true"/>', 'INVALID_SELECTION', 'two ends'],
    [
      'a range backwards',
      '<move from-block-id="call" to-block-id="intro" at-end="true"/>',
      'INVALID_SELECTION',
      '"intro"',
    ],
    [
      'a range over levels',
      '<move from-block-id="intro" to-block-id="inner" at-end="true"/>',
      'INVALID_SELECTION',
      '"inner"',
    ],
    ['a block twice', '<move block-ids="intro,intro" at-end="true"/>', 'INVALID_SELECTION', 'twice'],
    ['a block with its own list', '<move block-ids="list,inner" at-end="true"/>', 'INVALID_SELECTION', '"inner"'],
    ['a place beside itself', '<move block-id="intro" after-block-id="intro"/>', 'INVALID_ANCHOR', '"intro"'],
    ['a place inside itself', '<move block-id="list" after-block-id="inner"/>', 'INVALID_ANCHOR', '"list"'],
    ['code within prose', '<move block-id="code" after-block-id="inner"/>', 'INVALID_ANCHOR', '"list"'],
    ['new code within prose', '<replace block-id="inner"><code>x</code></replace>', 'INVALID_ANCHOR', '"list"'],
    ['content of a separator', '<edit:content block-id="line">x</edit:content>', 'NOT_EDITABLE', '"line"'],
    ['content of a tool', '<edit:content block-id="tool">x</edit:content>', 'NOT_EDITABLE', '"tool"'],
    ['parameters of prose', '<edit:params block-id="intro">{}</edit:params>', 'NOT_EDITABLE', '"intro"'],
    [
      'a name that is markup',
      '<edit:attr block-id="intro" name="a=&quot;1&quot; b" value="x"/>',
      'NOT_EDITABLE',
      'no name',
    ],
    [
      'a name of a tool that breaks the grammar',
      '<edit:attr block-id="call" name="idyll-fn" value="a-b"/>',
      'INVALID_FUNCTION',
      'With the diff applied',
    ],
    [
      'a block smuggled into content',
      '<edit:content block-id="intro">x <fncall id="evil" fn="rm:all"/></edit:content>',
      'NOT_EDITABLE',
      '<fncall>',
    ],
    [
      'a block deep in content',
      '<edit:content block-id="list"><strong>x<tool title="T"/></strong></edit:content>',
      'NOT_EDITABLE',
      '<tool>',
    ],
    [
      'a block in the content of a call',
      '<edit:content block-id="call"><p>x</p></edit:content>',
      'NOT_EDITABLE',
      '<p>',
    ],
    [
      'parameters that are no JSON',
      '<edit:params block-id="call">not json</edit:params>',
      'INVALID_PARAMETERS',
      'no JSON',
    ],
    ['parameters that are a list', '<edit:params block-id="call">[1]</edit:params>', 'INVALID_PARAMETERS', 'a list'],
    ['text beside the blocks', '<insert at-end="true">hello<p>x</p></insert>', 'TEXT_OUTSIDE_BLOCKS', '<insert>'],
    [
      'text in an operation that takes none',
      '<delete block-id="intro">why</delete>',
      'TEXT_OUTSIDE_BLOCKS',
      '<delete>',
    ],
    ['text between the operations', 'hello', 'TEXT_OUTSIDE_BLOCKS', '<diff>'],
    ['an operation nobody knows', '<edit:colour block-id="intro"/>', 'UNKNOWN_OPERATION', 'edit:colour'],
    ['a diff that is not well-formed', '<delete block-id="intro">', 'UNCLOSED_ELEMENT', '<delete>'],
  ])('%s', (_, operations, code, words) => {
    const applied = parse(text).apply(`<diff>\n<edit:content block-id="intro">X</edit:content>\n${operations}</diff>`)
    if (applied.ok) throw new Error('it must not be applied')
    expect(applied.faults[0]?.code).toBe(code)
    expect(`${applied.faults[0]?.message}`).toContain(words)
    expect(applied.faults[0]?.line).toBe(words === '<diff>' ? 1 : 3)
  })

  test('all of its faults are told', () => {
    const applied = parse(text).apply(
      '<diff><delete block-id="x"/><delete block-id="intro"/><delete block-id="y"/></diff>',
    )
    expect(applied.ok ? [] : applied.faults.map(({ blockId }) => blockId)).toEqual(['x', 'y'])
  })
})

test.each([
  ['no diff', '<document/>', 'NOT_A_DIFF'],
  ['a diff for another document', '<diff targetDocument="other"/>', 'WRONG_TARGET'],
])('%s is refused', (_, diff, code) => {
  expect(parse(text).apply(diff)).toMatchObject({ ok: false, faults: [{ code }] })
  expect(parse('<diff/>').apply('<diff/>')).toMatchObject({ ok: false, faults: [{ code: 'NOT_A_DOCUMENT' }] })
  expect(parse(text).apply('<diff targetDocument="report"/>')).toEqual({ ok: true, text, warnings: [] })
})

test('what is odd in a diff is told, and done all the same', () => {
  const applied = parse(text).apply(
    '<diff>\n<insert after-block="intro" at-end="true"><p colour="x">y</p></insert></diff>',
  )
  expect(applied.ok && applied.warnings).toMatchObject([
    { code: 'UNKNOWN_ATTRIBUTE', line: 2, hint: expect.stringContaining('"after-block-id"') },
    { code: 'UNKNOWN_ATTRIBUTE', line: 2, message: expect.stringContaining('colour') },
  ])
})

test('two tools may have a variable of one name each; one tool may not have it twice', () => {
  const call = (id: string) =>
    `<tool id="t${id}" title="T ${id}"><tool:definition><fncall id="${id}" fn="f"><content>x</content></fncall></tool:definition></tool>`
  const edit = (id: string, prompt: string) =>
    `<edit:content block-id="${id}"><variable name="topic" prompt="${prompt}"/></edit:content>`
  const document = parse(`<document>${call('a')}${call('b')}</document>`)
  const applied = document.apply(`<diff>${edit('a', 'One')}${edit('b', 'Two')}</diff>`)
  expect(applied.ok && parse(applied.text).tools.map(({ variables }) => variables[0]?.prompt)).toEqual(['One', 'Two'])
  const inserted = `<insert after-block-id="a"><fncall fn="g"><content><variable name="topic" prompt="Two"/></content></fncall></insert>`
  const twice = document.apply(`<diff>\n${edit('a', 'One')}\n${inserted}</diff>`)
  expect(twice).toMatchObject({ ok: false, faults: [{ code: 'DUPLICATE_VARIABLE', line: 3, column: 1 }] })
})

test('a fault that only the changed document has is told at the operation that made it', () => {
  const operations = [
    '<edit:content block-id="intro">A longer text than before, over\nseveral\nlines</edit:content>',
    '<edit:attr block-id="call" name="idyll-fn" value="a-b"/>',
    '<insert at-end="true"><p>x</p></insert>',
  ]
  const diff = `<diff>\n${operations.join('\n')}\n</diff>`
  const applied = parse(text).apply(diff)
  expect(applied.ok ? [] : applied.faults).toMatchObject([
    {
      code: 'INVALID_FUNCTION',
      line: 5,
      column: 1,
      blockId: 'call',
      frame: expect.stringContaining('> 5 | <edit:attr'),
    },
  ])
  expect(applied.ok ? 0 : applied.faults[0]?.offset).toBe(diff.indexOf('<edit:attr'))
})

test('a diff is a document of its own kind, and has nothing to run', () => {
  const diff = parse('<diff><insert at-end="true"><fncall fn="a"/></insert></diff>')
  expect(diff.root).toBe('diff')
  expect(diff.calls).toEqual([])
  expect(diff.operations.map(({ element, blocks }) => [element, blocks.length])).toEqual([['insert', 1]])
})

test('a diff of very many operations takes as long as they are many', () => {
  const amount = 10_000
  const document = parse(
    `<document>\n${Array.from({ length: amount }, (_, at) => `  <!-- c --><p id="p${at}">x</p>\n`).join('')}</document>`,
  )
  const operations = Array.from({ length: amount }, (_, at) => `<delete block-id="p${at}"/>`)
  const applied = document.apply(`<diff>${operations.join('')}</diff>`)
  expect(applied.ok && parse(applied.text).blocks.length).toBe(0)
})

test('for any moves, every block is still there, exactly once', () => {
  const ids = ['title', 'intro', 'call', 'bare', 'list', 'inner', 'other', 'code', 'tool', 'nested', 'line']
  const id = fc.constantFrom(...ids)
  const move = fc.tuple(id, id, fc.constantFrom('after', 'before')).filter(([one, two]) => one !== two)
  fc.assert(
    fc.property(fc.array(move, { minLength: 1, maxLength: 5 }), (moves) => {
      const diff = moves.map(([one, two, side]) => `<move block-id="${one}" ${side}-block-id="${two}"/>`)
      const applied = parse(text).apply(`<diff>${diff.join('')}</diff>`)
      if (!applied.ok) {
        const known = ['INVALID_ANCHOR', 'NESTED_TOOL']
        expect(applied.faults.filter(({ code }) => !known.includes(code))).toEqual([])
        return
      }
      const after = parse(applied.text).allBlocks.map((block) => block.id)
      expect(after.toSorted()).toEqual(
        parse(text)
          .allBlocks.map((block) => block.id)
          .toSorted(),
      )
    }),
    { numRuns: 200 },
  )
})
