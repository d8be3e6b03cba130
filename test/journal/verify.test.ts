import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { genesis, hashOf } from '../../src/journal/chain.ts'
import { columns } from '../../src/journal/row.ts'
import { end, failureOf, openTemporary, start, tamper } from './support.ts'

/** Six entries with every field set. */
function openFilled() {
  const journal = openTemporary()
  const all = {
    parentId: 'p',
    kind: 'skill',
    input: '{}',
    decision: { verdict: 'allow', rule: 'r', reasons: ['x'] },
    code: 'tool-failed',
    message: 'm',
    process: { argv: ['x'], exitCode: 1, signal: null, stdoutBytes: 1, stderrBytes: 2, truncated: false },
    skill: 's',
    script: 't',
  } as const
  for (const callId of ['a', 'b', 'c']) journal.append([start(callId, all), end(callId, all)])
  expect(journal.verify()).toMatchObject({ ok: true, entries: 6 })
  return journal
}

const cells = columns.filter((column) => column !== 'seq' && column !== 'duration_ms')

test.each([...cells.map((column) => [column, `${column} || 'x'`]), ['duration_ms', 'duration_ms + 1']])(
  'an edited %s is found, with the number of its entry',
  (column, value) => {
    const journal = openFilled()
    tamper(journal.path, `UPDATE entries SET ${column} = ${value} WHERE seq = 4`)
    const { ok, faults } = journal.verify()
    expect(ok).toBe(false)
    expect(faults[0]).toMatchObject({ seq: 4, message: expect.stringContaining('Entry 4') })
  },
)

const nullable = [
  'parent_id',
  'kind',
  'input',
  'decision',
  'code',
  'message',
  'duration_ms',
  'process',
  'skill',
  'script',
]

test.each(nullable)('a %s that was taken out is found', (column) => {
  const journal = openFilled()
  tamper(journal.path, `UPDATE entries SET ${column} = NULL WHERE seq = 4`)
  expect(journal.verify().faults).toMatchObject([{ seq: 4, kind: 'edited' }])
  expect(journal.read({ limit: 3 }).map(({ seq }) => seq)).toEqual([6, 5, 4])
})

const swap =
  'UPDATE entries SET seq = 99 WHERE seq = 3; UPDATE entries SET seq = 3 WHERE seq = 4; UPDATE entries SET seq = 4 WHERE seq = 99'
const shift = 'UPDATE entries SET seq = seq + 100 WHERE seq > 2; UPDATE entries SET seq = seq - 99 WHERE seq > 100'
const copy = (seq: number, of: number) =>
  `INSERT INTO entries SELECT ${seq}, ${columns.slice(1).join()} FROM entries WHERE seq = ${of}`

test.each([
  ['one is missing', 'DELETE FROM entries WHERE seq = 3', [{ seq: 3, kind: 'missing' }]],
  [
    'several are missing',
    'DELETE FROM entries WHERE seq IN (2, 3, 5)',
    [
      { seq: 2, kind: 'missing' },
      { seq: 5, kind: 'missing' },
    ],
  ],
  ['the first is missing', 'DELETE FROM entries WHERE seq = 1', [{ seq: 1, kind: 'missing' }]],
  [
    'two are swapped',
    swap,
    [
      { seq: 3, kind: 'misplaced' },
      { seq: 4, kind: 'misplaced' },
      { seq: 5, kind: 'misplaced' },
    ],
  ],
  [
    'one is missing and the rest are renumbered',
    'DELETE FROM entries WHERE seq = 5; UPDATE entries SET seq = 5 WHERE seq = 6',
    [{ seq: 5, kind: 'misplaced' }],
  ],
  [
    'one is inserted',
    `${shift}; ${copy(3, 1)}`,
    [{ seq: 3, kind: 'misplaced' }, { seq: 4 }, { seq: 5 }, { seq: 6 }, { seq: 7 }],
  ],
  ['one is added at the end', copy(7, 6), [{ seq: 7, kind: 'misplaced' }]],
  [
    'one is put before the first',
    `PRAGMA ignore_check_constraints = ON; ${copy(0, 1)}`,
    [{ seq: 0, kind: 'inserted' }],
  ],
])('when %s it is found and named', (_, sql, faults) => {
  const journal = openFilled()
  tamper(journal.path, sql)
  expect(journal.verify()).toMatchObject({ ok: false, faults })
})

test('an entry that was replaced together with its hash is found by the next', () => {
  const journal = openFilled()
  const database = new DatabaseSync(journal.path)
  const select = database.prepare('SELECT * FROM entries WHERE seq = 3')
  select.setReturnArrays(true)
  const row = Object.values(select.get() ?? {})
  const tool = columns.indexOf('tool')
  const forged = row.with(tool, 'demo:harmless')
  const hash = hashOf(
    3,
    String(row[1]),
    forged.slice(2, -1).map((cell) => (typeof cell === 'number' ? cell : (cell as string | null))),
  )
  database.prepare('UPDATE entries SET tool = ?, hash = ? WHERE seq = 3').run('demo:harmless', hash)
  database.close()
  expect(journal.verify().faults).toMatchObject([
    { seq: 4, kind: 'misplaced', message: expect.stringContaining('entry 3') },
  ])
})

test('a cut-off end is found by a head that was kept elsewhere', () => {
  const journal = openFilled()
  const { hash } = journal.head()
  const [, earlier] = journal.read()
  tamper(journal.path, 'DELETE FROM entries WHERE seq = 6')
  expect(journal.verify()).toMatchObject({ ok: true, entries: 5 })
  expect(journal.verify({ head: hash })).toMatchObject({ ok: false, faults: [{ seq: 5, kind: 'cut-off' }] })
  expect(journal.verify({ head: earlier?.hash })).toMatchObject({ ok: true })
  expect(journal.verify({ head: genesis.hash })).toMatchObject({ ok: true })
  expect(journal.verify({ head: ` ${earlier?.hash.toUpperCase()}\n` })).toMatchObject({ ok: true })
  expect(journal.verify({ head: '' })).toMatchObject({ ok: false })
})

test('the writer itself notices when what it wrote is gone', async () => {
  const journal = openFilled()
  tamper(journal.path, 'DELETE FROM entries WHERE seq > 4')
  const { message } = await failureOf(() => journal.append([start('d')]))
  expect(message).toMatch(/has lost entries: it ends at 4, and 6 was written/)
  expect(journal.read({ limit: 1 })[0]?.seq).toBe(4)
})

test('a file that swallows entries is noticed', async () => {
  const journal = openFilled()
  tamper(journal.path, 'CREATE TRIGGER swallow BEFORE INSERT ON entries BEGIN SELECT RAISE(IGNORE); END')
  expect((await failureOf(() => journal.append([start('d')]))).message).toMatch(/drops entries/)
})

test('an entry that was edited beyond sense can still be shown', () => {
  const journal = openFilled()
  tamper(
    journal.path,
    `UPDATE entries SET decision = 'no json', process = '[]', kind = 'x', level = 'x', code = 'x', phase = 'x' WHERE seq = 6`,
  )
  const [entry] = journal.read({ limit: 1 })
  expect(entry).toMatchObject({ phase: 'end', level: 'error', code: 'tool-failed', message: 'm' })
  expect(entry).not.toHaveProperty('decision')
  expect(entry).not.toHaveProperty('process')
  expect(entry).not.toHaveProperty('kind')
})

test('a table that is not ours is an error, not a crash', async () => {
  const journal = openFilled()
  tamper(journal.path, 'ALTER TABLE entries RENAME TO gone')
  expect((await failureOf(() => journal.verify())).message).toMatch(/no such table.*legwork audit verify/)
  tamper(journal.path, `CREATE TABLE entries AS SELECT ${columns.map((column) => `x'00' AS ${column}`).join()}`)
  expect((await failureOf(() => journal.read())).message).toMatch(/a row that is no entry/)
})

test('the first hundred faults are enough', () => {
  const journal = openTemporary()
  journal.append(Array.from({ length: 1500 }, (_, at) => start(String(at))))
  tamper(journal.path, `UPDATE entries SET tool = 'other'`)
  const { ok, entries, faults } = journal.verify()
  expect({ ok, entries, faults: faults.length }).toEqual({ ok: false, entries: 1500, faults: 100 })
})
