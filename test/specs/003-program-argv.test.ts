import { expect, test } from 'vitest'
import {
  type AtipOption,
  buildArguments,
  buildCommandArray,
  buildOptions,
  formatOptionFlag,
  mapToCommand,
} from '../../src/doors/program.ts'
import { describedTool, makeExecutor } from '../support/executor.ts'

const output: AtipOption = { name: 'output', flags: ['-o', '--output'], type: 'string' }
const all: AtipOption = { name: 'all', flags: ['--all'], type: 'boolean' }
const label: AtipOption = { name: 'label', flags: ['--label'], type: 'string', variadic: true }
const files = { name: 'files', type: 'file', variadic: true } as const
const to = { name: 'to', type: 'directory' } as const
const command = { arguments: [files, to], options: [output, all, label] }
const mapping = mapToCommand('show_copy', [
  describedTool('show', {
    commands: { copy: command },
    globalOptions: [{ name: 'dir', flags: ['-C'], type: 'directory' }],
  }),
])

test('003/Command builder: argument arrays from validated arguments', () => {
  expect(buildCommandArray(mapping, { files: ['a'], to: 'b' })).toEqual(['show', 'copy', 'a', 'b'])
})
test('003/Schemas become CLI syntax', () => {
  expect(buildCommandArray(mapping, { files: ['a', 'b'], to: 'c', all: true, output: 'o' })).toEqual([
    'show',
    'copy',
    '--output=o',
    '--all',
    'a',
    'b',
    'c',
  ])
})
test('003/buildCommandArray from a mapping: global options right after the name', () => {
  expect(buildCommandArray(mapping, { dir: '/tmp', files: [], to: '.' })).toEqual(['show', '-C/tmp', 'copy', '.'])
})
test('003/buildArguments', () => expect(buildArguments({ files: 'a', to: 'b' }, [files, to])).toEqual(['a', 'b']))
test('003/buildOptions', () =>
  expect(buildOptions({ all: true, output: 'x' }, [output, all])).toEqual(['--output=x', '--all']))
test('003/formatOptionFlag', () => {
  expect(formatOptionFlag(output, 'x')).toEqual(['--output=x'])
  expect(formatOptionFlag(all, true)).toEqual(['--all'])
})
test('003/Arguments in schema order', () => {
  expect(buildArguments({ to: 'z', files: ['a'] }, [files, to])).toEqual(['a', 'z'])
})
test('003/Variadic arguments become multiple values', () => {
  expect(buildArguments({ files: ['a', 'b', 'c'] }, [files])).toEqual(['a', 'b', 'c'])
})
test('003/Boolean options: the flag, or nothing', () => {
  expect([formatOptionFlag(all, true), formatOptionFlag(all, false)]).toEqual([['--all'], []])
})
test('003/String and number options: a value that begins with a dash never becomes a flag', () => {
  expect(formatOptionFlag(output, 5)).toEqual(['--output=5'])
  expect(formatOptionFlag(output, '--force')).toEqual(['--output=--force'])
})
test('003/Variadic options', () => {
  expect(formatOptionFlag(label, ['a', 'b', 'c'])).toEqual(['--label=a', '--label=b', '--label=c'])
})
test('003/Long flag preferred', () => expect(formatOptionFlag(output, 'x')).toEqual(['--output=x']))
test('003/First flag of several', () => {
  expect(formatOptionFlag({ ...all, flags: ['-a', '-A'] }, true)).toEqual(['-a'])
  expect(formatOptionFlag({ ...all, flags: ['--one', '--two'] }, true)).toEqual(['--one'])
})
test('003/Argument array: no shell parses an argument, and none becomes an option', async () => {
  const { executor } = makeExecutor()
  const odd = '$HOME `id` "quoted" \'single\' * ; | & > < \n ~'
  expect(await executor.execute({ name: 'show', arguments: { word: odd } })).toMatchObject({ stdout: `${odd}\n` })
  expect(executor.validate({ name: 'show', arguments: { word: '-x' } }).valid).toBe(false)
})
test('003/No shell expansion of arguments', async () => {
  const { executor } = makeExecutor()
  expect(await executor.execute({ name: 'show', arguments: { word: '$HOME/*' } })).toMatchObject({
    stdout: '$HOME/*\n',
  })
})
test('003/No shell injection', async () => {
  const { executor, folder } = makeExecutor()
  await executor.execute({ name: 'show', arguments: { word: `$(touch ${folder}/pwned)` } })
  expect(await executor.execute({ name: 'show', arguments: { word: `; ls ${folder}` } })).toMatchObject({
    stdout: `; ls ${folder}\n`,
  })
  expect((await import('node:fs')).existsSync(`${folder}/pwned`)).toBe(false)
})
test('003/Shell is configurable, and off by default', async () => {
  const command = async (shell: boolean) =>
    (await makeExecutor({ execution: { shell } }).executor.execute({ name: 'show' })).command
  expect(await command(false)).toEqual(['show'])
  expect(await command(true)).toEqual(['/bin/sh', '-c', 'show "$@"', '/bin/sh'])
})
test('003/Shell for tools that require it: the model still writes no shell', async () => {
  const { executor } = makeExecutor({ execution: { shell: true } })
  expect(await executor.execute({ name: 'show', arguments: { word: '$(id)' } })).toMatchObject({ stdout: '$(id)\n' })
})
