import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readPrivate, writeBeside } from '../../src/base/private-file.ts'
import { inTurn } from '../../src/base/turn.ts'
import { within } from '../../src/base/within.ts'
import { temporaryFolder } from '../support/temporary.ts'

test('what is written beside is there whole, with its mode, and nothing else is left', () => {
  const folder = temporaryFolder()
  const path = join(folder, 'secret')
  writeBeside(path, 'one', 0o600)
  writeBeside(path, 'two', 0o600)
  expect(readPrivate(path, 10)).toBe('two')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['secret'])
})

test('what cannot be put in place leaves nothing behind', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'taken'))
  expect(() => writeBeside(join(folder, 'taken'), 'x', 0o600)).toThrow()
  expect(readdirSync(folder)).toEqual(['taken'])
})

test('a file that is not there has no text; one that is too large, or a folder, is refused', () => {
  const folder = temporaryFolder()
  expect(readPrivate(join(folder, 'none'), 10)).toBeUndefined()
  writeFileSync(join(folder, 'large'), 'x'.repeat(11), { mode: 0o600 })
  expect(() => readPrivate(join(folder, 'large'), 10)).toThrow('no small regular file')
  expect(() => readPrivate(folder, 10)).toThrow('no small regular file')
})

test('turns come one after the other, and one that fails is over too', async () => {
  const turns = join(temporaryFolder(), 'turns')
  const path = join(temporaryFolder(), 'number')
  const add = () => writeFileSync(path, String(Number(existsSync(path) ? readFileSync(path, 'utf8') : 0) + 1))
  const failing = inTurn(turns, () => {
    throw new Error('Not today.')
  })
  await expect(failing).rejects.toThrow('Not today.')
  await Promise.all(Array.from({ length: 20 }, () => inTurn(turns, add)))
  expect(readFileSync(path, 'utf8')).toBe('20')
})

test('a wait ends with what is waited for, with its time, and with its signal, which may have fired before', async () => {
  const never = new Promise<string>(() => {})
  expect(await within(10_000, Promise.resolve('here'))).toBe('here')
  expect(await within(5, never)).toBeUndefined()
  expect(await within(10_000, never, AbortSignal.timeout(5))).toBeUndefined()
  expect(await within(10_000, never, AbortSignal.abort())).toBeUndefined()
})
