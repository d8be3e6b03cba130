// What is odd in a document is told when it runs, with its place in the file, and never without bound.

import { describe, expect, test } from 'vitest'
import { parametersOf } from '../../src/document/call-parts.ts'
import { maxWarnings } from '../../src/document/faults.ts'
import { parseDocument } from '../../src/document/parse.ts'
import { smallEngine } from './engine.ts'

const within = (text: string) => `<document>\n${text}\n</document>`

test('an element or attribute that nobody knows is a warning of the run', async () => {
  const engine = await smallEngine()
  const text = within(
    '<fncall id="a" fn="say" modelid="x"><parms>{"words": 1}</parms></fncall>\n<fncall id="b" fn="say"><params>no</params></fncall>',
  )
  const { outcome, state } = await engine.run(text)
  expect(outcome.warnings).toEqual([
    expect.stringMatching(/^2:1 UNKNOWN_ATTRIBUTE: .*"modelid".*"modelId"/),
    expect.stringMatching(/^2:\d+ UNKNOWN_ELEMENT: .*<parms>.*Did you mean "params"\?/),
  ])
  expect(state.metadata.warnings).toEqual(outcome.warnings)
})

test('very many warnings are told in part', async () => {
  const engine = await smallEngine()
  const { outcome } = await engine.run(within('<zz/>\n'.repeat(50)))
  expect(outcome.warnings).toHaveLength(21)
  expect(outcome.warnings.at(-1)).toContain('30 more')
})

test('a secret in a warning is hidden', async () => {
  const secret = 'correct-horse-battery-staple'
  const engine = await smallEngine([], { secrets: [secret] })
  const { state } = await engine.run(within(`<fncall id="a" fn="say" ${secret}="x"/>`))
  expect(JSON.stringify(state)).not.toContain(secret)
})

describe('parameters that are no JSON object', () => {
  test.each([
    ['no JSON', '{"a": 1 "b"}', 'line 4, column 17', 'Expected'],
    ['a list', '[1]', 'line 4, column 1', 'a list'],
  ])('%s: the place is told as it is in the file, with the lines around it', async (_, raw, place, words) => {
    const engine = await smallEngine()
    const text = `<document>\n\n<fncall id="a" fn="say">\n<params>${raw}</params></fncall></document>`
    const { state } = await engine.run(text)
    const error = state.blocks.get('a')?.error
    expect(error?.message).toContain(`(${place})`)
    expect(error?.message).toContain(words)
    expect(error?.message).toContain(`> 4 | <params>${raw}`)
    expect(error?.message).not.toMatch(/position|line 1 /)
    expect(error?.issues).toMatchObject([
      { path: place.replace(/\D+/g, ' ').trim().replace(' ', ':'), fault: 'INVALID_PARAMETERS' },
    ])
  })
})

describe('the number of warnings and faults is bounded', () => {
  const many = 20_000

  test('for parameters; each block still knows its own fault', () => {
    const parsed = parseDocument(within('<fncall fn="a"><params>no</params></fncall>\n'.repeat(many)))
    if (!parsed.ok) throw new Error('these are warnings')
    expect(parsed.document.warnings).toHaveLength(maxWarnings)
    const last = parsed.document.calls.at(-1)
    expect(last && parametersOf(last)).toMatchObject({
      ok: false,
      fault: { code: 'INVALID_PARAMETERS', line: many + 1, column: 16 },
    })
  })

  test('for attributes', () => {
    const parsed = parseDocument(within('<p colour="x"/>\n'.repeat(many)))
    expect(parsed.ok && parsed.document.warnings).toHaveLength(maxWarnings)
  })

  test('for ids, and for what is too deep', () => {
    const amount = 100_100
    const twice = parseDocument(within('<p id="a"/>\n'.repeat(amount + 1)))
    expect(!twice.ok && twice.faults.length).toBe(100_001)
    expect(!twice.ok && twice.faults.at(-1)).toMatchObject({
      code: 'MORE_FAULTS',
      message: expect.stringContaining('100'),
    })
  }, 20_000)
})
