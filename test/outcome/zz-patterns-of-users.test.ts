import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
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
  ['[^]x', 'a\nx', 'a[REDACTED]'],
  ['a{,2}', 'a{,2} aa', '[REDACTED] aa'],
])('%s', (pattern, text, redacted) => {
  expect(redact([pattern], text)).toBe(redacted)
})

describe('a pattern that cannot be used says which and why', () => {
  test.each([
    ['[a-', 'no regular expression'],
    ['(?=a)b', 'look around'],
    ['(?<!a)b', 'look around'],
    ['(a)\\1', 'refers back'],
    ['(?<x>a)\\k<x>', 'refers back'],
    ['".+?"', 'as little as it can'],
    ['a*', 'matches the empty text'],
    ['^$', 'matches the empty text'],
    ['', 'matches the empty text'],
    ['(?:[ab]{100}){100}', 'too large'],
    ['a{4294967295}', 'too large'],
    ['\\p{L}', 'not supported'],
  ])('%s', (pattern, why) => {
    const make = () => createRedactor({ patterns: ['fine', pattern] })
    expect(make).toThrow(expect.objectContaining({ code: 'invalid-pattern' }))
    expect(make).toThrow(`The redaction pattern "${pattern}" cannot be used`)
    expect(make).toThrow(why)
  })
})

test('a pattern that repeats nothing, or nests without end, takes no time either', () => {
  expect(redact(['(?:(?:(?:){999999}){999999}){999999}a'], 'ab')).toBe('[REDACTED]b')
  expect(redact([`${'('.repeat(900)}a${')'.repeat(900)}`], 'ab')).toBe('[REDACTED]b')
  expect(() => redact([`${'('.repeat(90_000)}a${')'.repeat(90_000)}`], '')).toThrow('longer than 2000 characters')
})

test('covers exactly what some match contains', () => {
  const source = fc.letrec<{ node: string; atom: string }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      tie('atom'),
      fc.tuple(tie('atom'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{2,}')).map(([atom, sign]) => atom + sign),
      fc.tuple(tie('node'), tie('node')).map(([a, b]) => a + b),
      fc.tuple(tie('node'), tie('node')).map(([a, b]) => `(?:${a}|${b})`),
      tie('node').map((inner) => `(?:${inner})+`),
      fc
        .tuple(tie('node'), fc.constantFrom('^', '$', '\\b', '\\B'))
        .map(([inner, sign]) => `(?:${sign}${inner}${sign})`),
    ),
    atom: fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '\\s', '-'),
  })).node
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '-', '\n'), maxLength: 7 })
  fc.assert(
    fc.property(source, text, (pattern, given) => {
      fc.pre(!new RegExp(`^(?:${pattern})$`).test(''))
      expect(redactOrSkip(pattern, given)).toBe(redactedByTrying(pattern, given))
    }),
    { numRuns: 600000 },
  )
})

/** Assertions may make a pattern that matches the empty text only in places; that is refused as well. */
function redactOrSkip(pattern: string, text: string): string {
  try {
    return redact([pattern], text)
  } catch {
    fc.pre(false)
    return ''
  }
}

function redactedByTrying(pattern: string, text: string): string {
  const covered = Array.from(text, () => false)
  for (let start = 0; start < text.length; start++) {
    for (let end = start + 1; end <= text.length; end++) {
      const whole = new RegExp(`(?<![^])[^]{${start}}(?:${pattern})[^]{${text.length - end}}(?![^])`, 'm')
      if (whole.test(text)) covered.fill(true, start, end)
    }
  }
  return covered.map((is, at) => (is ? (covered[at - 1] ? '' : '[REDACTED]') : text.charAt(at))).join('')
}

describe('patterns that would hang another engine', () => {
  test.each([
    ['^(a+)+$', `${'a'.repeat(200_000)}!`],
    ['(a|a)*b', 'a'.repeat(200_000)],
    ['(a|aa)+$', `${'a'.repeat(200_000)}!`],
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
