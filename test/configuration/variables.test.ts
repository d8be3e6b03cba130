import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expandVariables } from '../../src/configuration/variables.ts'

const environment = { SET: 'value', EMPTY: '', NESTED: `\${SET}`, _1: 'one' }

describe('texts are filled in', () => {
  test.each([
    [`\${SET}`, 'value'],
    [`\${env:SET}`, 'value'],
    [`a \${SET} b \${_1} c`, 'a value b one c'],
    [`\${SET}\${SET}`, 'valuevalue'],
    [`\${UNSET:-other}`, 'other'],
    [`\${env:UNSET:-other}`, 'other'],
    [`\${UNSET:-}`, ''],
    [`\${SET:-other}`, 'value'],
    [`\${EMPTY}`, ''],
    [`\${EMPTY:-other}`, 'other'],
    [`\${NESTED}`, `\${SET}`],
    [`\${UNSET:-$SET}`, '$SET'],
    [`$\${SET}`, `\${SET}`],
    ['$SET and $', '$SET and $'],
    ['100 $ {SET}', '100 $ {SET}'],
  ])('%s', (text, expected) => {
    expect(expandVariables(text, environment)).toMatchObject({ value: expected, faults: [] })
  })
})

test('lists and objects are filled in to the bottom; keys, numbers and flags are not', () => {
  const text = `\${SET}`
  const { value } = expandVariables({ [text]: [text, { a: text }, 1, true, null] }, environment)
  expect(value).toEqual({ [text]: ['value', { a: 'value' }, 1, true, null] })
})

describe('what is at fault', () => {
  test.each([
    [`\${UNSET}`, /^The variable "UNSET" is not set\. Set it, or give it a default: "\$\{UNSET:-default\}"\.$/],
    [`\${constructor}`, /^The variable "constructor" is not set\./],
    [
      `\${input:token}`,
      /^"\$\{input:token\}" names no variable\. Write "\$\{NAME\}", .* or "\$\$\{" for a plain "\$\{"\.$/,
    ],
    [`\${}`, /names no variable/],
    [`\${SET`, /names no variable/],
    [`\${A B}`, /names no variable/],
  ])('%s', (text, message) => {
    const { faults, value } = expandVariables({ a: [text] }, environment)
    expect(faults).toMatchObject([{ path: ['a', 0], message: expect.stringMatching(message) }])
    expect(value).toEqual({ a: [text] })
  })

  test('every unset variable of a text', () => {
    const { faults } = expandVariables(`\${A} \${B:-x} \${C}`, {})
    expect(faults.map(({ reference }) => reference)).toEqual([`\${A}`, `\${C}`])
  })
})

test('what a variable holds comes out as it is, whatever it holds', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (held) => {
      const expanded = expandVariables(`<\${V}>`, { V: held })
      expect(expanded).toMatchObject({ value: `<${held}>`, used: [{ variable: 'V', value: held }], faults: [] })
    }),
  )
})

test('any JSON without a dollar sign stays what it is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      fc.pre(!JSON.stringify(value).includes('$'))
      expect(expandVariables(value, environment).value).toEqual(value)
    }),
  )
})
