import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { settledLength, visibleText } from '../../src/outcome/visible.ts'

describe('what steers a terminal or hides from a reader', () => {
  test.each([
    ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
    ['moving and clearing', 'a\u001b[2J\u001b[H\u001b[?25lb', 'ab'],
    ['eight-bit commands', 'a\u009b31mb', 'ab'],
    ['a title', '\u001b]0;owned\u0007text', 'text'],
    ['a link, of which the text stays', '\u001b]8;;https://evil.example\u001b\\here\u001b]8;;\u001b\\', 'here'],
    ['a device string', 'a\u001bPq#0\u001b\\b', 'ab'],
    ['a string without an end', 'a\u001b]52;c;ZXZpbA==', 'a␛]52;c;ZXZpbA=='],
    ['other escapes', 'a\u001b(B\u001b7\u001bcb', 'ab'],
    ['an escape made of another', '\u001b\u001b[0m[31mx', '␛[31mx'],
    ['a lone escape', 'a\u001b', 'a␛'],
    ['NUL, bell and backspace', 'a\u0000\u0007\u0008\u007f', 'a␀␇␈␡'],
    ['line ends', 'a\r\nb\rc\u2028d\te\n', 'a\nb␍c\nd\te\n'],
    ['C1 controls', 'a\u0085b', 'a<U+0085>b'],
    ['reading order', 'a\u202eb\u2066c\u2069', 'a<U+202E>b<U+2066>c<U+2069>'],
    ['marks of direction', 'a\u200eb\u200fc\u061c', 'abc'],
    ['zero width', 'a\u200bb\u2060c\ufeffd\u00ade', 'abcde'],
    ['joiners between Latin letters', 'a\u200db\u200cc', 'abc'],
    [
      'tag characters',
      `a${String.fromCodePoint(...[...'hidden'].map((letter) => 0xe0000 + letter.charCodeAt(0)))}b`,
      'ab',
    ],
    ['variation selectors that carry bytes', `a${String.fromCodePoint(0xe0100, 0xe0155)}\ufe01b`, 'ab'],
    ['annotations', 'a\ufff9b\ufffac\ufffb', 'abc'],
    ['half surrogates', 'a\ud83db\udc00', 'a\ufffdb\ufffd'],
  ])('%s', (_, text, shown) => {
    expect(visibleText(text)).toBe(shown)
  })
})

test.each([
  'plain text\twith a tab\nand a line',
  'Grüße, naïve café, 中文, 日本語, हिन्दी',
  'שלום עולם ومرحبا بالعالم',
  'می‌خواهم क्‍ष',
  '👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 ❤️‍🔥 👍🏽 1️⃣ ☎︎ 🇩🇪',
  '[REDACTED] $ % \\u001b <U+202E>',
])('stays as it is: %s', (text) => {
  expect(visibleText(text)).toBe(text)
})

test('the flag of England becomes a plain one: its tags could say anything', () => {
  expect(visibleText('🏴󠁧󠁢󠁥󠁮󠁧󠁿')).toBe('🏴')
})

const unsafe =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/u

test('whatever goes in, nothing unsafe comes out, and a second time changes nothing', () => {
  const unit = fc.oneof(
    fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    fc.constantFrom(
      '\u001b',
      '[',
      ']',
      '0',
      'm',
      '\u0007',
      '\\',
      '\r',
      '\n',
      '\u009b',
      '\u0090',
      '\u009c',
      '\u009d',
      '\ufff9',
      '\u200d',
      '\ufe0f',
      '👩',
      '💻',
      'م',
      '\udb40',
      '\udc41',
    ),
  )
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 60 }), (text) => {
      const shown = visibleText(text)
      expect(shown).not.toMatch(unsafe)
      expect(shown.isWellFormed()).toBe(true)
      expect(visibleText(shown)).toBe(shown)
    }),
    { numRuns: 2000 },
  )
})

describe('takes time linear in the text, whatever is begun in it and never ended', () => {
  const beginnings = [
    '\u001b]0;x',
    '\u001bP',
    '\u001b]',
    '\u001b_',
    '\u001b^',
    '\u001bX',
    '\u001b[',
    '\u001b[0;',
    '\u001b ',
    '\u001b',
  ]
  const eightBit = ['\u0090', '\u0098', '\u009b', '\u009d', '\u009e', '\u009f', '\u0090x', '\u009d\u0090']
  const others = ['\r', '\u200d', '\ufe0f', '👩\u200d', '\ud83d', '\ufff9', 'م\u200c']

  test.each([...beginnings, ...eightBit, ...others].map((part) => [JSON.stringify(part), part]))('%s', (_, part) => {
    const [small, large] = [20_000, 320_000].map((length) => part.repeat(length / part.length))
    const growth =
      fastest(() => visibleText(large ?? '')) /
      Math.max(
        0.2,
        fastest(() => visibleText(small ?? '')),
      )
    // Sixteen times the text: sixteen times as long, or 256 times where each character is looked at for all others.
    expect(growth).toBeLessThan(80)
    expect(visibleText(large ?? '')).not.toMatch(unsafe)
  })

  test('also where an end comes at last', () => {
    expect(visibleText(`${'\u0090'.repeat(100_000)}x\u009c`)).toBe('<U+0090>'.repeat(99_999))
  })

  function fastest(run: () => void): number {
    let best = Number.POSITIVE_INFINITY
    for (let round = 0; round < 5; round++) {
      const startedAt = performance.now()
      run()
      best = Math.min(best, performance.now() - startedAt)
    }
    return best
  }
})

test('what begins another string for the terminal ends the one before', () => {
  expect(visibleText('a\u009d0;b\u0090c\u009cd')).toBe('a<U+009D>0;bd')
})

test('how much of a text stands, whatever follows', () => {
  const pieces = fc.constantFrom(
    'a',
    ' ',
    '\u001b',
    '[',
    '31m',
    ']0;',
    '\u0007',
    '\\',
    '\u009b',
    '\u0090',
    '\u009c',
    '\n',
    '(',
    'P',
    '😀',
  )
  const texts = fc.array(pieces, { maxLength: 12 }).map((list) => list.join(''))
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const length = settledLength(before)
      const rest = before.slice(length) + after
      expect(visibleText(before.slice(0, length)) + visibleText(rest)).toBe(visibleText(before + after))
    }),
    { numRuns: 3000 },
  )
})
