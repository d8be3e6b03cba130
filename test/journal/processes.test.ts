import { expect, test } from 'vitest'
import { end, failureOf, openTemporary, printed, runFixture, start, temporaryPath } from './support.ts'

test('several processes begin one journal together, write at once, and nothing is lost', async () => {
  const path = temporaryPath()
  const writers = Array.from({ length: 4 }, () => runFixture('writer.ts', path, '250'))
  await Promise.all(writers.map(({ ended }) => ended))
  expect(writers.map(({ child }) => child.exitCode)).toEqual([0, 0, 0, 0])
  const journal = openTemporary({ path })
  expect(journal.verify()).toMatchObject({ ok: true, entries: 2000 })
  expect(journal.interrupted()).toEqual([])
  const started = [...journal.pages()].flat().filter(({ phase }) => phase === 'start')
  expect(new Set(started.map(({ callId }) => callId)).size).toBe(1000)
})

test('a writer that is killed at any moment loses no start that was acknowledged', async () => {
  const path = temporaryPath()
  const acknowledged: string[] = []
  for (let round = 0; round < 8; round++) {
    const writers = [runFixture('writer.ts', path), runFixture('writer.ts', path)]
    for (const [at, writer] of writers.entries()) {
      await printed(writer, 2 + ((round * 37 + at * 11) % 60))
      writer.child.kill('SIGKILL')
    }
    await Promise.all(writers.map(({ ended }) => ended))
    acknowledged.push(...writers.flatMap(({ lines }) => lines().filter((line) => line !== 'open')))

    const journal = openTemporary({ path })
    expect(journal.verify()).toMatchObject({ ok: true })
    const entries = [...journal.pages()].flat()
    const started = new Set(entries.filter(({ phase }) => phase === 'start').map(({ callId }) => callId))
    expect(acknowledged.filter((callId) => !started.has(callId))).toEqual([])
    const ended = new Set(entries.filter(({ phase }) => phase === 'end').map(({ callId }) => callId))
    const open = [...started].filter((callId) => !ended.has(callId))
    expect(new Set(journal.interrupted().map(({ callId }) => callId))).toEqual(new Set(open))
    journal.close()
  }
})

test('a reader sees a whole chain while others write', async () => {
  const path = temporaryPath()
  openTemporary({ path })
  const writer = runFixture('writer.ts', path)
  await printed(writer, 5)
  const reader = openTemporary({ path, readOnly: true })
  for (let round = 1; round <= 10; round++) {
    await printed(writer, 20 * round)
    const { ok, entries, head } = reader.verify()
    expect({ ok, entries }).toEqual({ ok: true, entries: head.seq })
    expect(head.seq).toBeGreaterThanOrEqual(20 * round)
    expect(reader.read({ limit: 1 })[0]?.seq).toBeGreaterThanOrEqual(head.seq)
  }
})

test('pruning while others write and read leaves a whole chain', async () => {
  const path = temporaryPath()
  const journal = openTemporary({ path })
  const writer = runFixture('writer.ts', path)
  const reader = openTemporary({ path, readOnly: true })
  for (let round = 1; round <= 5; round++) {
    await printed(writer, 20 * round)
    await journal.prune({ keep: 10 })
    expect(reader.verify()).toMatchObject({ ok: true })
  }
  expect(writer.child.exitCode).toBe(null)
})

test('entries wait for a process that holds the file, in order, without blocking', async () => {
  const journal = openTemporary()
  journal.append([start('a')])
  await printed(runFixture('holder.ts', journal.path, '400'), 1)
  let ticks = 0
  const ticking = setInterval(() => ticks++, 1)
  const first = journal.append([end('a'), start('b')])
  const second = journal.append([end('b')])
  expect(first).toBeInstanceOf(Promise)
  expect(second).toBeInstanceOf(Promise)
  expect(journal.read()).toHaveLength(1)
  await Promise.all([first, second])
  clearInterval(ticking)
  expect(ticks).toBeGreaterThan(5)
  expect(journal.read().map(({ callId, phase }) => `${callId} ${phase}`)).toEqual([
    'b end',
    'b start',
    'a end',
    'a start',
  ])
  expect(journal.append([start('c')])).toBeUndefined()
})

test('a journal that stays locked fails closed, for all who wait, and works again afterwards', async () => {
  const journal = openTemporary({ lockTimeoutMs: 200 })
  journal.append([start('a')])
  const holder = runFixture('holder.ts', journal.path, '60000')
  await printed(holder, 1)
  const waiting = Array.from({ length: 100 }, (_, at) => failureOf(() => journal.append([start(String(at))])))
  const failures = await Promise.all(waiting)
  expect(new Set(failures.map(({ message }) => message))).toEqual(
    new Set([expect.stringMatching(/is locked by another process.*call again/)]),
  )
  expect(failures[0]?.path).toBe(journal.path)
  holder.child.kill('SIGKILL')
  await holder.ended
  await journal.append([end('a')])
  expect(journal.verify()).toMatchObject({ ok: true, entries: 2 })
})

test('entries that wait when the journal is closed are refused', async () => {
  const journal = openTemporary()
  journal.append([start('a')])
  await printed(runFixture('holder.ts', journal.path, '60000'), 1)
  const waiting = failureOf(() => journal.append([end('a')]))
  journal.close()
  expect((await waiting).message).toMatch(/is closed/)
})

test('an existing journal opens while another process holds the write lock', async () => {
  const { path } = openTemporary()
  await printed(runFixture('holder.ts', path, '60000'), 1)
  expect(openTemporary({ path, lockTimeoutMs: 100 }).read()).toEqual([])
  expect(openTemporary({ path, readOnly: true }).verify()).toMatchObject({ ok: true })
})
