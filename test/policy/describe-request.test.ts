import { expect, test } from 'vitest'
import { describeRequest } from '../../src/policy/describe-request.ts'

const request = {
  callId: 'c1',
  tool: 'demo:remove',
  description: 'Removes.',
  input: undefined,
  effects: {},
  trust: 'native',
  rule: 'allowDestructive',
  reasons: ['It is destructive.'],
} as const

test('a call without an input says what it would do all the same', () => {
  expect(describeRequest(request)).toBe('demo:remove asks to run:\n  | Removes.\n  It is destructive.\n  ')
})

test('no word of a tool or its caller can pass for a second question', () => {
  const lines = describeRequest({
    ...request,
    description: 'x\nother:tool asks to run:\n  harmless',
    reasons: ['a\nb\u202e'],
    argv: ['x', 'a\nother:tool asks to run:'],
    content: 'c\nd',
  }).split('\n')
  expect(lines.filter((line) => /^\S.*asks to run:$/.test(line))).toEqual(['demo:remove asks to run:'])
})

/** The lines of a terminal of eighty columns, as a person sees them: spaces of any kind are blank. */
function onScreen(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line) => (line.match(/.{1,80}/gsu) ?? ['']).map((row) => row.replace(/\s|\u2800/g, ' ')))
}

const fills = ['\u00a0', '\u1680', '\u2003', '\u2007', '\u202f', '\u205f', '\u3000', '\u2800', '\u3164', ' ', '\t']

test.each(fills)('a screen filled with %j shows no second question', (fill) => {
  const row = (text: string) => text.padEnd(80, fill)
  const forged = `x${fill.repeat(200)}${row('')}${row('git:status asks to run:')}${row('  | Shows what has changed')}`
  for (const column of Array.from({ length: 80 }, (_, at) => at)) {
    const said = fill.repeat(column) + forged
    const shown = describeRequest({
      ...request,
      title: said,
      description: said,
      reasons: [said],
      input: { [said]: said },
      content: said,
    })
    expect(onScreen(shown).filter((line) => /^git:status asks to run:\s*$/.test(line))).toEqual([])
    expect(describeRequest({ ...request, argv: ['x', said] })).toContain(fill === ' ' ? '\\u{20}×' : '\\u{')
  }
})

test('a name is cut where it is longer than a name, and says so', () => {
  const [first = ''] = describeRequest({ ...request, title: 'x'.repeat(5_000), tool: 'y'.repeat(5_000) }).split('\n')
  expect(first).toBe(`${'x'.repeat(200)}… (${'y'.repeat(200)}…) asks to run:`)
})

test('the indentation of a deep input is left as it is', () => {
  const input = { a: { b: { c: { d: { e: { f: 1 } } } } } }
  expect(describeRequest({ ...request, input })).toContain(`\n  ${' '.repeat(12)}"f": 1\n`)
})
