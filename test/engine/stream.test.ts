import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { Catalogue } from '../../src/catalogue/catalogue.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { type CallEvent, createLegwork, defineTool } from '../../src/index.ts'
import { memoryJournal } from '../../src/journal/memory.ts'
import { anySchema } from '../../src/model/schema.ts'
import type { ToolDefinition } from '../../src/model/tool.ts'
import { createRedactor } from '../../src/outcome/redact.ts'
import { makePolicy } from '../../src/policy/policy.ts'
import { openLegwork } from '../support/legwork.ts'
import { temporaryFolder } from '../support/temporary.ts'

const harmless = { destructive: false, network: false, filesystem: { write: false } } as const

test('one call as a stream of events, the last of which has the outcome', async () => {
  const tool = defineTool({
    name: 'steps',
    description: '',
    effects: harmless,
    run: (_, { progress }) => progress({ done: 1 }),
  })
  const legwork = await openLegwork({ functions: [tool] })
  const events: CallEvent[] = []
  for await (const event of legwork.stream({ tool: 'steps' })) events.push(event)
  expect(events.map(({ type }) => type)).toEqual(['started', 'decided', 'progress', 'ended'])
  expect(events.at(-1)).toMatchObject({ outcome: { ok: true } })
})

test('an unknown tool streams its start and its end', async () => {
  const legwork = await openLegwork({ functions: [] })
  const types: string[] = []
  for await (const { type } of legwork.stream({ tool: 'nobody' })) types.push(type)
  expect(types).toEqual(['started', 'log', 'ended'])
})

test('whoever stops reading cancels the call', async () => {
  let stopped = false
  const tool = defineTool({
    name: 'long',
    description: '',
    effects: harmless,
    run: (_, { signal, progress }) => {
      progress({ message: 'begun' })
      return sleep(10_000, undefined, { signal }).catch(() => {
        stopped = true
      })
    },
  })
  const legwork = await openLegwork({ functions: [tool] })
  for await (const event of legwork.stream({ tool: 'long' })) if (event.type === 'progress') break
  expect(stopped).toBe(true)
  expect(legwork.journal.read()[0]).toMatchObject({ phase: 'end', code: 'cancelled' })
})

test('misuse is thrown to whoever reads', async () => {
  const legwork = await openLegwork({ functions: [] })
  await expect(legwork.stream({ tool: 'x', timeoutMs: 0 }).next()).rejects.toMatchObject({ code: 'invalid-limit' })
})

test('a flood of progress that nobody reads does not fill the memory', async () => {
  const tool = defineTool({
    name: 'flood',
    description: '',
    effects: harmless,
    run: (_, { progress }) => {
      for (let done = 0; done < 100_000; done++) progress({ done })
    },
  })
  const legwork = await openLegwork({ functions: [tool] })
  let told = 0
  let last = ''
  for await (const { type } of legwork.stream({ tool: 'flood' })) {
    told++
    last = type
  }
  expect(told).toBeLessThan(1_010)
  expect(last).toBe('ended')
})

test('closing waits for a stream that is under way, whose end is in the journal, and no stream begins after it', async () => {
  const tool = defineTool({ name: 'brief', description: '', effects: harmless, run: () => sleep(50, 'done') })
  const folder = temporaryFolder()
  const path = join(folder, 'legwork.db')
  const legwork = await createLegwork({ functions: [tool], journal: { path } })
  const events: string[] = []
  const reading = (async () => {
    for await (const { type } of legwork.stream({ tool: 'brief' })) events.push(type)
  })()
  await sleep(10)
  await legwork.close()
  await reading
  expect(events.at(-1)).toBe('ended')
  const again = await createLegwork({ functions: [tool], journal: { path } })
  expect(again.journal.read().map(({ phase }) => phase)).toEqual(['end', 'start'])
  await again.close()
  await expect(legwork.stream({ tool: 'brief' }).next()).rejects.toMatchObject({ code: 'closed' })
})

test('closing ends a stream that nobody reads any more', async () => {
  const tool = defineTool({
    name: 'long',
    description: '',
    effects: harmless,
    run: (_, { signal }) => sleep(20_000, undefined, { signal }),
  })
  const legwork = await createLegwork({ functions: [tool], journal: { path: ':memory:' } })
  const stream = legwork.stream({ tool: 'long' })
  await stream.next()
  await legwork.close()
})

test('a reader who is slow holds back the output of the tool', async () => {
  const catalogue = new Catalogue()
  let pushed = 0
  const tool: ToolDefinition = {
    name: { path: ['talker'] },
    kind: 'program',
    description: '',
    input: anySchema,
    effects: { destructive: false },
    trust: 'vendor',
    run: async (_, { output }) => {
      for (; pushed < 500; pushed++) await output('stdout', `line ${pushed}\n`)
      return { ok: true, value: null }
    },
  }
  await catalogue.add({ name: 'talker', load: () => ({ tools: [tool] }) })
  const parts = {
    catalogue,
    policy: makePolicy(),
    journal: memoryJournal(),
    redactor: createRedactor(),
    clock: systemClock,
  }
  const stream = createEngine(parts).stream({ tool: 'talker' })
  await stream.next()
  await sleep(50)
  expect(pushed).toBeLessThan(100)
  let lines = 0
  for await (const event of stream) if (event.type === 'output') lines += event.text.split('\n').length - 1
  expect(lines).toBe(500)
})
