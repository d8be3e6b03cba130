import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor, type Redactor } from '../../src/outcome/redact.ts'
import { harmless, mixed, privateKey, tokens } from './corpora.ts'

const known = ['a-known-Value', 'two\nlines of it', 'aaa', 'REDACT']
const redactor = createRedactor({ values: known, patterns: ['acme_[a-z0-9]{20}', '\\bQ+\\b', 'from\\s+[a-z]+\\s+to$'] })

function streamed(by: Redactor, text: string, sizes: readonly number[]): string {
  const stream = by.stream()
  let shown = ''
  for (let at = 0, round = 0; at < text.length; round++) {
    const size = sizes[round % sizes.length] ?? 1
    shown += stream.push(text.slice(at, at + size))
    at += size
  }
  return shown + stream.end()
}

const pieces = fc.constantFrom(
  ...tokens.map(([, token, around = 'SECRET']) => around.replace('SECRET', token)),
  ...harmless,
  ...known,
  privateKey(),
  privateKey('OPENSSH PRIVATE KEY').slice(0, 150),
  `acme_${'x1'.repeat(10)}`,
  'from\n\n here \r\n to\n',
  'password: "hunter2"',
  'QQ Q',
  'aaaaaaa',
  '\u001b[31m',
  '\u200b',
  ' ',
  '\n',
  '\r\n',
  '"',
)
const texts = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''))
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 })

describe('a text in chunks', () => {
  test('gives what it gives whole, wherever it is cut', () => {
    fc.assert(
      fc.property(texts, sizes, (text, by) => {
        expect(streamed(redactor, text, by)).toBe(redactor.text(text))
      }),
      { numRuns: 500 },
    )
  })

  test('gives what it gives whole, on lines of any length', () => {
    const long = fc.constantFrom(32_760, 32_768, 40_000, 65_530, 65_536, 70_000, 131_072)
    const parts = fc.array(fc.oneof({ weight: 1, arbitrary: long }, { weight: 4, arbitrary: pieces }), { maxLength: 8 })
    const large = fc.array(fc.integer({ min: 1000, max: 90_000 }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(parts, fc.constantFrom(' ', ''), large, (list, separator, by) => {
        const text = list.map((part) => (typeof part === 'number' ? mixed(part) : part)).join(separator)
        expect(streamed(redactor, text, by) === redactor.text(text)).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  test('hides a secret at every place around the length that is held back', () => {
    const [, token = ''] = tokens[0] ?? []
    for (let before = 32_740; before < 32_800; before += 7) {
      const shown = streamed(redactor, `${' x'.repeat(before)} ${token} ${'y '.repeat(40_000)}`, [4096])
      expect(shown).toContain(' [REDACTED] ')
      expect(shown).not.toContain(token.slice(8, 20))
    }
  })

  test('shows a line as soon as it is complete', () => {
    const stream = redactor.stream()
    expect(stream.push('first line\nsecond')).toBe('first line\n')
    expect(stream.push(' line\r')).toBe('second line\r')
    expect(stream.push('password=hun')).toBe('')
    expect(stream.push('ter2\nrest')).toBe('password=[REDACTED]\n')
    expect(stream.end()).toBe('rest')
  })

  test('shows nothing of a private key while it comes', () => {
    const stream = redactor.stream()
    const shown = privateKey('RSA PRIVATE KEY', 50)
      .split(/(?<=\n)/)
      .map((line) => stream.push(line))
    expect(shown.join('')).toBe('[REDACTED]\n')
    expect(stream.push('after\n')).toBe('after\n')
  })
})

test('megabytes go through in flat memory, with lines and without', () => {
  for (const filler of [`${mixed(99)}\n`, mixed(100)]) {
    const chunk = `${filler.repeat(650)} password=hunter2 `
    const stream = redactor.stream()
    let shown = 0
    let hidden = 0
    let pushed = 0
    const before = process.memoryUsage().heapUsed
    let highest = before
    while (pushed < 8_000_000) {
      const text = stream.push(chunk)
      shown += text.length
      hidden += text.split('[REDACTED]').length - 1
      pushed += chunk.length
      if (pushed % (chunk.length * 20) === 0) highest = Math.max(highest, process.memoryUsage().heapUsed)
    }
    const rest = stream.end()
    hidden += rest.split('[REDACTED]').length - 1
    expect(hidden).toBe(pushed / chunk.length)
    expect(shown + rest.length).toBeGreaterThan(0.99 * pushed)
    expect(highest - before).toBeLessThan(64 * 1_048_576)
  }
})

test('a secret is found when its name stands before the point up to which an endless line was taken, and its value after it', () => {
  const filler = mixed(60_000)
  for (let offset = -25; offset <= 5; offset++) {
    const taken = 2 * 57_344 - 32_768
    const text = `${mixed(taken + offset - 1)} password=hunter2 ${filler}${filler}`
    const stream = createRedactor().stream()
    let shown = ''
    for (let at = 0; at < text.length; at += 57_344) shown += stream.push(text.slice(at, at + 57_344))
    expect(shown + stream.end(), `offset ${offset}`).not.toContain('hunter2')
  }
})
