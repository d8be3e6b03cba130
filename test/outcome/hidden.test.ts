import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../src/outcome/redact.ts'
import { hasHidden, visibleText } from '../../src/outcome/visible.ts'
import { privateKey, tokens } from './corpora.ts'

const known = [
  'a-known-Value-4711',
  'first line of it\nsecond line of it\nthird',
  'with\u200bzero\u0001width',
  '4929123456781234',
]
const redactor = createRedactor({ values: known, patterns: ['acme_[a-z0-9]{20}'] })

/** What takes a secret apart for a search, and not for a reader. */
const breakers = [
  '\u200b',
  '\u00ad',
  '\u2060',
  '\ufeff',
  '\ufff9',
  '\ufffa',
  '\ufffb',
  '\u{e0041}',
  '\u180e',
  '\u001b[0m',
  '\u001b[1;31m\u001b[K',
  '\u009b31m',
  '\u001b]8;;https://example.org\u0007',
  '\u001b]0;title\u001b\\',
  '\u009d0;title\u009c',
  '\u001bPq#0\u001b\\',
  '\u0090q\u009c',
  '\u001b_x\u0007',
  '\u001b(B',
  '\u001b7',
]
const shapes = tokens.filter(([, , around]) => around === undefined).map(([, token]) => token)
const secrets = [
  ...known,
  ...shapes.filter((_, at) => at % 9 === 0),
  `acme_${'x1'.repeat(10)}`,
  'AKIA' + 'Q7ZKX2MVB4TN9RHW',
]
const fillers = [0, 10, 1_000, 32_760, 65_500, 65_536, 70_000, 131_072].map((length) =>
  'some words, '.repeat(length / 12 + 1).slice(0, length),
)

const broken = fc
  .record({
    secret: fc.constantFrom(...secrets),
    cuts: fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(...breakers)), {
      minLength: 1,
      maxLength: 4,
    }),
    windows: fc.boolean(),
  })
  .map(({ secret, cuts, windows }) => {
    const letters = secret.split('')
    for (const [place, breaker] of cuts) letters.splice(Math.floor(place * letters.length), 0, breaker)
    return windows ? letters.join('').replaceAll('\n', '\r\n') : letters.join('')
  })
const parts = fc.oneof(
  { weight: 3, arbitrary: broken },
  { weight: 2, arbitrary: fc.constantFrom(...fillers) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...breakers, '\n', '\r\n', '\u001b', '\u001b]0;', '\u0090', '\u2028', '👩‍💻', 'ok'),
  },
)
const texts = fc.array(parts, { minLength: 1, maxLength: 8 }).map((list) => list.join(' '))

describe('whatever is hidden in a text, making it visible shows no secret', () => {
  test('of a text as a whole, on lines of any length', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(shownSecrets(redactor.text(text))).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  test('of a text in chunks, which gives the same', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 90_000 }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(texts, sizes, (text, by) => {
        const shown = streamed(text, by)
        expect(shownSecrets(shown)).toEqual([])
        expect(shown === redactor.text(text)).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  test('of short chunks too', () => {
    const short = fc.array(fc.oneof(broken, fc.constantFrom(...breakers, '\n', '\r', '\r\n', ' ')), { maxLength: 6 })
    const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(short, sizes, (list, by) => {
        const text = list.join(' ')
        const shown = streamed(text, by)
        expect(shownSecrets(shown)).toEqual([])
        expect(shown).toBe(redactor.text(text))
      }),
      { numRuns: 500 },
    )
  })

  test.each(breakers.map((breaker) => [JSON.stringify(breaker), breaker]))('at every place: %s', (_, breaker) => {
    expect(hasHidden(breaker)).toBe(true)
    const [value = ''] = known
    for (let at = 0; at <= value.length; at++) {
      const text = `it is ${value.slice(0, at)}${breaker}${value.slice(at)}.`
      expect(visibleText(redactor.text(text))).toBe('it is [REDACTED].')
    }
  })
})

test('every character that is dropped from a text counts as hidden', () => {
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code)
    if (visibleText(`a${character}b`) === 'ab') expect(hasHidden(character), code.toString(16)).toBe(true)
  }
})

test('a private key in colours is redacted, line by line', () => {
  const coloured = privateKey().replace(/^.+$/gm, '\u001b[32m+$&\u001b[m')
  expect(redactor.text(`before\n${coloured}\u001b[1mafter\u001b[m\n`)).toBe(
    'before\n+[REDACTED]\n\u001b[1mafter\u001b[m\n',
  )
})

test('an escape sequence that is longer than what is held of a line is shown, and nothing behind it', () => {
  const text = `\u001b]1337;File=${'x '.repeat(100_000)}a-kno\u200bwn-Value-4711\u0007 end`
  expect(shownSecrets(redactor.text(text))).toEqual([])
})

test('a secret in a part that is dropped is redacted where the rest stays as it is', () => {
  const shown = redactor.text('\u001b]0;a-known-Value-4711\u0007title')
  expect(shown).toBe('\u001b]0;[REDACTED]\u0007title')
})

test('colours and emoji in a text without secrets stay', () => {
  for (const text of ['\u001b[32mok\u001b[0m\n\u001b[1mbold\u001b[0m', '👩‍💻 ok\r\n', '\ufeffid,name\r\n1,x\r\n']) {
    expect(redactor.text(text)).toBe(text)
    expect(streamed(text, [3])).toBe(text)
  }
})

function streamed(text: string, sizes: readonly number[]): string {
  const stream = redactor.stream()
  let shown = ''
  for (let at = 0, round = 0; at < text.length; round++) {
    const size = sizes[round % sizes.length] ?? 1
    shown += stream.push(text.slice(at, at + size))
    at += size
  }
  return shown + stream.end()
}

function shownSecrets(redacted: string): string[] {
  const visible = visibleText(redacted)
  return secrets.filter((secret) => visible.includes(visibleText(secret)))
}
