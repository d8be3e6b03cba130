// What a program in JavaScript may get wrong: told at once, in words, and never as a fault of some tool.

import { expect, test } from 'vitest'
import { type Call, createLegwork, defineTool } from '../../src/index.ts'
import { openLegwork } from '../support/legwork.ts'

const effects = { destructive: false, network: false, filesystem: { write: false } }
const echo = defineTool({ name: 'demo:echo', description: '', effects, run: (input) => input })
const wrong = (value: unknown) => value as never

test.each<[string, unknown, string]>([
  ['nothing', undefined, 'not undefined'],
  ['a name alone', 'demo:echo', 'not "demo:echo"'],
  ['null', null, 'not null'],
  ['a signal that is none', { tool: 'demo:echo', signal: 'x' }, '"signal" of a call must be an AbortSignal'],
  ['somebody to ask who is none', { tool: 'demo:echo', approve: 5 }, '"approve" of a call must be a function'],
])('a call that is %s', async (_, call, message) => {
  const legwork = await openLegwork({ functions: [echo] })
  const error = { code: 'invalid-call', message: expect.stringContaining(message) }
  await expect(legwork.call(wrong(call))).rejects.toMatchObject(error)
  await expect(legwork.batch([{ tool: 'demo:echo' }, wrong(call)])).rejects.toMatchObject(error)
  expect(legwork.journal.read()).toEqual([])
})

test('a batch that is no list', async () => {
  const legwork = await openLegwork({ functions: [echo] })
  await expect(legwork.batch(wrong('demo:echo'))).rejects.toMatchObject({ code: 'invalid-call' })
})

test('a tool that calls another in the wrong way fails with the words', async () => {
  const outer = defineTool({
    name: 'demo:outer',
    description: '',
    effects,
    run: (_, { call }) => call(wrong('demo:echo')),
  })
  const legwork = await openLegwork({ functions: [echo, outer] })
  expect(await legwork.call({ tool: 'demo:outer' })).toMatchObject({
    code: 'tool-failed',
    message: expect.stringContaining('A call is an object'),
  })
})

test('functions that are no list', async () => {
  await expect(createLegwork({ functions: wrong(echo) })).rejects.toMatchObject({ code: 'invalid-tool' })
})

test('whatever is asked of a Legwork that is closed, it says so', async () => {
  const legwork = await openLegwork({ functions: [echo] })
  await legwork.close()
  const call: Call = { tool: 'demo:echo' }
  const asked = [
    () => legwork.call(call),
    () => legwork.preview(call),
    () => legwork.batch([call]),
    () => legwork.why(call),
    () => legwork.tools(),
    () => legwork.tools('openai'),
    () => legwork.tool('demo:echo'),
    () => legwork.search('echo'),
    () => legwork.aiSdk(),
    () => legwork.unmatchedRules(),
    () => legwork.script('return 1'),
    () => legwork.handle('openai', { choices: [] }),
  ]
  for (const ask of asked) await expect(ask()).rejects.toMatchObject({ code: 'closed' })
  await legwork.close()
})
