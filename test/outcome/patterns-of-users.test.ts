import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { patternStep } from '../../src/outcome/pattern-step.ts'
import { createRedactor } from '../../src/outcome/redact.ts'

function redact(patterns: readonly string[], text: string): string {
  return createRedactor({ patterns }).text(text)
}

test.each([
  ['acme_[a-z0-9]{20}', 'x acme_abcdefghij0123456789 acme_short', 'x [REDACTED] acme_short'],
  ['\\bID-\\d{3,5}\\b', 'ID-12 ID-123 ID-12345 ID-123456 xID-123', 'ID-12 [REDACTED] [REDACTED] ID-123456 xID-123'],
  ['^secret .*$', 'secret one\nno secret two\nsecret three', '[REDACTED]\nno secret two\n[REDACTED]'],
  ['(?i:abc)d', 'ABCd abcD', '[REDACTED] abcD'],
  ['colou?r|gr[ae]y', 'color colour grey groy', '[REDACTED] [REDACTED] [REDACTED] groy'],
  ['"pin":\\s*"[^"]+"', '{"pin": "1234", "x": "y"}', '{[REDACTED], "x": "y"}'],
  ['\\u00e9{2}[\\x41-C\\]\\-]', 'ééA éé] éé- ééD', '[REDACTED] [REDACTED] [REDACTED] ééD'],
  ['(?<name>a|b)(?:c)', 'ac bc cc', '[REDACTED] [REDACTED] cc'],
  ['[\\d\\-]{4}', '12-4 1-', '[REDACTED] 1-'],
  ['[^]x', 'a\nx bx', 'a\nx [REDACTED]'],
  ['".+?"', 'say "one" and "two"', 'say [REDACTED] and [REDACTED]'],
  ['\\p{Lu}{3}', 'ÄÖÜ abc', '[REDACTED] abc'],
  ['x*', 'axxb', 'a[REDACTED]b'],
  ['a{,2}', 'a{,2} aa', '[REDACTED] aa'],
])('%s', (pattern, text, redacted) => {
  expect(redact([pattern], text)).toBe(redacted)
})

test.each([
  ['[a-', 'is faulty'],
  ['(?=a)b', 'cannot be run in bounded time'],
  ['(?<!a)b', 'cannot be run in bounded time'],
  ['(a)\\1', 'cannot be run in bounded time'],
  ['(?:[ab]{100}){100}', 'cannot be run in bounded time'],
  ['('.repeat(90_000), 'is too large'],
])('the pattern %s cannot be used, and says why', (pattern, why) => {
  const make = () => createRedactor({ patterns: ['fine', pattern] })
  expect(make).toThrow(expect.objectContaining({ code: 'invalid-pattern' }))
  expect(make).toThrow(why)
})

test('a match up to 4,096 characters is found wherever it stands in an endless line, however it comes', () => {
  const secret = `acme_${'s'.repeat(4_000)}`
  for (const before of [60_000, 61_440, 65_530, 65_536, 120_000]) {
    const text = `${'x'.repeat(before)} ${secret} ${'y'.repeat(70_000)}`
    const redactor = createRedactor({ patterns: ['acme_s+'] })
    const expected = `${'x'.repeat(before)} [REDACTED] ${'y'.repeat(70_000)}`
    expect(redactor.text(text)).toBe(expected)
    const stream = redactor.stream()
    let shown = ''
    for (let at = 0; at < text.length; at += 10_007) shown += stream.push(text.slice(at, at + 10_007))
    expect(shown + stream.end()).toBe(expected)
  }
})

test('a pattern that matches a part of a marker leaves it whole', () => {
  const redactor = createRedactor({ values: ['hidden-value-1'], patterns: ['RED|x\\[R'] })
  expect(redactor.text('hidden-value-1 RED xhidden-value-1')).toBe('[REDACTED] [REDACTED] [REDACTED]')
})

describe('patterns that would hang another engine', () => {
  test.each([
    ['^(a+)+$', `${'a'.repeat(60_000)}!`],
    ['(a|a)*b', 'a'.repeat(200_000)],
    ['(a|aa)+$', `${'a'.repeat(60_000)}!`],
    ['(.*)*x', 'y'.repeat(200_000)],
    ['([a-z]+)+[0-9]', 'a'.repeat(200_000)],
    ['\\w+@\\w+\\.x', 'a'.repeat(200_000)],
    ['[ab]*a[ab]{40}c', 'abbabaab'.repeat(2_000)],
  ])('%s', (pattern, text) => {
    expect(redact([pattern], text)).toBe(text)
  })

  test('in a worker thread too', async () => {
    const source = `
      import { parentPort } from 'node:worker_threads'
      import { createRedactor } from ${JSON.stringify(new URL('../../src/outcome/redact.ts', import.meta.url).href)}
      parentPort.postMessage(createRedactor({ patterns: ['^(a+)+$'] }).text('a'.repeat(50_000) + '!\\naaa'))`
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`))
    const shown = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
    await worker.terminate()
    expect(shown).toBe(`${'a'.repeat(50_000)}!\n[REDACTED]`)
  })
})

describe('a pattern that reads on to the end of the line for each of its matches', () => {
  const greedy = 'a[^ ]*b|a'

  test('takes a bounded time, after which the rest of the line is redacted', () => {
    const startedAt = performance.now()
    const shown = redact([greedy], `first xa\n${'ax'.repeat(200_000)} end\nlast xa`)
    expect(performance.now() - startedAt).toBeLessThan(20_000)
    expect(shown).toBe('first x[REDACTED]\n[REDACTED]\nl[REDACTED]st x[REDACTED]')
  })

  test('uses up one budget, however many texts there are, and later texts earn a new one', () => {
    let now = 0
    let cost = 100
    const step = patternStep(['x'], { elapsed: () => (now += cost) })
    const look = (text: string) => step?.start().take(text, true)
    const line = 'x.'.repeat(1_000)
    expect(look(`${line}\nx.\n${'x.'.repeat(50)}`)).toBe('[REDACTED]\n[REDACTED].\n[REDACTED]')
    expect(look('x.'.repeat(50))).toBe('[REDACTED]')
    cost = 0.01
    look('.'.repeat(1_000))
    expect(look(line)).toBe('[REDACTED].'.repeat(1_000))
  })

  test('is redacted up to the end of an endless line, not beyond it, and whichever pattern took the time', () => {
    let now = 0
    const step = patternStep(['x', 'z'], { elapsed: () => (now += 10_000) })
    const stage = step?.start()
    const parts = ['z', 'x.'.repeat(100_000), '.'.repeat(100_000), 'y\nz.']
    const shown = parts.map((part) => stage?.take(part, false)).join('')
    expect(shown + stage?.take('', true)).toBe('[REDACTED]\n[REDACTED].')
  })
})
