import { mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { createLegwork, defineTool, type Legwork, type LegworkOptions } from '../../src/index.ts'
import { memoryResults } from '../../src/journal/memory-results.ts'
import { fileResults } from '../../src/journal/results.ts'
import { createLargeResults } from '../../src/large-results.ts'
import { makeLimits } from '../../src/model/limits.ts'
import { createRedactor } from '../../src/outcome/redact.ts'
import { temporaryFolder } from '../support/temporary.ts'

const harmless = { destructive: false, network: false, filesystem: { write: false } } as const
const long = defineTool({
  name: 'demo:long',
  description: 'Gives back much',
  effects: harmless,
  run: ({ text, times = 1 }) =>
    typeof text === 'string' ? text.repeat(Number(times)) : { items: Array(10_000).fill('ü') },
})

interface Opened {
  readonly legwork: Legwork
  readonly folder: string
}

async function open(options: LegworkOptions = {}): Promise<Opened> {
  const folder = temporaryFolder()
  const legwork = await createLegwork({ functions: [long], journal: { path: join(folder, 'j.db') }, ...options })
  onTestFinished(() => legwork.close())
  return { legwork, folder: join(folder, 'j.db-results') }
}

async function kept({ legwork }: Opened, input: object = {}) {
  const outcome = await legwork.call({ tool: 'demo:long', input })
  const result = await legwork.results.keep(outcome)
  if (!result) throw new Error('It was not kept.')
  return { ...result, outcome }
}

async function readAll({ results }: Legwork, uri: string, length = ''): Promise<string> {
  let text = ''
  let offset: number | undefined = 0
  while (offset !== undefined) {
    const part = await results.read(`${uri}?offset=${offset}${length}`)
    if (!part) throw new Error('There is no such part.')
    expect(part.offset).toBe(offset)
    text += part.text
    offset = part.nextOffset
  }
  return text
}

test('a short result is handed over as it is', async () => {
  const { legwork, folder } = await open()
  const outcome = await legwork.call({ tool: 'demo:long', input: { text: 'short' } })
  expect(await legwork.results.keep(outcome)).toBeUndefined()
  expect(() => readdirSync(folder)).toThrow()
})

test('of a long one the client gets the beginning and an address, and nothing is lost', async () => {
  const opened = await open()
  const { uri, mediaType, preview, outcome, bytes } = await kept(opened)
  expect(uri).toMatch(/^legwork:\/\/results\/[0-9a-f-]{36}$/)
  expect(mediaType).toBe('application/json')
  expect(preview.length).toBeLessThan(2_500)
  expect(preview).toContain('{"items":["ü"')
  expect(preview).toContain(uri)
  const whole = await readAll(opened.legwork, uri)
  expect(outcome.ok && JSON.parse(whole)).toEqual(outcome.ok && outcome.value)
  expect(Buffer.byteLength(whole)).toBe(bytes)
})

test('a text longer than a model may be shown is whole all the same', async () => {
  const opened = await open()
  const { uri, mediaType, outcome } = await kept(opened, { text: 'line\n', times: 40_000 })
  expect(mediaType).toBe('text/plain')
  expect(outcome.text.length).toBeLessThanOrEqual(100_000)
  expect((await readAll(opened.legwork, uri)).length).toBe(200_000)
})

test('the preview says where to go on, and that is where it ended', async () => {
  const opened = await open()
  const { preview, uri } = await kept(opened, { text: '😀é', times: 10_000 })
  const [, offset] = /offset=(\d+)/.exec(preview) ?? []
  const part = await opened.legwork.results.read(`${uri}?offset=${offset}&length=12`)
  expect(part).toMatchObject({ offset: Number(offset), text: expect.stringMatching(/^(?:😀é|é😀)/) })
})

test('files are for this user alone, in a folder of their own beside the journal', async () => {
  const opened = await open()
  await kept(opened)
  const [name = ''] = readdirSync(opened.folder)
  expect(statSync(opened.folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(opened.folder, name)).mode & 0o777).toBe(0o600)
})

test('a later script, or any other front, reads it by a tool that is there as soon as it is needed', async () => {
  const opened = await open()
  expect(await opened.legwork.tool('legwork:readResult')).toBeUndefined()
  const { uri, bytes } = await kept(opened)
  const call = {
    tool: 'tools.legwork.readResult',
    input: { uri, offset: 10, length: 100 },
    caller: { front: 'toolscript', readOnly: true },
  } as const
  const outcome = await opened.legwork.call(call)
  expect(outcome).toMatchObject({ ok: true, value: { offset: 10, bytes, mediaType: 'application/json' } })
  await using later = await createLegwork({ functions: [long], journal: { path: join(opened.folder, '../j.db') } })
  expect(await later.call(call)).toMatchObject({ ok: true, value: { offset: 10 } })
})

test('the tool takes an address as the beginning of a result names it, and what stands beside that goes before it', async () => {
  const opened = await open()
  const { uri, preview } = await kept(opened)
  const [next = ''] = /legwork:\S+\?offset=\d+/.exec(preview) ?? []
  const read = (input: object) => opened.legwork.call({ tool: 'legwork--readResult', input })
  const offset = Number(next.split('=')[1])
  expect(await read({ uri: next, length: 10 })).toMatchObject({ ok: true, value: { offset, nextOffset: offset + 10 } })
  expect(await read({ uri: next, offset: 5 })).toMatchObject({ ok: true, value: { offset: 5 } })
  expect(await read({ uri: `${uri}?offset=x` })).toMatchObject({ ok: false })
  expect(preview).toContain('legwork--readResult')
})

test('a part that was asked for is handed over, however long it is', async () => {
  const opened = await open()
  const { uri } = await kept(opened)
  const outcome = await opened.legwork.call({ tool: 'legwork:readResult', input: { uri, length: 60_000 } })
  expect(await opened.legwork.results.keep(outcome)).toBeUndefined()
})

test('secrets are hidden in what is kept, also where what stood between two halves was dropped', async () => {
  const opened = await open({ redact: { values: ['hunter2-and-more'] } })
  const { uri } = await kept(opened, { text: 'hunter2-and-more hunter2\u200b-and-more ', times: 2_000 })
  expect(await readAll(opened.legwork, uri)).not.toMatch(/and-more/)
})

test.each([
  'legwork://results/',
  'legwork://results/../j.db',
  'legwork://results/..%2fj.db',
  'legwork://results/00000000-0000-7000-8000-000000000000',
  'legwork://results/0000000000000000000000000000000000/j',
  'file:///etc/passwd',
  'legwork://results/00000000-0000-7000-8000-000000000000?offset=-1',
  '',
])('%s leads nowhere', async (uri) => {
  const opened = await open()
  await kept(opened)
  expect(await opened.legwork.results.read(uri)).toBeUndefined()
  const outcome = await opened.legwork.call({ tool: 'legwork:readResult', input: { uri } })
  expect(outcome).toMatchObject({ ok: false, code: 'tool-failed' })
})

test.each(['offset=x', 'offset=-1', 'offset=1.5', 'length=1e9', 'offset=9999999999999999999'])(
  'an address with %s is none',
  async (query) => {
    const opened = await open()
    const { uri } = await kept(opened)
    expect(await opened.legwork.results.read(`${uri}?${query}`)).toBeUndefined()
  },
)

test('beyond the end there is nothing, and no more after that', async () => {
  const opened = await open()
  const { uri, bytes } = await kept(opened)
  const part = await opened.legwork.results.read(`${uri}?offset=${bytes + 5}`)
  expect(part).toMatchObject({ text: '' })
  expect(part).not.toHaveProperty('nextOffset')
})

test('law: the parts of any length put together are the whole', async () => {
  const store = memoryResults({ clock: systemClock })
  const results = createLargeResults({
    store,
    redactor: createRedactor({}),
    limits: makeLimits({}),
    onFirst: async () => {},
  })
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.integer({ min: 1, max: 9 }),
      async (text, length) => {
        const stored = await store.put(text, 'text/plain')
        let read = ''
        let offset: number | undefined = 0
        while (offset !== undefined) {
          const part = await results.read(`legwork://results/${stored?.id}?offset=${offset}&length=${length}`)
          read += part?.text
          offset = part?.nextOffset
        }
        expect(read).toBe(Buffer.from(text).toString())
      },
    ),
    { numRuns: 100 },
  )
})

test('the oldest go when there is no more room, and all when their time is up', async () => {
  const folder = join(temporaryFolder(), 'results')
  let now = Date.now()
  const clock = { ...systemClock, now: () => now }
  const store = fileResults({ folder, clock, maxBytes: 1_000, lifetimeMs: 10_000 })
  const first = await store.put('a'.repeat(400), 'text/plain')
  utimesSync(join(folder, `${first?.id}.txt`), now / 1_000 - 5, now / 1_000 - 5)
  const second = await store.put('b'.repeat(400), 'text/plain')
  const third = await store.put('c'.repeat(400), 'text/plain')
  const isThere = async (kept: typeof first) => (await store.read(kept?.id ?? '', 0, 10)) !== undefined
  expect([await isThere(first), await isThere(second), await isThere(third)]).toEqual([false, true, true])
  expect(await store.put('d'.repeat(1_001), 'text/plain')).toBeUndefined()
  now += 11_000
  expect(await isThere(third)).toBe(false)
  await store.put('e', 'text/plain')
  expect(readdirSync(folder)).toHaveLength(1)
})

test('a hundred at once are all kept', async () => {
  const opened = await open()
  const all = await Promise.all(Array.from({ length: 100 }, (_, at) => kept(opened, { text: `${at} `, times: 20_000 })))
  expect(new Set(all.map(({ uri }) => uri)).size).toBe(100)
  for (const [at, { uri }] of all.entries()) {
    expect((await opened.legwork.results.read(uri))?.text.startsWith(`${at} ${at} `)).toBe(true)
  }
})

test('a folder that leads elsewhere, or a file that is a link, is not used', async () => {
  const place = temporaryFolder()
  mkdirSync(join(place, 'elsewhere'))
  symlinkSync(join(place, 'elsewhere'), join(place, 'j.db-results'))
  const legwork = await createLegwork({ functions: [long], journal: { path: join(place, 'j.db') } })
  onTestFinished(() => legwork.close())
  const outcome = await legwork.call({ tool: 'demo:long' })
  expect(await legwork.results.keep(outcome)).toBeUndefined()
  expect(readdirSync(join(place, 'elsewhere'))).toEqual([])

  const opened = await open()
  await kept(opened)
  const secret = join(place, 'secret')
  writeFileSync(secret, 'do not show')
  const id = '00000000-0000-7000-8000-000000000000'
  symlinkSync(secret, join(opened.folder, `${id}.txt`))
  expect(await opened.legwork.results.read(`legwork://results/${id}`)).toBeUndefined()
})

test('with a journal in memory nothing is written, and results are read all the same', async () => {
  const opened = await open({ journal: { path: ':memory:' } })
  const { uri } = await kept(opened)
  expect((await opened.legwork.results.read(uri))?.text).toContain('items')
  expect(() => readdirSync(opened.folder)).toThrow()
})
