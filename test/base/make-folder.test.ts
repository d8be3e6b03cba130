import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../../src/base/make-folder.ts'
import { temporaryFolder } from '../support/temporary.ts'

test('makes a folder with all that lead to it, and tells the first', () => {
  const folder = temporaryFolder()
  expect(makeFolder(join(folder, 'a', 'b', 'c'), 0o700)).toBe(join(folder, 'a'))
  expect(statSync(join(folder, 'a', 'b', 'c')).mode & 0o777).toBe(0o700)
  expect(makeFolder(join(folder, 'a', 'b', 'c'))).toBeUndefined()
})

test('follows a link to a folder, and refuses a file in the way', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'real'))
  symlinkSync('real', join(folder, 'link'))
  expect(makeFolder(join(folder, 'link', 'inside'))).toBe(join(folder, 'link', 'inside'))
  writeFileSync(join(folder, 'file'), '')
  expect(() => makeFolder(join(folder, 'file', 'inside'))).toThrow('EEXIST')
  expect(() => makeFolder(join(folder, 'file'))).toThrow('EEXIST')
})

test.runIf(process.platform === 'linux')('comes back where a parent refuses as if it were missing', () => {
  expect(() => makeFolder('/proc/missing/a/b')).toThrow('ENOENT')
})
