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
