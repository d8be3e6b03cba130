import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  ArgumentValidationError,
  type AtipCommand,
  type AtipOption,
  type AtipTool,
  buildArguments,
  buildCommandArray,
  buildOptions,
  formatOptionFlag,
  mapToCommand,
} from '../../src/doors/program.ts'

const option = (parts: Partial<AtipOption> = {}): AtipOption => ({
  name: 'out',
  flags: ['-o', '--out'],
  type: 'string',
  ...parts,
})

function commandLine(command: AtipCommand, args: Record<string, unknown>, tool: Partial<AtipTool> = {}) {
  const tools = [{ name: 'show', commands: { go: command }, ...tool }]
  return buildCommandArray(mapToCommand('show_go', tools), args)
}

test.each<[Partial<AtipOption>, unknown, readonly string[]]>([
  [{}, 'a b', ['--out=a b']],
  [{}, '', ['--out=']],
  [{}, '-rf', ['--out=-rf']],
  [{}, '--force', ['--out=--force']],
  [{}, 5, ['--out=5']],
  [{}, null, []],
  [{}, undefined, []],
  [{ flags: ['-o'] }, 'x', ['-ox']],
  [{ flags: ['-o'] }, '-x', ['-o-x']],
  [{ flags: ['-name'] }, 'x', ['-name', 'x']],
  [{ 'x-separateValue': true }, '-7', ['--out', '-7']],
  [{ type: 'boolean' }, true, ['--out']],
  [{ type: 'boolean' }, false, []],
  [{ variadic: true }, ['a', '-b'], ['--out=a', '--out=-b']],
  [{ type: 'array' }, [1, 2], ['--out=1', '--out=2']],
  [{ flags: ['--first', '--second'] }, 'x', ['--first=x']],
])('%j given %j is %j', (parts, value, words) => {
  expect(formatOptionFlag(option(parts), value)).toEqual(words)
})

test.each<[Partial<AtipOption>, unknown]>([
  [{ flags: ['-o'] }, ''],
  [{ flags: ['-name'] }, '-delete'],
  [{}, 'a\0b'],
  [{}, { a: 1 }],
  [{}, [['a']]],
  [{ type: 'boolean' }, '--out=x'],
  [{ type: 'boolean' }, 'true'],
])('%j given %j is refused', (parts, value) => {
  expect(() => formatOptionFlag(option(parts), value)).toThrow(ArgumentValidationError)
})

test('positional arguments stand in the order of the schema, whatever the order of the arguments', () => {
  const schema = [
    { name: 'from', type: 'file', variadic: true },
    { name: 'to', type: 'file' },
  ] as const
  expect(buildArguments({ to: 'z', from: ['a', 'b'] }, schema)).toEqual(['a', 'b', 'z'])
  expect(buildArguments({ from: '-' }, schema)).toEqual(['-'])
  expect(() => buildArguments({ from: ['a', '-rf'] }, schema)).toThrow(/begins with "-"/)
})

test('a long value is cut in the message', () => {
  const refused = () => buildArguments({ it: `-${'x'.repeat(10_000)}` }, [{ name: 'it', type: 'string' }])
  expect(refused).toThrow(/^.{0,300}$/s)
})

test('options stand in the order of the schema', () => {
  const schema = [option(), option({ name: 'all', flags: ['--all'], type: 'boolean' })]
  expect(buildOptions({ all: true, out: 'x' }, schema)).toEqual(['--out=x', '--all'])
})

const positional = { arguments: [{ name: 'file', type: 'file' }] } as const
const verbose = { name: 'verbose', flags: ['-v', '--verbose'], type: 'boolean' } as const

describe('the whole command line', () => {
  test('has global options right after the name, then the command, its options, its positional arguments', () => {
    const command = { ...positional, options: [option()] }
    const tool = { globalOptions: [verbose] }
    expect(commandLine(command, { file: 'f', out: 'o', verbose: true }, tool)).toEqual([
      'show',
      '--verbose',
      'go',
      '--out=o',
      'f',
    ])
  })

  test('uses the command of its own where a global option has the same name', () => {
    const command = { options: [{ ...verbose, flags: ['--very'] }] }
    expect(commandLine(command, { verbose: true }, { globalOptions: [verbose] })).toEqual(['show', 'go', '--very'])
  })

  test.each<[boolean | string | undefined, boolean | string | undefined, readonly string[] | undefined]>([
    [undefined, undefined, undefined],
    [true, undefined, ['show', 'go', '--', '-x']],
    [true, false, undefined],
    [undefined, '--end-of-options', ['show', 'go', '--end-of-options', '-x']],
  ])('with the end of options %j of the program and %j of the command', (ofProgram, ofCommand, expected) => {
    const command = { ...positional, ...(ofCommand !== undefined && { 'x-endOfOptions': ofCommand }) }
    const tool = ofProgram === undefined ? {} : { 'x-endOfOptions': ofProgram }
    if (expected) expect(commandLine(command, { file: '-x' }, tool)).toEqual(expected)
    else expect(() => commandLine(command, { file: '-x' }, tool)).toThrow(ArgumentValidationError)
  })

  test('may have its positional arguments first, which then never begin with a dash', () => {
    const command = { ...positional, options: [option()], 'x-positionalsFirst': true }
    expect(commandLine(command, { file: 'f', out: 'o' })).toEqual(['show', 'go', 'f', '--out=o'])
    expect(() => commandLine(command, { file: '-f' }, { 'x-endOfOptions': true })).toThrow(ArgumentValidationError)
  })

  test('does not take what an object inherits', () => {
    const command = { options: [option({ name: 'toString' }), option({ name: 'constructor' })] }
    expect(commandLine(command, {})).toEqual(['show', 'go'])
  })
})

test('no text that is given as a value becomes an option of its own', () => {
  const command = {
    ...positional,
    options: [
      option(),
      option({ name: 'short', flags: ['-s'] }),
      option({ name: 'many', flags: ['--many'], variadic: true }),
    ],
  }
  const text = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('--', '-rf', '--out', '-o', '=', '-', '--x=y'))
  fc.assert(
    fc.property(text, text, fc.array(text), text, (out, short, many, file) => {
      const args = { out, short, many, file }
      fc.pre(!JSON.stringify(args).includes('\\u0000'))
      const expected = [`--out=${out}`, `-s${short}`, ...many.map((one) => `--many=${one}`)]
      const isDashed = file.startsWith('-') && file !== '-'
      expect(commandLine(command, args, { 'x-endOfOptions': true })).toEqual(['show', 'go', ...expected, '--', file])
      if (isDashed) expect(() => commandLine(command, args)).toThrow(ArgumentValidationError)
      else expect(commandLine(command, args)).toEqual(['show', 'go', ...expected, file])
    }),
  )
})
