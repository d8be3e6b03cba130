import { readFileSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { PruneOptions } from '../../src/journal/journal.ts'
import { LimitError } from '../../src/model/errors.ts'
import { openTemporary, start, tamper } from './support.ts'

function openWith(amount: number) {
  const journal = openTemporary()
  const day = (at: number) => new Date(Date.UTC(2026, 0, 1 + at)).toISOString()
  journal.append(Array.from({ length: amount }, (_, at) => start(String(at), { at: day(at) })))
  return journal
}

test.each<[PruneOptions, number]>([
  [{ keep: 4 }, 6],
  [{ keep: 10 }, 0],
  [{ keep: 99 }, 0],
  [{ keep: 0 }, 10],
  [{ before: new Date('2026-01-04T00:00:00Z') }, 3],
  [{ before: new Date('2020-01-01T00:00:00Z') }, 0],
  [{ before: new Date('2030-01-01T00:00:00Z') }, 10],
])('prune %j of ten entries removes %i, the chain is whole, and an entry tells of it', async (options, entries) => {
  const journal = openWith(10)
  const hash = journal.read({ before: entries + 1, limit: 1 })[0]?.hash ?? '0'.repeat(64)
  const told = entries === 0 ? 0 : 1
  expect(await journal.prune(options)).toEqual({ entries, start: { seq: entries, hash } })
  expect(journal.verify()).toMatchObject({ ok: true, entries: 10 - entries + told, start: { seq: entries, hash } })
  expect(journal.head().seq).toBe(10 + told)
  const [last] = journal.read({ limit: 1 })
  if (told) expect(last).toMatchObject({ tool: 'journal:prune', input: JSON.stringify({ from: 1, to: entries, hash }) })
  const head = journal.head().hash
  journal.append([start('next')])
  expect(journal.read({ limit: 1 })[0]?.seq).toBe(11 + told)
  expect(journal.verify({ head })).toMatchObject({ ok: true, entries: 11 - entries + told })
})

test('pruning can be repeated, until nothing but its own last entry is left', async () => {
  const journal = openWith(10)
  await journal.prune({ keep: 8 })
  await journal.prune({ keep: 3 })
  expect(journal.verify()).toMatchObject({ ok: true, entries: 4, start: { seq: 8 } })
  await journal.prune({ keep: 0 })
  await journal.prune({ keep: 0 })
  expect(journal.verify()).toMatchObject({ ok: true, entries: 1, start: { seq: 13 } })
})

const cut = (seq: number) =>
  `INSERT OR REPLACE INTO starting_point SELECT 1, seq, hash FROM entries WHERE seq = ${seq}; DELETE FROM entries WHERE seq <= ${seq}`

test('a beginning that was cut off by hand is found, with and without a head', async () => {
  const journal = openWith(10)
  const head = journal.head().hash
  tamper(journal.path, cut(4))
  const faults = [{ seq: 4, kind: 'unrecorded', message: expect.stringContaining('the beginning was cut off') }]
  expect(journal.verify()).toMatchObject({ ok: false, faults })
  expect(journal.verify({ head })).toMatchObject({ ok: false, faults })
  tamper(journal.path, cut(10))
  expect(journal.verify()).toMatchObject({ ok: false, faults: [{ seq: 10, kind: 'unrecorded' }] })
})

test('one that was cut off behind a pruning is found as well', async () => {
  const journal = openWith(10)
  await journal.prune({ keep: 8 })
  tamper(journal.path, cut(5))
  expect(journal.verify().faults).toMatchObject([{ seq: 5, kind: 'unrecorded' }])
})

test('a pruning that was written later than the head that was kept is told', async () => {
  const journal = openWith(10)
  const { hash: before } = journal.head()
  await journal.prune({ keep: 5 })
  const { hash: after } = journal.head()
  const message = expect.stringContaining('entry 11 tells of, later than the head that was named (entry 10)')
  expect(journal.verify({ head: before })).toMatchObject({ ok: false, faults: [{ kind: 'pruned-since', message }] })
  expect(journal.verify({ head: after })).toMatchObject({ ok: true, faults: [] })
})

test('no call can pass for a pruning', async () => {
  const journal = openWith(10)
  const { hash = '' } = journal.read({ before: 5, limit: 1 })[0] ?? {}
  const input = JSON.stringify({ from: 1, to: 4, hash })
  journal.append([start('x', { tool: 'journal:prune', caller: 'journal', input, phase: 'end' })])
  tamper(journal.path, cut(4))
  expect(journal.verify().faults).toMatchObject([{ kind: 'unrecorded' }])
})

test('an entry that is missing after pruning is still found', async () => {
  const journal = openWith(10)
  const head = journal.read({ before: 3, limit: 1 })[0]?.hash
  await journal.prune({ keep: 5 })
  expect(journal.verify({ head })).toMatchObject({
    ok: false,
    faults: [{ message: expect.stringContaining('pruned') }],
  })
  tamper(journal.path, 'DELETE FROM entries WHERE seq = 6')
  expect(journal.verify().faults).toMatchObject([{ seq: 6, kind: 'missing' }])
})

test('a clock that was ahead for one entry does not remove what is younger', async () => {
  const journal = openTemporary()
  const days = ['2026-01-01', '2026-01-09', '2026-01-02', '2026-01-03']
  journal.append(days.map((day, at) => start(String(at), { at: `${day}T00:00:00.000Z` })))
  await journal.prune({ before: new Date('2026-01-05T00:00:00Z') })
  expect(journal.read().map(({ seq }) => seq)).toEqual([5, 4, 3, 2])
})

test('thousands are pruned step by step while entries are added, and the space is given back', async () => {
  const journal = openTemporary()
  const secret = 'a text that must not linger'
  const many = Array.from({ length: 2500 }, (_, at) => start(String(at), { input: secret.repeat(10) }))
  for (let round = 0; round < 4; round++) journal.append(many)
  const before = statSync(journal.path).size
  const pruned = journal.prune({ keep: 0 })
  journal.append([start('meanwhile')])
  expect(await pruned).toMatchObject({ entries: 10_000 })
  expect(journal.verify()).toMatchObject({ ok: true, entries: 2 })
  expect(statSync(journal.path).size).toBeLessThan(before / 4)
  journal.close()
  expect(readFileSync(journal.path).includes(secret)).toBe(false)
})

test('whoever watches is told how far a look at every entry and a removal are', async () => {
  const journal = openTemporary()
  const many = Array.from({ length: 2_500 }, (_, at) => start(String(at)))
  for (let round = 0; round < 2; round++) journal.append(many)
  const told: number[] = []
  const onEntries = (entries: number) => told.push(entries)
  journal.verify({ onEntries })
  expect(told).toEqual([1_000, 2_000, 3_000, 4_000, 5_000])
  await journal.prune({ keep: 0, onEntries })
  expect(told.slice(5)).toEqual([2_000, 4_000, 5_000])
})

test.each([{ keep: -1 }, { keep: 1.5 }, { before: new Date('never') }])('prune %j is misuse', async (options) => {
  const journal = openWith(3)
  await expect(journal.prune(options)).rejects.toThrow(LimitError)
  expect(journal.read()).toHaveLength(3)
})
