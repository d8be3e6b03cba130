import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Journal } from '../../src/journal/journal.ts'
import { memoryJournal } from '../../src/journal/memory.ts'
import { openJournal } from '../../src/journal/open.ts'
import type { NewQuestion, PendingApproval } from '../../src/model/approval.ts'
import { temporaryFolder } from '../support/temporary.ts'

const request = {
  callId: 'c1',
  tool: 'demo:destroy',
  description: 'Destroys',
  input: { what: 'all' },
  effects: { destructive: true },
  trust: 'native',
  rule: 'allowDestructive',
  reasons: ['It is destructive.'],
} as const

const question = (key: string, more: Partial<NewQuestion> = {}): NewQuestion => ({
  key,
  asker: 'somebody',
  caller: 'mcp:somebody',
  request,
  timeoutMs: 60_000,
  ...more,
})

/** A clock that a test moves. */
function heldClock() {
  let now = 1_000_000
  let ids = 0
  return {
    clock: {
      now: () => now,
      elapsed: () => now,
      id: () => `00000000-0000-7000-8000-${String(ids++).padStart(12, '0')}`,
    },
    pass: (ms: number) => {
      now += ms
    },
  }
}

function open(journal: Journal): Journal {
  onTestFinished(() => journal.close())
  return journal
}

async function asked({ approvals }: Journal, given: NewQuestion): Promise<PendingApproval> {
  const approval = await approvals.ask(given)
  if (typeof approval === 'string') throw new Error(approval)
  return approval
}

test('a question is kept with all that a person is shown, and listed while it waits', async () => {
  const journal = open(memoryJournal())
  const approval = await asked(journal, question('k'))
  expect(approval).toMatchObject({ caller: 'mcp:somebody', state: 'waiting', request })
  expect(approval.deadline - approval.askedAt).toBe(60_000)
  expect(journal.approvals.waiting()).toEqual([approval])
  expect(approval.id).toMatch(/^[0-9a-f]{8}$/)
})

test('the same key leads to the same question, another to another', async () => {
  const journal = open(memoryJournal())
  const first = await asked(journal, question('k'))
  expect((await asked(journal, question('k'))).id).toBe(first.id)
  expect((await asked(journal, question('other'))).id).not.toBe(first.id)
})

test('an approval is used once', async () => {
  const journal = open(memoryJournal())
  const { id } = await asked(journal, question('k'))
  expect(await journal.approvals.use(id)).toBe(false)
  expect(await journal.approvals.answer(id, { approved: true, reason: 'why not' })).toMatchObject({ ok: true })
  expect(journal.approvals.read(id)).toMatchObject({ state: 'approved', reason: 'why not' })
  expect(await journal.approvals.use(id)).toBe(true)
  expect(await journal.approvals.use(id)).toBe(false)
  expect((await asked(journal, question('k'))).id).not.toBe(id)
})

test('a no holds for the same call until its deadline', async () => {
  const { clock, pass } = heldClock()
  const journal = open(memoryJournal(clock))
  const { id } = await asked(journal, question('k'))
  await journal.approvals.answer(id, { approved: false })
  expect(await asked(journal, question('k'))).toMatchObject({ id, state: 'refused' })
  expect(await journal.approvals.use(id)).toBe(false)
  pass(60_000)
  expect(await asked(journal, question('k'))).toMatchObject({ state: 'waiting' })
})

test.each([
  [true, true],
  [true, false],
  [false, true],
])('an answer counts once: %s then %s', async (first, second) => {
  const journal = open(memoryJournal())
  const { id } = await asked(journal, question('k'))
  await journal.approvals.answer(id, { approved: first })
  expect(await journal.approvals.answer(id, { approved: second })).toMatchObject({ ok: false, code: 'answered' })
  expect(journal.approvals.read(id)?.state).toBe(first ? 'approved' : 'refused')
})

test('an answer after the deadline changes nothing, and neither does one that was never asked for', async () => {
  const { clock, pass } = heldClock()
  const journal = open(memoryJournal(clock))
  const { id } = await asked(journal, question('k'))
  pass(60_000)
  expect(journal.approvals.waiting()).toEqual([])
  expect(await journal.approvals.answer(id, { approved: true })).toMatchObject({ ok: false, code: 'too-late' })
  expect(await journal.approvals.use(id)).toBe(false)
  expect(await journal.approvals.answer('nothing', { approved: true })).toEqual({ ok: false, code: 'unknown' })
})

test('an approval that nobody used ends with its deadline, and is gone a day later', async () => {
  const { clock, pass } = heldClock()
  const journal = open(memoryJournal(clock))
  const { id } = await asked(journal, question('k'))
  await journal.approvals.answer(id, { approved: true })
  pass(60_000)
  expect(await journal.approvals.use(id)).toBe(false)
  pass(24 * 3_600_000)
  await asked(journal, question('k'))
  expect(journal.approvals.read(id)).toBeUndefined()
})

describe('bounds', () => {
  test('one caller cannot fill the list, and others are not held up by it', async () => {
    const journal = open(memoryJournal())
    for (let at = 0; at < 100; at++) await asked(journal, question(`k${at}`))
    expect(await journal.approvals.ask(question('one more'))).toBe('full')
    expect(await journal.approvals.ask(question('under another name', { caller: 'mcp:other' }))).toBe('full')
    expect(await journal.approvals.ask(question('k7'))).toMatchObject({ key: 'k7' })
    expect(await journal.approvals.ask(question('another', { asker: 'other' }))).toMatchObject({ key: 'another' })
  })

  test('a question larger than a person could read is not kept', async () => {
    const journal = open(memoryJournal())
    const large = question('k', { request: { ...request, input: 'x'.repeat(300_000) } })
    expect(await journal.approvals.ask(large)).toBe('too-large')
  })
})

test('another process answers; the file stays this user’s alone and the chain whole', async () => {
  const path = join(temporaryFolder(), 'j.db')
  const journal = open(openJournal({ path }))
  const { id } = await asked(journal, question('k'))
  const script = `
    const { openJournal } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/journal/open.ts'))})
    const journal = openJournal({ path: ${JSON.stringify(path)} })
    console.log(JSON.stringify(await journal.approvals.answer(${JSON.stringify(id)}, { approved: true })))`
  const answered = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  expect(JSON.parse(answered.stdout)).toMatchObject({ ok: true })
  expect(journal.approvals.read(id)?.state).toBe('approved')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(journal.verify().ok).toBe(true)
})

test('two that use one approval at once: one does', async () => {
  const path = join(temporaryFolder(), 'j.db')
  const [one, two] = [open(openJournal({ path })), open(openJournal({ path }))]
  const ids = await Promise.all(Array.from({ length: 50 }, (_, at) => asked(one, question(`k${at}`))))
  for (const { id } of ids) await one.approvals.answer(id, { approved: true })
  const used = await Promise.all(ids.map(({ id }) => Promise.all([one.approvals.use(id), two.approvals.use(id)])))
  expect(used.map((both) => both.filter(Boolean).length)).toEqual(ids.map(() => 1))
})
