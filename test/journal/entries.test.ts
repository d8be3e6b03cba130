import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { genesis } from '../../src/journal/chain.ts'
import type { Journal, JournalFilter } from '../../src/journal/journal.ts'
import { memoryJournal } from '../../src/journal/memory.ts'
import { type EntryFields, levels } from '../../src/model/entry.ts'
import { JournalError, LimitError } from '../../src/model/errors.ts'
import { outcomeCodes } from '../../src/model/outcome.ts'
import { toolKinds } from '../../src/model/tool.ts'
import { end, failureOf, openTemporary, start } from './support.ts'

function openMemory(): Journal {
  const journal = memoryJournal()
  onTestFinished(() => journal.close())
  return journal
}

describe.each([
  ['in a file', () => openTemporary()],
  ['in memory', openMemory],
])('a journal %s', (_, open: () => Journal) => {
  test('is empty at first', () => {
    const journal = open()
    expect(journal.read()).toEqual([])
    expect(journal.head()).toEqual(genesis)
    expect([...journal.pages()]).toEqual([])
    expect(journal.verify()).toEqual({ ok: true, entries: 0, faults: [], start: genesis, head: genesis })
  })

  test('gives back what was added, newest first, chained', () => {
    const journal = open()
    expect(journal.append([start('a')])).toBeUndefined()
    journal.append([end('a'), start('b')])
    const [third, second, first, ...rest] = journal.read()
    expect(rest).toEqual([])
    expect(first).toEqual({
      ...start('a'),
      seq: 1,
      previousHash: genesis.hash,
      hash: expect.stringMatching(/^\w{64}$/),
    })
    expect(second).toMatchObject({ ...end('a'), seq: 2, previousHash: first?.hash })
    expect(third).toMatchObject({ ...start('b'), seq: 3, previousHash: second?.hash })
    expect(journal.head()).toEqual({ seq: 3, hash: third?.hash })
    expect(journal.verify()).toMatchObject({ ok: true, entries: 3 })
  })

  test('adds all entries or none', async () => {
    const journal = open()
    journal.append([start('a')])
    const broken = { ...end('a'), tool: null } as unknown as EntryFields
    await failureOf(() => journal.append([end('a'), broken]))
    expect(journal.read()).toHaveLength(1)
    journal.append([])
    journal.append([end('a')])
    expect(journal.verify()).toMatchObject({ ok: true, entries: 2 })
  })

  test('shows calls without an end as interrupted', () => {
    const journal = open()
    journal.append([start('a'), start('b'), start('c', { tool: 'demo:other' }), end('b')])
    expect(journal.interrupted().map(({ callId }) => callId)).toEqual(['c', 'a'])
    expect(journal.interrupted({ tool: 'demo:echo' }).map(({ callId }) => callId)).toEqual(['a'])
    expect(journal.interrupted({ after: 1, limit: 1 }).map(({ callId }) => callId)).toEqual(['c'])
  })

  test('gives all entries in pages, oldest first, as they were at the beginning', () => {
    const journal = open()
    for (let number = 0; number < 25; number++) journal.append([start(String(number))])
    const sizes: number[] = []
    const seen: number[] = []
    for (const page of journal.pages(10)) {
      sizes.push(page.length)
      seen.push(...page.map(({ seq }) => seq))
      journal.append([start('later')])
    }
    expect(sizes).toEqual([10, 10, 5])
    expect(seen).toEqual(Array.from({ length: 25 }, (_, at) => at + 1))
  })

  test('is of no use once closed', async () => {
    const journal = open()
    journal.append([start('a')])
    journal.close()
    journal.close()
    for (const use of [
      () => journal.append([end('a')]),
      () => journal.read(),
      () => journal.verify(),
      () => journal.head(),
      () => [...journal.pages()],
      () => journal.prune({ keep: 0 }),
    ]) {
      expect((await failureOf(use)).message).toMatch(/is closed/)
    }
  })

  test('keeps every entry exactly as it was handed over', () => {
    const journal = open()
    fc.assert(
      fc.property(anyFields, (fields) => {
        journal.append([fields])
        const [found] = journal.read({ limit: 1 })
        expect(found).toEqual({ ...found, ...fields })
        const { seq: _seq, previousHash: _before, hash: _hash, ...kept } = found ?? {}
        expect(kept).toEqual(fields)
      }),
    )
    expect(journal.verify()).toMatchObject({ ok: true })
  })
})

test.each([
  ['a line end and another entry', 'done\n{"seq":2,"phase":"end","callId":"a","level":"info"}'],
  ['quotes and SQL', `'); DELETE FROM entries; --`],
  ['a null character', 'before\0after'],
  ['a closing of the array that is hashed', '"],["'],
  ['half a surrogate pair', 'x\ud800'],
])('what a tool prints stays data: %s', (_, message) => {
  const journal = openTemporary()
  journal.append([start('a', { input: message }), end('a', { message, tool: message, caller: message })])
  expect(journal.read().map((entry) => entry.seq)).toEqual([2, 1])
  expect(journal.read()[0]?.message).toBe(message.toWellFormed())
  expect(journal.verify()).toMatchObject({ ok: true, entries: 2 })
})

describe('a filter', () => {
  const entries: EntryFields[] = [
    start('a', { at: '2026-01-01T00:00:00.000Z', kind: 'function', caller: 'document', input: '{"path":"100%_Done"}' }),
    end('a', { at: '2026-01-01T00:00:01.000Z', kind: 'function', caller: 'document' }),
    start('b', { at: '2026-01-02T00:00:00.000Z', kind: 'skill', caller: 'document:notes.xml', tool: 'pdf:extract' }),
    end('b', { at: '2026-01-02T00:00:01.000Z', tool: 'pdf:extract', level: 'warning', code: 'denied', message: 'No.' }),
    end('c', { at: '2026-01-03T00:00:00.000Z', caller: 'documents', level: 'error', code: 'timed-out' }),
  ]

  test.each<[JournalFilter, number[]]>([
    [{}, [5, 4, 3, 2, 1]],
    [{ limit: 2 }, [5, 4]],
    [{ limit: 0 }, []],
    [{ tool: 'pdf:extract' }, [4, 3]],
    [{ tool: 'pdf' }, []],
    [{ kind: 'function' }, [2, 1]],
    [{ callId: 'b' }, [4, 3]],
    [{ caller: 'document' }, [3, 2, 1]],
    [{ caller: 'document:notes.xml' }, [3]],
    [{ level: 'info' }, [5, 4, 3, 2, 1]],
    [{ level: 'warning' }, [5, 4]],
    [{ level: 'error' }, [5]],
    [{ code: 'denied' }, [4]],
    [{ phase: 'start' }, [3, 1]],
    [{ since: new Date('2026-01-02T00:00:00Z') }, [5, 4, 3]],
    [{ until: new Date('2026-01-02T00:00:00Z') }, [2, 1]],
    [{ before: 3 }, [2, 1]],
    [{ after: 3 }, [5, 4]],
    [{ text: 'EXTRACT' }, [4, 3]],
    [{ text: '100%_done' }, [1]],
    [{ text: '1%d' }, []],
    [{ text: 'no.' }, [4]],
    [{ tool: 'pdf:extract', phase: 'end', limit: 10 }, [4]],
  ])('%j finds entries %j', (filter, seqs) => {
    const journal = openMemory()
    journal.append(entries)
    expect(journal.read(filter).map(({ seq }) => seq)).toEqual(seqs)
  })

  test('has a default limit of 100', () => {
    const journal = openMemory()
    journal.append(Array.from({ length: 150 }, (_, at) => start(String(at))))
    expect(journal.read()).toHaveLength(100)
  })

  test.each<JournalFilter>([{ limit: -1 }, { limit: 1.5 }, { limit: Number.NaN }, { since: new Date('never') }])(
    'that makes no sense is misuse: %j',
    (filter) => {
      expect(() => openMemory().read(filter)).toThrow(LimitError)
    },
  )
})

test('a journal opened for reading takes no entries', async () => {
  const { path } = openTemporary()
  const reader = openTemporary({ path, readOnly: true })
  const failure = await failureOf(() => reader.append([start('a')]))
  expect(failure).toBeInstanceOf(JournalError)
  expect(failure.message).toMatch(/for reading only/)
  await expect(reader.prune({ keep: 0 })).rejects.toThrow(/for reading only/)
})

const text = fc.string({ unit: 'binary' }).filter((value) => value.isWellFormed())
const bytes = fc.nat()
const anyFields: fc.Arbitrary<EntryFields> = fc.record(
  {
    at: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    phase: fc.constantFrom('start', 'end'),
    callId: text,
    caller: text,
    tool: text,
    level: fc.constantFrom(...levels),
    parentId: text,
    kind: fc.constantFrom(...toolKinds),
    input: fc.oneof(text, fc.json()),
    decision: fc.record({
      verdict: fc.constantFrom('allow', 'ask', 'deny'),
      rule: text,
      reasons: fc.array(fc.string({ unit: 'binary' })),
    }),
    code: fc.constantFrom(...outcomeCodes),
    message: text,
    durationMs: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
    process: fc.record({
      argv: fc.array(fc.string({ unit: 'binary' })),
      exitCode: fc.option(fc.nat(255)),
      signal: fc.option(fc.constantFrom('SIGKILL', 'SIGTERM')),
      stdoutBytes: bytes,
      stderrBytes: bytes,
      truncated: fc.boolean(),
    }),
    skill: text,
    script: text,
  },
  { requiredKeys: ['at', 'phase', 'callId', 'caller', 'tool', 'level'], noNullPrototype: true },
)
