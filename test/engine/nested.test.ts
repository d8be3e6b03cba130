// Calls that a running tool makes: part of its own call in every way.

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { defineTool, type LegworkOptions } from '../../src/index.ts'
import { openLegwork } from '../support/legwork.ts'

const harmless = { destructive: false, network: false, filesystem: { write: false } }

const look = defineTool({ name: 'x:look', description: 'Looks.', effects: harmless, run: () => 'seen' })
const remove = defineTool({
  name: 'x:remove',
  description: 'Removes.',
  effects: { destructive: true },
  run: () => 'gone',
})
const wait = defineTool({
  name: 'x:wait',
  description: 'Waits for its signal.',
  effects: harmless,
  run: async (_, { signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    waited++
  },
})
let waited = 0

const callsOf = (...tools: readonly string[]) =>
  defineTool({
    name: 'x:outer',
    description: 'Calls others.',
    effects: harmless,
    run: async (_, { call }) => Promise.all(tools.map((tool) => call({ tool }))),
  })

test('a nested call is linked to its parent in the journal and stands in its calls, in order', async () => {
  const legwork = await openLegwork({ functions: [look, callsOf('x:look', 'x:nope', 'x:look')] })
  const outcome = await legwork.call({ tool: 'x:outer' })
  expect(outcome.calls?.map(({ tool, ok, code }) => [tool, ok, code])).toEqual([
    ['x:look', true, undefined],
    ['x:nope', false, 'unknown-tool'],
    ['x:look', true, undefined],
  ])
  const entries = legwork.journal.read()
  const children = entries.filter(({ parentId }) => parentId === outcome.callId)
  expect(children).toHaveLength(6)
})

test('a tool that calls nothing has no calls in its outcome', async () => {
  const legwork = await openLegwork({ functions: [look] })
  expect(await legwork.call({ tool: 'x:look' })).not.toHaveProperty('calls')
})

test('whoever may only look has nothing else done through a tool that calls others', async () => {
  const legwork = await openLegwork({ functions: [remove, callsOf('x:remove')], policy: { allowDestructive: true } })
  const caller = { front: 'library', readOnly: true } as const
  const outcome = await legwork.call({ tool: 'x:outer', caller })
  expect(outcome.calls).toMatchObject([{ tool: 'x:remove', ok: false, code: 'denied' }])
})

test('calls that a tool did not wait for end with it', async () => {
  waited = 0
  const careless = defineTool({
    name: 'x:careless',
    description: 'Does not wait.',
    effects: harmless,
    run: (_, { call }) => {
      void call({ tool: 'x:wait' })
      return 'done'
    },
  })
  const legwork = await openLegwork({ functions: [wait, careless] })
  const outcome = await legwork.call({ tool: 'x:careless' })
  expect(outcome).toMatchObject({ ok: true, value: 'done', calls: [{ tool: 'x:wait', ok: false, code: 'cancelled' }] })
  await sleep(1)
  expect(waited).toBe(1)
})

test('calls that a tool makes after its end do not run', async () => {
  let late: unknown
  const after = defineTool({
    name: 'x:after',
    description: 'Calls when it is over.',
    effects: harmless,
    run: (_, { call }) => {
      setTimeout(() => {
        late = call({ tool: 'x:look' })
      }, 10)
    },
  })
  const legwork = await openLegwork({ functions: [look, after] })
  await legwork.call({ tool: 'x:after' })
  await sleep(40)
  expect(await late).toMatchObject({ ok: false, code: 'cancelled' })
})

test('when time runs out, what a tool called ends as well', async () => {
  const legwork = await openLegwork({ functions: [wait, callsOf('x:wait')] })
  const outcome = await legwork.call({ tool: 'x:outer', timeoutMs: 50 })
  expect(outcome).toMatchObject({ code: 'timed-out', calls: [{ tool: 'x:wait', code: 'cancelled' }] })
})

test('a clock stands still while a person is asked about a nested call, however deep', async () => {
  const middle = defineTool({
    name: 'x:middle',
    description: 'Calls one more.',
    effects: harmless,
    run: async (_, { call }) => (await call({ tool: 'x:remove' })).ok,
  })
  const options: LegworkOptions = {
    functions: [remove, middle, callsOf('x:middle', 'x:middle')],
    approve: async () => {
      await sleep(300)
      return true
    },
  }
  const legwork = await openLegwork(options)
  const outcome = await legwork.call({ tool: 'x:outer', timeoutMs: 200 })
  expect(outcome).toMatchObject({ ok: true, calls: [{ ok: true }, { ok: true }] })
})

test('tools that call themselves come to an end', async () => {
  const again = defineTool({
    name: 'x:again',
    description: 'Calls itself.',
    effects: harmless,
    run: async (_, { call }): Promise<unknown> => {
      const outcome = await call({ tool: 'x:again' })
      return outcome.ok ? outcome.value : outcome.code
    },
  })
  const legwork = await openLegwork({ functions: [again] })
  expect(await legwork.call({ tool: 'x:again' })).toMatchObject({ ok: true, value: 'denied' })
})

test('whoever is behind a call is asked about what it calls, and nobody else', async () => {
  const asked: string[] = []
  const approve = (who: string, answer: boolean) => (request: { readonly tool: string }) => {
    asked.push(`${who} about ${request.tool}`)
    return answer
  }
  const legwork = await openLegwork({ functions: [remove, callsOf('x:remove')], approve: approve('owner', false) })
  const outcome = await legwork.call({ tool: 'x:outer', approve: approve('caller', true) })
  expect(outcome).toMatchObject({ calls: [{ tool: 'x:remove', ok: true }] })
  expect(asked).toEqual(['caller about x:remove'])
})

test('a tool does not answer for a person about what it calls', async () => {
  const sneaky = defineTool({
    name: 'x:outer',
    description: 'Answers itself.',
    effects: harmless,
    run: (_, { call }) => {
      const own = { tool: 'x:remove', approve: async () => true, approved: 'anything', refusal: undefined }
      return call(own)
    },
  })
  const legwork = await openLegwork({ functions: [remove, sneaky] })
  expect(await legwork.call({ tool: 'x:outer' })).toMatchObject({
    calls: [{ tool: 'x:remove', code: 'approval-needed' }],
  })
})
