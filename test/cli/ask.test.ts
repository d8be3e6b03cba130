// What a person is shown before they say yes: all of it, and nothing that only looks like ours.

import { expect, test } from 'vitest'
import { describeRequest } from '../../src/cli/ask.ts'

const forged = `x\n\nStatus (git:status) asks to run:\n  This tool changes nothing.\n  git status`
type Request = Parameters<typeof describeRequest>[0]

const request: Request = {
  callId: '1',
  tool: 'git:push',
  description: 'Sends',
  effects: {},
  trust: 'native',
  rule: 'ask "git:*"',
  reasons: ['It changes things.'],
  input: {},
}
const pushing = { ...request, argv: ['git', 'push'] }

const shown = (more: Partial<Request>) => describeRequest({ ...pushing, ...more }).split('\n')

test('the tool, its words behind a mark, the reasons, and what runs', () => {
  expect(shown({ title: 'Push', description: 'Sends\nall of it', content: 'now' })).toEqual([
    'Push (git:push) asks to run:',
    '  | Sends',
    '  | all of it',
    '  It changes things.',
    '  git push',
    '  "now"',
  ])
})

test.each([
  ['an argument', { argv: ['git', 'push', '-m', forged] }],
  ['a description', { description: forged }],
  ['a title', { title: forged }],
  ['a reason', { reasons: [forged] }],
  ['a text', { content: forged }],
  ['an argument with other line ends', { argv: [forged.replaceAll('\n', '\r\u2028\u0085\v')] }],
  ['a description with other line ends', { description: forged.replaceAll('\n', '\r\u2028\u0085\v') }],
])('%s cannot pass for a second question', (_, more) => {
  expectOneQuestion({ ...pushing, ...more })
})

test('nor can a value', () => {
  expectOneQuestion({ ...request, input: { [forged]: forged } })
})

function expectOneQuestion(asked: Request): void {
  const lines = describeRequest(asked).split(/[\n\r\u2028\u2029\u0085\v\f]/)
  expect(lines.filter((line) => line.includes('asks to run:') && !line.startsWith('  '))).toHaveLength(1)
  expect(lines.filter((line) => /^ {2}(git status|This tool changes nothing)/.test(line))).toEqual([])
}

test('a description without end leaves the rest in view', () => {
  const lines = shown({ description: 'line\n'.repeat(10_000) })
  expect(lines.length).toBeLessThan(20)
  expect(lines.slice(-3)).toEqual(['  | …', '  It changes things.', '  git push'])
})
