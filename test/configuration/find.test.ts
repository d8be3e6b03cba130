import { execFileSync } from 'node:child_process'
import { chownSync, lchownSync, lstatSync, symlinkSync } from 'node:fs'
import { join, parse } from 'node:path'
import { expect, test } from 'vitest'
import { findConfiguration } from '../../src/configuration/find.ts'
import { loadConfiguration } from '../../src/configuration/load.ts'
import { makeFolder } from './folder.ts'

test('the nearest file upwards is found', () => {
  const folder = makeFolder({ 'legwork.jsonc': '{}', 'a/legwork.jsonc': '{}', 'a/b/c/d.txt': '', 'e/f.txt': '' })
  expect(findConfiguration(join(folder, 'a/b/c'))).toBe(join(folder, 'a/legwork.jsonc'))
  expect(findConfiguration(join(folder, 'e'))).toBe(join(folder, 'legwork.jsonc'))
})

test('legwork.json serves too, after legwork.jsonc', () => {
  const folder = makeFolder({ 'legwork.json': '{}', 'a/legwork.json': '{}', 'a/legwork.jsonc': '{}' })
  expect(findConfiguration(folder)).toBe(join(folder, 'legwork.json'))
  expect(findConfiguration(join(folder, 'a'))).toBe(join(folder, 'a/legwork.jsonc'))
})

test('the search ends at the root, also from a folder that is not there', () => {
  expect(findConfiguration(parse(process.cwd()).root)).toBeUndefined()
  const folder = makeFolder({ 'legwork.jsonc': '{}' })
  expect(findConfiguration(join(folder, 'gone/further'))).toBe(join(folder, 'legwork.jsonc'))
})

test('a link that points nowhere is an error, not a configuration without rules', async () => {
  const cwd = makeFolder()
  symlinkSync('gone.jsonc', join(cwd, 'legwork.jsonc'))
  await expect(loadConfiguration({ cwd, environment: {} })).rejects.toThrow(/cannot be read: ENOENT/)
})

test.skipIf(process.platform === 'win32')('a FIFO in its place does not make us wait', async () => {
  const cwd = makeFolder()
  execFileSync('mkfifo', [join(cwd, 'legwork.jsonc')])
  await expect(loadConfiguration({ cwd, environment: {} })).rejects.toThrow(/not a file/)
})

const asRoot = process.getuid?.() === 0
const stranger = 54_321

test.runIf(asRoot)("another user's file is refused, unless it is named", async () => {
  const cwd = makeFolder({ 'legwork.jsonc': '{}' })
  const file = join(cwd, 'legwork.jsonc')
  chownSync(file, stranger, stranger)
  const message = `${file}: The file belongs to another user (54321, you are 0), so it was not read. If you trust it, name it with "--config" or make it yours with "chown"; else remove it.`
  expect(() => findConfiguration(cwd)).toThrow(message)
  await expect(loadConfiguration({ cwd, environment: {} })).rejects.toThrow(message)
  await expect(loadConfiguration({ cwd, file: 'legwork.jsonc', environment: {} })).resolves.toMatchObject({ file })
})

test.runIf(asRoot)("another user's link to a file of ours is refused", () => {
  const folder = makeFolder({ 'ours/legwork.jsonc': '{}', 'theirs/x.txt': '' })
  const link = join(folder, 'theirs/legwork.jsonc')
  symlinkSync('../ours/legwork.jsonc', link)
  lchownSync(link, stranger, stranger)
  expect(() => findConfiguration(join(folder, 'theirs'))).toThrow(/belongs to another user/)
})

test.runIf(asRoot)("our link to another user's file is refused", () => {
  const folder = makeFolder({ 'theirs/legwork.jsonc': '{}', 'ours/x.txt': '' })
  chownSync(join(folder, 'theirs/legwork.jsonc'), stranger, stranger)
  symlinkSync('../theirs/legwork.jsonc', join(folder, 'ours/legwork.jsonc'))
  expect(() => findConfiguration(join(folder, 'ours'))).toThrow(/belongs to another user/)
})

test.runIf(!asRoot && process.platform !== 'win32')('a file of neither us nor root is refused', () => {
  const cwd = makeFolder({ 'legwork.jsonc': '{}' })
  const { uid } = lstatSync(cwd)
  expect(findConfiguration(cwd, uid)).toBe(join(cwd, 'legwork.jsonc'))
  expect(() => findConfiguration(cwd, uid + 1)).toThrow(/belongs to another user/)
})
