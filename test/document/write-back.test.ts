import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { storedResult } from '../../src/document/call-parts.ts'
import type { Document } from '../../src/document/document.ts'
import { parseDocument, readDocument, stripResults } from '../../src/document/parse.ts'
import type { ResultLike } from '../../src/document/stored-results.ts'
import { temporaryFolder } from '../support/temporary.ts'

function parse(text: string): Document {
  const parsed = parseDocument(text)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults, null, 2))
  return parsed.document
}

const withResult = (text: string, result: unknown, id = 'a') => parse(text).withResults({ blocks: [[id, { result }]] })

/** Without hash and size, which other tests look at. */
const plain = (text: string) => text.replace(/ (hash|size|uses)="[^"]*"/g, '')

test.each([
  [
    'on a line of its own, indented as what is there',
    '<document>\n    <fncall id="a" fn="f">\n        <params>{}</params>\n    </fncall>\n</document>\n',
    '<document>\n    <fncall id="a" fn="f">\n        <params>{}</params>\n        <result><![CDATA[1]]></result>\n    </fncall>\n</document>\n',
  ],
  [
    'with tabs and CR LF',
    '<document>\r\n\t<fncall id="a" fn="f">\r\n\t</fncall>\r\n</document>',
    '<document>\r\n\t<fncall id="a" fn="f">\r\n\t\t<result><![CDATA[1]]></result>\r\n\t</fncall>\r\n</document>',
  ],
  [
    'on the same line where there are no lines',
    '<document><fncall id="a" fn="f"><params>{}</params></fncall></document>',
    '<document><fncall id="a" fn="f"><params>{}</params><result><![CDATA[1]]></result></fncall></document>',
  ],
  [
    'into a self-closing call, which is opened',
    '<document>\n  <fncall id="a" fn="f" />\n</document>',
    '<document>\n  <fncall id="a" fn="f">\n    <result><![CDATA[1]]></result>\n  </fncall>\n</document>',
  ],
  [
    'into a self-closing call within a line',
    '<document><fncall id="a" fn="f"/></document>',
    '<document><fncall id="a" fn="f"><result><![CDATA[1]]></result></fncall></document>',
  ],
  [
    'over an old one, whatever stood in it, and with what others wrote on it',
    '<document><fncall id="a" fn="f"><result mine="x" error="old" hash="old">\n<b>old</b><!-- x -->\n</result> </fncall></document>',
    '<document><fncall id="a" fn="f"><result mine="x"><![CDATA[1]]></result> </fncall></document>',
  ],
  [
    'into a trigger, and after a byte order mark',
    '\ufeff<document><trigger id="a" fn="f"></trigger></document>',
    '\ufeff<document><trigger id="a" fn="f"><result><![CDATA[1]]></result></trigger></document>',
  ],
])('a result is put %s', (_, before, after) => {
  expect(plain(withResult(before, 1))).toBe(after)
})

test('a long result is indented, a short one is not', () => {
  const text = '<document>\r\n  <fncall id="a" fn="f">\r\n  </fncall>\r\n</document>'
  const long = { text: 'x'.repeat(80), list: [1] }
  expect(plain(withResult(text, long))).toContain(
    `    <result><![CDATA[{\r\n      "text": "${long.text}",\r\n      "list": [\r\n        1\r\n      ]\r\n    }]]></result>\r\n  </fncall>`,
  )
  expect(plain(withResult(text, [1, 2]))).toContain('<result><![CDATA[[1,2]]]></result>')
})

test('a failed block has its code and message; a block that did not run keeps what it had', () => {
  const text = '<document><fncall id="a" fn="f"/><fncall id="b" fn="f"><result>7</result></fncall></document>'
  const error = Object.assign(new Error('No <b> & "c" ]]>'), { code: 'timed-out' })
  const written = parse(text).withResults({ blocks: new Map([['a', { error }]]) })
  expect(plain(written)).toBe(
    '<document><fncall id="a" fn="f"><result error="timed-out">{"message":"No &lt;b&gt; &amp; \\"c\\" ]]&gt;"}</result></fncall>' +
      '<fncall id="b" fn="f"><result>7</result></fncall></document>',
  )
  const [a, b] = parse(written).calls
  expect(a && storedResult(a)).toEqual({ ok: false, code: 'timed-out', message: 'No <b> & "c" ]]>' })
  expect(b && storedResult(b)).toEqual({ ok: true, value: 7 })
})

test.each([
  ['the end of CDATA', ']]>'],
  ['several of them', [']]>]]>', ']]', '>', ']]]]>>']],
  ['markup', '</result></fncall><fncall fn="evil"/>'],
  ['control characters', '\0\u0001\u001b[2J\u007f\u0085\u2028'],
  ['text that turns the reading direction', '\u202e\u2066x'],
  ['letters that nobody sees', '\u{e0041}\u200b\ufeff'],
  ['half of a character', '\ud800x\udc00'],
  ['characters that XML forbids', '\ufffe\uffff'],
  ['a key that is no ordinary one', JSON.parse('{"__proto__": {"a": 1}, "": 0}')],
  ['undefined', undefined],
  ['falsy values', [0, false, '', null]],
])('a result that holds %s comes back as it was', (_, value) => {
  const written = withResult('<document><fncall id="a" fn="f"/></document>', value)
  const document = parse(written)
  expect(document.calls).toHaveLength(1)
  expect(document.calls[0] && storedResult(document.calls[0])).toEqual({ ok: true, value: value ?? null })
  expect(written).not.toMatch(/[\u0000-\u0008\u007f-\u009f\u202e\u2066\u200b\u2028]/)
})

test.each([
  [
    'a cycle',
    () => {
      const cycle: unknown[] = []
      cycle.push(cycle)
      return cycle
    },
  ],
  ['a BigInt', () => 10n],
  ['a function', () => () => 1],
])('a result that is %s is an error of its block', (_, make) => {
  const document = parse(withResult('<document><fncall id="a" fn="f"/></document>', make()))
  expect(document.calls[0] && storedResult(document.calls[0])).toMatchObject({ ok: false, code: 'tool-failed' })
})

test('a result of 10 MB goes in and comes out', () => {
  const value = { lines: Array.from({ length: 10_000 }, (_, at) => `${at}]]>${'x'.repeat(1_000)}`) }
  const document = parse(withResult('<document>\n<fncall id="a" fn="f"/>\n</document>', value))
  const result = document.calls[0] && storedResult(document.calls[0])
  expect(result?.ok && JSON.stringify(result.value) === JSON.stringify(value)).toBe(true)
})

test('results for a block that is not there, or is no call, are misuse', () => {
  const document = parse('<document><p id="p"/></document>')
  for (const id of ['x', 'p']) {
    expect(() => document.withResults({ blocks: [[id, { result: 1 }]] })).toThrow(`There is a result for "${id}"`)
  }
})

test.each<readonly [string, ResultLike]>([
  ['a code with NUL', { error: { message: 'm', code: 'a\u0000b' } }],
  ['a code with half of a character', { error: { message: 'm', code: '\ud800' } }],
  [
    'a time that is none, and a duration that is no number',
    { result: 1, startedAt: '\u0001\udc00', duration: Number.NaN },
  ],
  ['an endless duration', { result: 1, duration: Number.POSITIVE_INFINITY }],
  ['a read id with half of a character', { result: 1, used: ['\ud800', '\u0000'] }],
])('%s does not break the document', (_, result) => {
  const written = parse('<document><fncall id="a" fn="f"/></document>').withResults(
    { blocks: [['a', result]] },
    { times: true },
  )
  expect(parse(written).calls[0]?.result).toBeDefined()
  expect(written).not.toMatch(/duration=/)
  expect(parse(written).check()).toMatchObject([{ state: 'fresh' }])
})

test('times are written only when asked for', () => {
  const document = parse('<document><fncall id="a" fn="f"/></document>')
  const state = { blocks: [['a', { result: 1, duration: 12.5, startedAt: '2026-01-31T00:00:00.000Z' }]] } as const
  expect(document.withResults(state)).not.toContain('12.5')
  expect(document.withResults(state, { times: true })).toContain('started="2026-01-31T00:00:00.000Z" duration="12.5"')
})

test('stripping removes every result, those in tools and repeated ones too, and whole lines where they had them', () => {
  const text =
    '<document>\n  <fncall fn="a">\n    <params>{}</params>\n    <result>1</result>\n    <result>2</result>\n  </fncall>\n' +
    '  <tool title="t"><tool:definition><fncall fn="b"><result>3</result></fncall></tool:definition></tool>\n</document>'
  expect(stripResults(text)).toEqual({
    ok: true,
    text:
      '<document>\n  <fncall fn="a">\n    <params>{}</params>\n  </fncall>\n' +
      '  <tool title="t"><tool:definition><fncall fn="b"></fncall></tool:definition></tool>\n</document>',
  })
  expect(stripResults('<document>')).toMatchObject({ ok: false })
})

describe('for any document', () => {
  const lineBreak = fc.constantFrom('\n', '\r\n', '\r', '')
  const blanks = fc.constantFrom('', ' ', '\t', '    ', ' \t ')
  const gap = fc.tuple(lineBreak, blanks).map(([end, indent]) => end + indent)
  const prose = fc.constantFrom(
    '<p>Hi &amp; <em>x</em></p>',
    '<!-- <fncall> -->',
    '<code><![CDATA[<fncall/>]]></code>',
    '<p\n id = "p"/>',
  )
  const inner = fc.constantFrom(
    '<params>{"a": 1}</params>',
    '<content>Do <variable name="v"/></content>',
    '<!-- c -->',
    '<result/>',
    '<result>old</result>',
    '<result hash="x"><![CDATA[[\n1\n]]]></result>',
  )
  const call = fc
    .tuple(fc.array(fc.tuple(gap, inner), { maxLength: 3 }), gap, fc.constantFrom('fncall', 'trigger'))
    .map(
      ([parts, end, element]) =>
        `<${element} fn="f" >${parts.map((part) => part.join('')).join('')}${end}</${element} >`,
    )
  const nested = call.map((text) => `<bulletlistitem>One ${text}</bulletlistitem>`)
  const document = fc
    .tuple(
      fc.constantFrom('', '\ufeff', '<?xml version="1.0"?>'),
      fc.array(fc.tuple(gap, fc.oneof(prose, call, nested)), { maxLength: 6 }),
      gap,
    )
    .map(
      ([head, blocks, end]) =>
        `${head}<document>${blocks.map((block) => block.join('')).join('')}${end}</document>${end}`,
    )
    .filter((text) => parseDocument(text).ok)
  const result: fc.Arbitrary<ResultLike> = fc.oneof(
    fc.jsonValue().map((value) => ({ result: value })),
    fc.string({ unit: 'binary' }).map((value) => ({ result: value })),
    fc.string().map((message) => ({ error: { message, code: 'tool-failed' } })),
  )

  test('text outside of results is identical, and results come back as they were', () => {
    fc.assert(
      fc.property(document, fc.array(result, { minLength: 1, maxLength: 4 }), (text, results) => {
        const before = parse(text)
        const ids = [...before.calls, ...before.triggers].map(({ id }) => id)
        const given = new Map(ids.map((id, at) => [id, results[at % results.length] ?? {}]))
        const written = before.withResults({ blocks: given })
        const after = parse(written)
        expect(after.strip()).toBe(before.strip())
        expect(after.allBlocks.map(({ id }) => id)).toEqual(before.allBlocks.map(({ id }) => id))
        for (const block of [...after.calls, ...after.triggers]) {
          const { result: value, error } = given.get(block.id) ?? {}
          const stored = storedResult(block)
          if (error)
            expect(stored).toEqual({
              ok: false,
              code: 'tool-failed',
              message: error.message.toWellFormed() === error.message ? error.message : expect.any(String),
            })
          else expect(JSON.stringify(stored?.ok && stored.value)).toBe(JSON.stringify(value ?? null))
        }
        expect(after.withResults({ blocks: given })).toBe(written)
        expect(after.check().every(({ state }) => state === 'fresh')).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})

describe('checking stored results without running', () => {
  const text =
    '<document>\n<fncall id="a" fn="f"><params>{"n": 1}</params></fncall>\n<fncall id="b" fn="g"><content>Use it</content></fncall>\n</document>'
  const written = parse(text).withResults({
    blocks: [
      ['a', { result: 1 }],
      ['b', { result: 2, used: ['a'] }],
    ],
  })
  const states = (changed: string) =>
    parse(changed)
      .check()
      .map(({ state }) => state)

  test('they are fresh after a run, and in another layout', () => {
    expect(states(written)).toEqual(['fresh', 'fresh'])
    expect(states(written.replace('{"n": 1}', '{ "n" : 1 }').replaceAll('\n', '\r\n'))).toEqual(['fresh', 'fresh'])
  })

  test.each([
    ['the tool', 'fn="f"', 'fn="other"', ['stale', 'fresh']],
    ['the parameters', '{"n": 1}', '{"n": 2}', ['stale', 'fresh']],
    ['the content', 'Use it', 'Use it well', ['fresh', 'stale']],
    ['a result that was used', '<![CDATA[1]]>', '<![CDATA[9]]>', ['fresh', 'stale']],
    ['the hash', /hash="[^"]*"/, 'hash="0"', ['stale', 'fresh']],
    ['the hash, which is gone', /hash="[^"]*"/, '', ['unknown', 'fresh']],
  ])('they are told when %s has changed', (_, from, to, expected) => {
    expect(states(written.replace(from, to))).toEqual(expected)
  })

  test('a block that never ran has none', () => {
    expect(parse(text).check()).toMatchObject([{ blockId: 'a', state: 'missing', line: 2 }, { state: 'missing' }])
  })
})

describe('writing the file', () => {
  const text = '\ufeff<document>\r\n  <fncall id="a" fn="f"/>\r\n</document>\r\n'
  const state = { blocks: [['a', { result: 'ä' }]] } as const

  async function written(prepare: (file: string) => void = () => {}) {
    const file = join(temporaryFolder(), 'report.xml')
    writeFileSync(file, text, { mode: 0o640 })
    const parsed = await readDocument(file)
    if (!parsed.ok) throw new Error('it parses')
    prepare(file)
    return { file, answer: await parsed.document.write(state), document: parsed.document }
  }

  test('it is replaced whole, keeps its mode, and nothing is left beside it', async () => {
    const { file, answer, document } = await written()
    expect(answer).toMatchObject({ ok: true, path: file })
    expect(readFileSync(file, 'utf8')).toBe(document.withResults(state))
    expect(statSync(file).mode & 0o777).toBe(0o640)
    expect(readdirSync(join(file, '..'))).toEqual(['report.xml'])
  })

  test('a file that changed on disk meanwhile is left alone', async () => {
    const { file, answer } = await written((path) => writeFileSync(path, `${text} `))
    expect(answer).toMatchObject({ ok: false, code: 'changed-on-disk' })
    expect(readFileSync(file, 'utf8')).toBe(`${text} `)
    expect(readdirSync(join(file, '..'))).toEqual(['report.xml'])
  })

  test('a read-only file is left alone', async () => {
    const { file, answer } = await written((path) => chmodSync(path, 0o444))
    expect(answer).toMatchObject({ ok: false, code: 'read-only' })
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  test('a link stays a link', async () => {
    const { file, document } = await written()
    const link = join(temporaryFolder(), 'link.xml')
    symlinkSync(file, link)
    const again = parse(readFileSync(file, 'utf8'))
    expect(await again.write({ blocks: [['a', { result: 2 }]] }, { path: link })).toMatchObject({ ok: true })
    expect(readFileSync(file, 'utf8')).not.toBe(document.withResults(state))
    expect(readFileSync(link, 'utf8')).toBe(readFileSync(file, 'utf8'))
  })

  test('a file that is gone, and a text from no file, are told', async () => {
    expect(await parse(text).write(state)).toMatchObject({ ok: false, code: 'no-path' })
    const { answer, file } = await written((path) => rmSync(path))
    expect(answer).toMatchObject({ ok: false, code: 'not-found' })
    expect(existsSync(file)).toBe(false)
  })

  test('another file may be a new one, and never one that is there', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'new.xml')
    expect(await parse(text).write(state, { path })).toMatchObject({ ok: true, path })
    expect(readFileSync(path, 'utf8')).toBe(parse(text).withResults(state))
    expect(statSync(path).mode & 0o777).toBe(0o666 & ~process.umask())
    expect(await parse(text).write(state, { path })).toMatchObject({ ok: false, code: 'changed-on-disk' })
    expect(await parse(text).write(state, { path: join(folder, 'no', 'new.xml') })).toMatchObject({
      ok: false,
      code: 'not-found',
    })
    symlinkSync(join(folder, 'nowhere'), join(folder, 'link.xml'))
    expect(await parse(text).write(state, { path: join(folder, 'link.xml') })).toMatchObject({ ok: false })
    expect(readdirSync(folder).sort()).toEqual(['link.xml', 'new.xml'])
  })
})
