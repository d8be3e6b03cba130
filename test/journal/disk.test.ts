import { execFileSync, spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openJournal } from '../../src/journal/open.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { answerOf, end, failureOf, openTemporary, runFixture, start, temporaryPath, withoutRoot } from './support.ts'

/** A disk of one megabyte; needs root to mount it. */
function smallDisk(): string {
  const folder = temporaryFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=0700', 'tmpfs', folder])
  onTestFinished(() => void execFileSync('umount', [folder]))
  return folder
}

test('a full disk stops calls, keeps the chain whole, and is over when there is room', async ({ skip }) => {
  skip(withoutRoot, 'mounting a small disk needs root')
  const folder = smallDisk()
  const journal = openTemporary({ path: join(folder, 'journal.db') })
  const filler = join(folder, 'filler')
  journal.append([start('a')])
  writeFileSync(filler, Buffer.alloc(600_000))
  let written = 1
  const failure = await failureOf(() => {
    for (; written < 1000; written++) journal.append([start('b', { input: 'x'.repeat(3000) })])
  })
  expect(failure.message).toMatch(/the disk is full.*as soon as there is room/)
  expect(journal.verify()).toMatchObject({ ok: true, entries: written })
  await failureOf(() => journal.append([start('c', { input: 'x'.repeat(3000) })]))
  rmSync(filler)
  journal.append([end('a')])
  expect(journal.verify()).toMatchObject({ ok: true, entries: written + 1 })
})

test('a journal cannot be begun on a full disk, and can be once there is room', async ({ skip }) => {
  skip(withoutRoot, 'mounting a small disk needs root')
  const folder = smallDisk()
  const path = join(folder, 'journal.db')
  const filler = join(folder, 'filler')
  spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4096'])
  expect((await failureOf(() => openJournal({ path }))).message).toMatch(/the disk is full|no space left/)
  rmSync(filler)
  openTemporary({ path }).append([start('a')])
})

test('an I/O error stops calls, keeps the chain whole, and is over when the disk works again', async () => {
  const answer = await answerOf(runFixture('failing-disk.ts', temporaryPath()))
  expect(answer).toMatchObject({ ok: true, message: expect.stringMatching(/^journal-unavailable: .*disk I\/O error/) })
  const { written, during, after } = answer as { written: number; during: number; after: number }
  expect(during).toBe(written)
  expect(after).toBe(written + 1)
})
