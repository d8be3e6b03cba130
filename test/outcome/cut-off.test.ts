import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../src/outcome/redact.ts'
import { mixed, tokens } from './corpora.ts'

const redactor = createRedactor({ values: ['pä😀ss-Wört-4711'] })

describe('of a text that was cut off', () => {
  test('a known value is gone, wherever it was cut, by characters', () => {
    const text = 'it is pä😀ss-Wört-4711'
    for (let length = 'it is '.length + 4; length <= text.length; length++) {
      expect(redactor.text(text.slice(0, length), true)).toBe('it is [REDACTED]')
    }
  })

  test('a known value is gone, wherever it was cut, by bytes', () => {
    const bytes = Buffer.from('it is pä😀ss-Wört-4711')
    for (let length = 'it is '.length + 7; length <= bytes.length; length++) {
      expect(redactor.text(bytes.toString('utf8', 0, length), true)).toBe('it is [REDACTED]')
    }
  })

  test.each(['\u200b', '\u001b[0m', '\u001b]0;t\u0007', '\ufff9'])('a known value with %j in it is gone', (hidden) => {
    expect(redactor.text(`it is pä${hidden}😀ss`, true)).toBe('it is [REDACTED]')
    expect(redactor.text(`it is pä😀ss${hidden}`, true)).toBe('it is [REDACTED]')
    expect(redactor.text(`it is pä😀ss${hidden.slice(0, 3)}`, true)).toBe('it is [REDACTED]')
  })

  test('a long token is gone from its beginning on', () => {
    const token = `ey${'J'}${mixed(200)}.ey${'J'}${mixed(3_000)}`
    expect(redactor.text(`as ${token}`, true)).toBe('as [REDACTED]')
  })

  test.each(tokens.filter(([, , around]) => around === undefined).map(([shape, token], at) => ({ shape, token, at })))(
    'a $shape is gone ($at)',
    ({ token }) => {
      for (let length = Math.ceil(token.length / 2); length <= token.length; length++) {
        const cut = token.slice(0, length)
        const start = redactor.text(`a ${cut}`, true)
        if (start.includes(cut)) expect(beginsLate(token)).toBe(true)
      }
    },
  )

  test.each([
    ['password=hunt', 'password=[REDACTED]'],
    ['{"password": "hunt', '{"password": "[REDACTED]'],
    ['export API_KEY=a1b2', 'export API_KEY=[REDACTED]'],
    ['postgres://user:pass', 'postgres://user:[REDACTED]'],
    ['Authorization: Bearer a1b2', 'Authorization: Bearer [REDACTED]'],
    ['curl -H "authorization: basic dXNl', 'curl -H "authorization: basic [REDACTED]'],
  ])('%s', (text, shown) => {
    expect(redactor.text(text, true)).toBe(shown)
    expect(redactor.text(text)).toBe(text)
  })

  test.each(['http://localhost:8080', 'token_type: bear', 'nothing of the kind', 'password', 'a\u001b[0mb \u001b['])(
    '%j stays',
    (text) => {
      expect(redactor.text(text, true)).toBe(text)
    },
  )
})

/** A token whose keyword stands in its second half cannot be told before that. */
function beginsLate(token: string): boolean {
  return /AZDO|JQQJ99|-us\d|\.atlasv1|\dQ~|:AA/.test(token)
}
