import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../src/outcome/redact.ts'
import { spellingsOf } from '../../src/outcome/spellings.ts'
import { mixed } from './corpora.ts'

const value = `it's "pa$$/w ör+d?\\&<x>`
const known = createRedactor({ values: [value] })

describe('a known value is found', () => {
  const json = (text: string) => JSON.stringify(text).slice(1, -1)
  const entities = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

  test.each([
    ['in JSON in JSON in JSON', json(json(json(value)))],
    ['in JSON in ASCII in JSON', json(json(value).replace('ö', '\\u00f6'))],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(value))],
    ['percent-encoded twice, as a form', encodeURIComponent(new URLSearchParams([['', value]]).toString().slice(1))],
    ['in the text of a page', entities(value)],
    ['in an attribute of a page', entities(value).replaceAll('"', '&quot;')],
    ['in a page, with numbered quotes', entities(value).replaceAll('"', '&#34;').replaceAll("'", '&#39;')],
    ['in a page, with quotes in hexadecimal', entities(value).replaceAll('"', '&quot;').replaceAll("'", '&#x27;')],
    ['in XML', entities(value).replaceAll('"', '&quot;').replaceAll("'", '&apos;')],
    ['in single quotes for a shell', value.replaceAll("'", "'\\''")],
    ['in single quotes for a shell, the other way', value.replaceAll("'", `'"'"'`)],
    ['in double quotes for a shell', value.replace(/["$`\\]/g, '\\$&')],
  ])('%s', (_, spelling) => {
    expect(known.text(`a ${spelling} b`)).toBe('a [REDACTED] b')
  })

  test('as printf %q prints it', () => {
    for (const each of [value, 'a!b#c$d%e&f*g(h)i,j;k[l]m^n`o{p|q}r~s', 'tab\tand\nline\\it']) {
      const quoted = execFileSync('bash', ['-c', 'printf %q "$1"', 'bash', each], {
        env: { LC_ALL: 'C.UTF-8' },
        stdio: ['ignore', 'pipe', 'inherit'],
      }).toString()
      const shown = createRedactor({ values: [each] }).text(`run ${quoted} now`)
      expect(shown).toMatch(/^run (?:\[REDACTED\]|\$'\[REDACTED\]') now$/)
    }
  })
})

describe('a known value of many lines', () => {
  const lines = 'first-line-of-it\nsecond "line"\nthird'
  const redactor = createRedactor({ values: [lines] })

  test.each([
    ['as it is', lines],
    ['with the line ends of Windows', lines.replaceAll('\n', '\r\n')],
    ['with both', lines.replace('\n', '\r\n')],
    ['with the line ends of Windows, in JSON', JSON.stringify(lines.replaceAll('\n', '\r\n')).slice(1, -1)],
    ['with the line ends of Windows, in an address', encodeURIComponent(lines.replaceAll('\n', '\r\n'))],
  ])('is found %s', (_, spelling) => {
    expect(redactor.text(`a ${spelling} b`)).toBe('a [REDACTED] b')
    const stream = redactor.stream()
    const shown = [...`a ${spelling} b`].map((unit) => stream.push(unit)).join('')
    expect(shown + stream.end()).toBe('a [REDACTED] b')
  })

  test('is found whichever line ends it was given with', () => {
    const windows = createRedactor({ values: [lines.replaceAll('\n', '\r\n')] })
    expect(windows.text(`a ${lines} b`)).toBe('a [REDACTED] b')
    expect(windows.text(`a ${lines.replaceAll('\n', '\r\n')} b`)).toBe('a [REDACTED] b')
  })

  test('stays where something else stands between its lines', () => {
    const text = lines.replace('\n', '\r\r\n')
    expect(redactor.text(text)).toBe(text)
  })
})

describe('base64 that is wrapped', () => {
  const secret = `long-Secret/${mixed(120)}`
  const redactor = createRedactor({ values: [secret, 'a-known-Value-4711'] })

  test('hides a value anywhere in it, at any column, indented or not, whole or in chunks', () => {
    const wrapped = fc.record({
      hidden: fc.constantFrom(secret, 'a-known-Value-4711'),
      before: fc.string({ maxLength: 100 }),
      after: fc.string({ maxLength: 100 }),
      column: fc.constantFrom(64, 76, 60, 40),
      lineEnd: fc.constantFrom('\n', '\r\n', '\n    '),
      size: fc.integer({ min: 1, max: 100 }),
    })
    fc.assert(
      fc.property(wrapped, ({ hidden, before, after, column, lineEnd, size }) => {
        const digits = Buffer.from(before + hidden + after).toString('base64')
        const text = digits.replace(new RegExp(`.{${column}}(?=.)`, 'g'), `$&${lineEnd}`)
        const stream = redactor.stream()
        let shown = ''
        for (let at = 0; at < text.length; at += size) shown += stream.push(text.slice(at, at + size))
        shown += stream.end()
        expect(shown).toBe(redactor.text(text))
        // All but a letter or two at each end of it is gone.
        const left = shown.replace('[REDACTED]', '').replace(/\s/g, '').length
        expect(left).toBeLessThanOrEqual(digits.length - Math.floor((hidden.length * 8) / 6) + 5)
      }),
      { numRuns: 500 },
    )
  })

  test('as the usual program prints it', () => {
    const text = execFileSync('base64', { input: secret }).toString()
    expect(text.trim().split('\n').length).toBeGreaterThan(1)
    expect(redactor.text(`it is\n${text}.`)).toMatch(/^it is\n\[REDACTED\][A-Za-z0-9+/=]{0,4}\n\.$/)
  })
})

test('a value of hardly anything but what is hidden does not take other text with it', () => {
  const redactor = createRedactor({ values: ['\u001b[32m$ \u001b[0m', '\u200b\u200c', '\u001b[1mvisible-part'] })
  expect(redactor.text('costs $ 5')).toBe('costs $ 5')
  expect(redactor.text('a \u001b[32m$ \u001b[0m b')).not.toContain('\u001b[32m$')
  expect(redactor.text('a visible-part b')).toBe('a [REDACTED] b')
})

test('a line of nothing but line breaks after the beginning of a value is not held for ever', () => {
  const stream = createRedactor({ values: ['a-known-Value-4711'] }).stream()
  const shown = stream.push(`YS1rbm93${'\n'.repeat(100_000)}`)
  expect(shown.length).toBeGreaterThan(90_000)
})

test('at the end of a text that was cut off, no spelling shows more than three of its letters', () => {
  for (const { letters } of spellingsOf(value)) {
    for (let length = 4; length <= letters.length; length++) {
      const shown = known.text(`a text ${letters.slice(0, length)}`, true)
      expect(shown.startsWith('a text '), shown).toBe(true)
      expect(shown.replaceAll('[REDACTED]', '').length, `${letters.slice(0, length)}: ${shown}`).toBeLessThanOrEqual(10)
    }
  }
})
