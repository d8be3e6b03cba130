import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { withBudget } from '../../src/validate/budget.ts'
import { safePattern } from '../../src/validate/safe-pattern.ts'

function matches(source: string, text: string): boolean {
  const pattern = safePattern(source)
  if (!pattern.ok) throw new Error(pattern.reason)
  return pattern.test(text)
}

const attacks = [
  '^(a+)+$',
  '^(a|a)*$',
  '^(a|aa)+$',
  '(a*)*b',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  'a*a*a*a*a*a*b',
  '(?=(a+)+$)b',
]

describe('a pattern never hangs the host', () => {
  test.each(attacks)('%s', (source) => {
    expect(matches(source, `${'a'.repeat(5_000)}!`)).toBe(false)
  })

  test('and what it may cost is bounded', () => {
    expect(() => withBudget(1_000, () => matches('^[a-z]+$', 'a'.repeat(10_000)))).toThrow()
  })

  test.each([
    ['refers back', '(a)\\1', 'refers back to a group'],
    ['refers back by name', '(?<n>a)\\k<n>', 'refers back to a group'],
    ['is enormous', '(a{1000}){1000}', 'is too large'],
    ['repeats nothing for ever', '(?:(?:(?:){1000}){1000}){1000}', 'is too large'],
    ['is nested without end', '('.repeat(5000) + ')'.repeat(5000), 'is nested too deeply'],
    ['is no pattern', '(', 'is faulty'],
    ['switches flags', '(?i:a)', 'switches flags'],
    ['looks around everywhere', '(?=a|b)'.repeat(20), 'looks ahead or behind in too many places'],
  ])('one that %s is refused with the reason', (_, source, reason) => {
    const pattern = safePattern(source)
    expect(pattern).toMatchObject({ ok: false, reason: expect.stringContaining(reason) })
  })
})

describe('a pattern means what it means in JavaScript', () => {
  const texts = [
    '',
    'a',
    'b',
    'ab',
    'aab',
    'foo bar',
    'foo',
    'a-b_c.d',
    '2024-02-30',
    'é',
    '😀',
    'a😀b',
    '\ud83d',
    'x\ny',
    '}{][',
  ]

  test.each([
    '^[a-z0-9][a-z0-9-]*$',
    '^\\p{L}+$',
    '^\\P{L}+$',
    '\\bfoo\\b',
    '\\Boo',
    '^(?!foo)',
    '(?<=a)b',
    '(?<!a)b',
    '^(?=.*a)(?=.*b).+$',
    '^.$',
    '^..$',
    '^[^]$',
    '[]',
    '^\\u{1F600}$',
    '^\\uD83D\\uDE00$',
    '\\ud83d',
    '^(?<year>\\d{4})-\\d{2}-\\d{2}$',
    '^a{2,}b?$',
    '^a{1}b{0,1}$',
    'a*?b',
    '^(?:a|b|)+$',
    '^[\\w.\\-]+$',
    '^[\\]\\[{}]+$',
    '\\x61\\cJ?',
    '^\\S+@\\S+$|^$',
    '^a|b$',
    '(?=(?!b)a)a(?<=a)',
  ])('%s', (source) => {
    for (const text of texts) expect([text, matches(source, text)]).toEqual([text, new RegExp(source, 'u').test(text)])
  })

  test.each(['^[\\w-.]+$', '\\_', 'a{,2}', '}{', '^\\-$', '(?=a)*b', '\\07'])('the older syntax too: %s', (source) => {
    for (const text of [...texts, '_', '-', 'a{,2}']) {
      expect([text, matches(source, text)]).toEqual([text, new RegExp(source).test(text)])
    }
  })

  const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '\\W', '^', '$', '\\b', '\\B', '😀', '')
  const { pattern } = fc.letrec<{ pattern: string; choice: string; repeat: string; look: string; sequence: string }>(
    (tie) => ({
      choice: fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
      repeat: fc
        .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '*?', '+?', '{2}', '{0,2}', '{1,}', '{0}'))
        .map(([a, quantifier]) => `(${a})${quantifier}`),
      look: fc.tuple(fc.constantFrom('=', '!', '<=', '<!'), tie('pattern')).map(([kind, a]) => `(?${kind}${a})`),
      sequence: fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `${a}${b}`),
      pattern: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        atom,
        tie('sequence'),
        tie('choice'),
        tie('repeat'),
        tie('look'),
      ),
    }),
  )

  test('whatever the pattern and the text', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '😀', '\ud83d', '\n'), maxLength: 7 })
    fc.assert(
      fc.property(pattern, text, (source, given) => {
        const safe = safePattern(source)
        const native = new RegExp(source, 'u').exec(given)
        // The platform's engine also looks in the middle of a surrogate pair, where no letter begins or ends.
        fc.pre(safe.ok && !(native && isInsidePair(given, native.index)))
        expect(safe.ok && safe.test(given)).toBe(native !== null)
      }),
      { numRuns: 3000 },
    )
  })
})

function isInsidePair(text: string, at: number): boolean {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff
}
