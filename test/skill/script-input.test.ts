import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DeclaredArgument } from '../../src/skill/declared.ts'
import { readInput } from '../../src/skill/script-input.ts'
import { temporaryFolder } from '../support/temporary.ts'

const nowhere = { declared: undefined, settable: [], workspace: '/nonexistent', skillFolder: '/nonexistent/skill' }

function given(input: unknown, more: Partial<typeof nowhere> & { declared?: readonly DeclaredArgument[] } = {}) {
  const read = readInput(input, { ...nowhere, ...more } as Parameters<typeof readInput>[1])
  return read.ok ? read.input : read.issues
}

test('whatever has no meaning of its own goes to stdin whole, as JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const keys = value && typeof value === 'object' && !Array.isArray(value) ? Object.keys(value) : []
      fc.pre(!keys.some((key) => ['args', 'stdin', 'env', 'cwd'].includes(key)))
      expect(given(value)).toMatchObject({ words: [], stdin: JSON.stringify(value), cwd: 'skill' })
    }),
  )
})

test('reserved keys alone, each of its type, are honoured', () => {
  expect(given({ args: ['a', 2, '--x'], stdin: 'hi', cwd: 'workspace' })).toMatchObject({
    words: ['a', '2', '--x'],
    stdin: 'hi',
    cwd: 'workspace',
  })
  expect(given({ args: [] })).toMatchObject({ words: [], stdin: '' })
})

test.each([
  [{ args: ['a'], other: 1 }],
  [{ args: 'a' }],
  [{ args: [true] }],
  [{ stdin: 7 }],
  [{ cwd: '/etc' }],
  [{ env: ['A'] }],
  [['a']],
  ['text'],
])('%j goes to stdin whole', (input) => {
  expect(given(input)).toMatchObject({ words: [], stdin: JSON.stringify(input) })
})

test('only variables that the owner lists may be set, and never those that decide what runs', () => {
  const settable = ['API_KEY', 'PATH', 'LD_PRELOAD', 'PYTHONSTARTUP', 'NODE_OPTIONS', 'BASH_ENV', 'SKILL_NAME', 'HOME']
  expect(given({ env: { API_KEY: 'x' } }, { settable: settable as never[] })).toMatchObject({ env: { API_KEY: 'x' } })
  for (const name of [...settable.slice(1), 'OTHER']) {
    expect(given({ env: { [name]: 'x' } }, { settable: settable as never[] }), name).toEqual([
      expect.objectContaining({ path: `env.${name}`, code: 'INVALID_VALUE' }),
    ])
  }
})

test('files in arguments are those of the workspace, unless the skill has them', () => {
  const workspace = temporaryFolder()
  const skillFolder = join(workspace, 'skills/x')
  mkdirSync(join(skillFolder, 'data'), { recursive: true })
  for (const file of ['a.pdf', 'both.txt', 'skills/x/both.txt', 'build']) writeFileSync(join(workspace, file), '')
  const at = { workspace, skillFolder }
  expect(given({ args: ['a.pdf', 'both.txt', 'build', '--a.pdf', 'missing.pdf'] }, at)).toMatchObject({
    words: [join(workspace, 'a.pdf'), 'both.txt', 'build', '--a.pdf', 'missing.pdf'],
    paths: [join(workspace, 'a.pdf')],
  })
  expect(given({ file_path: 'a.pdf', title: 'a.pdf', path: 'missing.pdf' }, at)).toMatchObject({
    stdin: JSON.stringify({ file_path: join(workspace, 'a.pdf'), title: 'a.pdf', path: 'missing.pdf' }),
  })
})

const argument = (name: string, more: Partial<DeclaredArgument> = {}): DeclaredArgument => {
  return { name, type: 'string', isList: false, isRequired: false, isPath: false, description: '', ...more }
}

test('declared arguments become a command line: options, then positionals; a value never becomes a flag', () => {
  const declared = [
    argument('file', { isRequired: true }),
    argument('mode', { flag: '--mode' }),
    argument('v', { flag: '-v', type: 'boolean' }),
    argument('q', { flag: '--quiet', type: 'boolean' }),
    argument('tags', { flag: '--tags', isList: true }),
    argument('size', { flag: '-s' }),
  ]
  const words = (input: object) => given(input, { declared } as never)
  expect(words({ file: 'a', mode: 'b', v: true, q: false, tags: ['x', 'y'] })).toMatchObject({
    words: ['--mode', 'b', '-v', '--tags', 'x', 'y', 'a'],
    stdin: '',
  })
  expect(words({ file: '--evil', mode: '--worse', size: '-1' })).toMatchObject({
    words: ['--mode=--worse', '-s-1', '--', '--evil'],
  })
  expect(words({ mode: 'b' })).toEqual([expect.objectContaining({ path: 'file', code: 'MISSING_REQUIRED' })])
  expect(words({})).toEqual([expect.objectContaining({ path: 'file', code: 'MISSING_REQUIRED' })])
  expect(words({ file: 'a', moed: 'b' })).toEqual([
    expect.objectContaining({ path: 'moed', code: 'UNKNOWN_PARAMETER' }),
  ])
  expect(words({ args: ['as', 'they', 'are'] })).toMatchObject({ words: ['as', 'they', 'are'] })
  expect(words({ unrelated: 1 })).toMatchObject({ words: [], stdin: '{"unrelated":1}' })
})

test('NUL in an argument is a fault', () => {
  expect(given({ args: ['a\0b'] })).toEqual([expect.objectContaining({ path: 'args[0]', code: 'INVALID_VALUE' })])
})
