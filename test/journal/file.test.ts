import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/journal/database.ts'
import { openJournal } from '../../src/journal/open.ts'
import { temporaryFolder } from '../support/temporary.ts'
import {
  answerOf,
  failureOf,
  openTemporary,
  printed,
  runFixture,
  start,
  tamper,
  temporaryPath,
  withoutRoot,
} from './support.ts'

const nobody = 65_534
const modeOf = (path: string) => statSync(path).mode & 0o7777

describe('a new journal', () => {
  test('is for this user alone, with all its files', () => {
    const { path } = openTemporary()
    expect(modeOf(dirname(path))).toBe(0o700)
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(modeOf(file)).toBe(0o600)
  })

  test('keeps its folder out of version control', () => {
    const { path } = openTemporary()
    expect(readFileSync(join(dirname(path), '.gitignore'), 'utf8')).toBe('*\n')
  })

  test('leaves a folder that was there as it is', () => {
    const path = temporaryPath()
    mkdirSync(dirname(path), { mode: 0o755 })
    openTemporary({ path })
    expect(existsSync(join(dirname(path), '.gitignore'))).toBe(false)
    expect(modeOf(dirname(path))).toBe(0o755)
  })

  test('keeps its place when the working directory changes', () => {
    const path = join(temporaryFolder(), 'journal.db')
    expect(openTemporary({ path: relative(process.cwd(), path) }).path).toBe(relative(process.cwd(), path))
    expect(existsSync(path)).toBe(true)
  })

  test('may have any characters in its name', () => {
    const path = join(temporaryFolder(), 'file:a?b#c%20 d.db')
    openTemporary({ path }).append([start('a')])
    expect(openTemporary({ path, readOnly: true }).read()).toHaveLength(1)
  })

  test.each([
    ['process', 1],
    ['power', 2],
  ] as const)('with durability "%s" is written ahead and synced at level %i', (durability, synchronous) => {
    const database = openDatabase({ path: temporaryPath(), durability })
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
    expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous })
    expect(database.prepare(`SELECT strict FROM pragma_table_list WHERE name = 'entries'`).get()).toEqual({ strict: 1 })
    database.close()
  })

  test('may begin in an empty file', () => {
    const path = join(temporaryFolder(), 'journal.db')
    writeFileSync(path, '', { mode: 0o600 })
    openTemporary({ path }).append([start('a')])
    expect(openTemporary({ path }).read()).toHaveLength(1)
  })
})

describe('a journal is refused, with the reason,', () => {
  test.each<[string, (path: string) => void, RegExp]>([
    ['in a file that is a symbolic link', linkFile, /symbolic link.*real file/],
    ['in a folder that is a symbolic link', linkFolder, /folder is a symbolic link/],
    ['where a folder is', (path) => mkdirSync(path, { recursive: true }), /it is a folder/],
    ['where no folder can be', (path) => writeFileSync(dirname(path), ''), /cannot be used: E.*journal\.path/],
    ['that others may write', (path) => make(path, { mode: 0o620 }), /other users may write.*chmod 600/],
    ['that anybody may write', (path) => make(path, { mode: 0o602 }), /other users may write/],
    ['in a folder that anybody may write', (path) => make(path, { folderMode: 0o777 }), /anybody may write in/],
    [
      'that is no database',
      (path) => make(path, { text: 'text '.repeat(999) }),
      /not an SQLite database.*journal\.path/,
    ],
    ['that is no database, and short', (path) => make(path, { text: 'short' }), /not an SQLite database/],
    ['of another program', (path) => make(path, { sql: 'CREATE TABLE t (a)' }), /of another program/],
    ['of a program that has an id', (path) => make(path, { sql: 'PRAGMA application_id = 1' }), /of another program/],
    ['of a newer Legwork', (path) => begin(path, 'PRAGMA user_version = 99'), /newer Legwork \(format 99/],
    ['that is damaged', damage, /is damaged/],
  ])('%s', async (_, prepare, reason) => {
    const path = temporaryPath()
    prepare(path)
    const failure = await failureOf(() => openJournal({ path, lockTimeoutMs: 50 }))
    expect(failure.message).toMatch(reason)
    expect(failure.message).toContain(dirname(path))
    expect(failure).toMatchObject({ code: 'journal-unavailable', path })
  })

  test('of another program, which stays as it was', async () => {
    const path = temporaryPath()
    make(path, { sql: 'CREATE TABLE t (a); INSERT INTO t VALUES (1)' })
    const before = readFileSync(path)
    await failureOf(() => openJournal({ path }))
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(readdirSync(dirname(path))).toEqual(['legwork.db'])
  })

  test('when another user owns the file', async ({ skip }) => {
    skip(withoutRoot, 'giving a file to another user needs root')
    const path = temporaryPath()
    begin(path)
    chownSync(path, nobody, nobody)
    expect((await failureOf(() => openJournal({ path }))).message).toMatch(/belongs to another user \(id 65534\)/)
    expect(openTemporary({ path, readOnly: true }).verify()).toMatchObject({ ok: true })
  })

  test('when another user owns the folder', async ({ skip }) => {
    skip(withoutRoot, 'giving a file to another user needs root')
    const path = temporaryPath()
    begin(path)
    chownSync(dirname(path), nobody, nobody)
    expect((await failureOf(() => openJournal({ path }))).message).toMatch(/folder.*belongs to another user/)
  })

  test('when it is only to be read and is not there', async () => {
    const path = temporaryPath()
    expect((await failureOf(() => openJournal({ path, readOnly: true }))).message).toMatch(/There is no journal at/)
    expect(existsSync(dirname(path))).toBe(false)
    make(path)
    expect((await failureOf(() => openJournal({ path, readOnly: true }))).message).toMatch(/is empty/)
  })
})

describe('a file that is taken away underneath', () => {
  test('is noticed when it was deleted, and nothing is written elsewhere', async () => {
    const journal = openTemporary()
    journal.append([start('a')])
    rmSync(journal.path)
    const { message } = await failureOf(() => journal.append([start('b')]))
    expect(message).toMatch(/was deleted or moved away.*Put it back, or start again/)
    expect(existsSync(journal.path)).toBe(false)
    await expect(journal.prune({ keep: 0 })).rejects.toThrow(/deleted/)
  })

  test('is noticed when it was replaced', async () => {
    const journal = openTemporary()
    journal.append([start('a')])
    const other = openTemporary()
    other.close()
    renameSync(other.path, journal.path)
    expect((await failureOf(() => journal.append([start('b')]))).message).toMatch(/replaced by another file/)
  })

  test('is noticed when only its "-wal" file was deleted', async () => {
    const journal = openTemporary()
    journal.append([start('a')])
    rmSync(`${journal.path}-wal`)
    expect((await failureOf(() => journal.append([start('b')]))).message).toMatch(/-wal" was deleted/)
  })

  test('works again once it is put back', async () => {
    const journal = openTemporary()
    journal.append([start('a')])
    linkSync(journal.path, `${journal.path}.kept`)
    rmSync(journal.path)
    await failureOf(() => journal.append([start('b')]))
    renameSync(`${journal.path}.kept`, journal.path)
    journal.append([start('c')])
    expect(journal.verify()).toMatchObject({ ok: true, entries: 2 })
  })
})

describe('for a user who may only read', () => {
  test.each([
    ['a file', 0o400, 0o700],
    ['a folder', 0o600, 0o500],
    ['a file and its folder', 0o400, 0o500],
  ])('%s that is read-only is read but not written', async (_, mode, folderMode) => {
    const path = temporaryPath()
    begin(path)
    giveAway(path)
    chmodSync(path, mode)
    chmodSync(dirname(path), folderMode)
    const written = await answerOf(runFixture('attempt.ts', path, 'write'))
    expect(written).toMatchObject({ ok: false, code: 'journal-unavailable', message: expect.stringContaining(path) })
    expect(await answerOf(runFixture('attempt.ts', path, 'read'))).toEqual({ ok: true, entries: 1, read: 1 })
    chmodSync(dirname(path), 0o700)
  })

  test('a journal that was left in mid-write is read from a read-only folder', async () => {
    const path = temporaryPath()
    const writer = runFixture('writer.ts', path)
    await printed(writer, 20)
    writer.child.kill('SIGKILL')
    await writer.ended
    for (const file of readdirSync(dirname(path))) chmodSync(join(dirname(path), file), 0o400)
    giveAway(path)
    for (const file of [`${path}-wal`, `${path}-shm`]) if (process.getuid?.() === 0) chownSync(file, nobody, nobody)
    chmodSync(dirname(path), 0o500)
    const answer = await answerOf(runFixture('attempt.ts', path, 'read'))
    chmodSync(dirname(path), 0o700)
    expect(answer).toMatchObject({ ok: true })
  })

  test('a folder that cannot be made is named', async () => {
    const path = temporaryPath()
    const folder = dirname(dirname(path))
    giveAway(folder)
    chmodSync(folder, 0o500)
    const written = await answerOf(runFixture('attempt.ts', path, 'write'))
    expect(written).toMatchObject({
      ok: false,
      message: expect.stringMatching(/permission denied.*writable for this user/),
    })
    chmodSync(folder, 0o700)
  })
})

function make(path: string, { mode = 0o600, folderMode = 0o700, text = '', sql = '' } = {}): void {
  mkdirSync(dirname(path))
  chmodSync(dirname(path), folderMode)
  writeFileSync(path, text)
  chmodSync(path, mode)
  if (sql) tamper(path, sql)
}

function begin(path: string, sql = ''): void {
  const journal = openJournal({ path })
  journal.append([start('a')])
  journal.close()
  if (sql) tamper(path, sql)
}

function linkFile(path: string): void {
  make(`${path}-elsewhere`)
  symlinkSync(`${path}-elsewhere`, path)
}

function linkFolder(path: string): void {
  mkdirSync(`${dirname(path)}-elsewhere`)
  symlinkSync(`${dirname(path)}-elsewhere`, dirname(path))
}

function damage(path: string): void {
  begin(path)
  const bytes = readFileSync(path)
  writeFileSync(path, Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(bytes.length - 100, 0x55)]))
}

/** Gives a path and the folders around it to the user that `attempt.ts` becomes, if it has to become one. */
function giveAway(path: string): void {
  if (process.getuid?.() !== 0) return
  for (let place = path; place.includes('legwork-test-'); place = dirname(place)) chownSync(place, nobody, nobody)
}
