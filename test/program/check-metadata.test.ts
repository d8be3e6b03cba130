import { expect, test } from 'vitest'
import { checkMetadata } from '../../src/program/check-metadata.ts'

const program = { atip: '0.6', name: 'show', version: '1', description: 'Shows' }
const command = (parts: object) => ({ ...program, commands: { go: { description: 'Goes', ...parts } } })
const option = (parts: object) =>
  command({ options: [{ name: 'x', flags: ['--x'], type: 'string', description: '', ...parts }] })

function faultsOf(value: unknown): readonly string[] {
  const check = checkMetadata(value)
  return check.ok ? [] : check.faults
}

test.each(['0.1', '0.2', '0.3', '0.4', '0.5', '0.6', { version: '0.6', features: ['trust-v1'] }, undefined])(
  'the version may be %j',
  (atip) => expect(faultsOf({ ...program, atip })).toEqual([]),
)

test.each([
  [{ ...program, atip: '0.7' }, 'atip: "0.7" is no version from 0.1 to 0.6.'],
  [{ ...program, atip: { version: 1 } }, 'atip: 1 is no version from 0.1 to 0.6.'],
  [{ ...program, name: 'rm -rf' }, 'name: "rm -rf" is no name of a program'],
  [{ ...program, name: '../git' }, 'name: "../git" is no name of a program'],
  [{ ...program, name: '-x' }, 'name: "-x" is no name of a program'],
  [{ ...program, description: 5 }, 'description: write a text.'],
  [{ ...program, partial: 'yes' }, 'partial: "yes" is not true or false.'],
  [{ ...program, omitted: { safetyAssumption: 'fine' } }, 'omitted.safetyAssumption: "fine" is none of unknown'],
  [{ ...program, 'x-endOfOptions': 'rm' }, 'x-endOfOptions: write true, false or a word such as "--".'],
  [{ ...program, effects: { destructive: 'false' } }, 'effects.destructive: "false" is not true or false.'],
  [{ ...program, effects: { filesystem: { paths: '/' } } }, 'effects.filesystem.paths: "/" is not a list of texts.'],
  [{ ...program, effects: { creates: [1] } }, 'effects.creates: a list is not a list of texts.'],
  [{ ...program, effects: { cost: { estimate: 'huge' } } }, 'effects.cost.estimate: "huge" is not one of free'],
  [
    { ...program, effects: { interactive: { stdin: 'maybe' } } },
    'effects.interactive.stdin: "maybe" is not one of none',
  ],
  [{ ...program, effects: { duration: { timeout: '5 days' } } }, 'effects.duration.timeout: "5 days" is not such as'],
  [{ ...program, effects: { duration: { timeout: '0s' } } }, 'effects.duration.timeout: "0s" is not such as'],
  [{ ...program, globalOptions: [{ name: 'v', flags: ['-v'] }] }, 'globalOptions[0].type: undefined is none of string'],
  [option({ flags: ['--'] }), 'commands.go.options[0].flags: write a list such as ["--all"].'],
  [option({ flags: ['--a=b'] }), 'commands.go.options[0].flags: write a list'],
  [option({ flags: ['-o file'] }), 'commands.go.options[0].flags: write a list'],
  [option({ flags: [] }), 'commands.go.options[0].flags: write a list'],
  [option({ type: 'enum' }), 'commands.go.options[0].enum: write a list of texts or numbers.'],
  [option({ enum: [{}] }), 'commands.go.options[0].enum: write a list of texts or numbers.'],
  [option({ name: '__proto__' }), 'commands.go.options[0].name: a parameter cannot have this name.'],
  [option({ effects: { network: 1 } }), 'commands.go.options[0].effects.network: 1 is not true or false.'],
  [command({ deprecated: 'yes' }), 'commands.go.deprecated: "yes" is not true or false.'],
  [
    command({ arguments: [{ name: 'x', type: 'string' }], options: [{ name: 'x', flags: ['-x'], type: 'string' }] }),
    'commands.go.options[0].name: there is another parameter "x". Rename one of them.',
  ],
  [
    command({ arguments: [], commands: { '': {} } }),
    'commands.go.commands: the command of these words is described already.',
  ],
  [JSON.parse('{"name":"x","commands":{"__proto__":{}}}'), 'commands.__proto__: a command cannot have this name.'],
  [{ ...program, commands: { 'a\0b': {} } }, 'a command cannot have this name.'],
  [[], 'The metadata is not a JSON object.'],
  [null, 'The metadata is not a JSON object.'],
])('%j has its fault named', (value, fault) => {
  expect(faultsOf(value)).toEqual([expect.stringContaining(fault)])
})

test('a command that holds itself is a fault', () => {
  const commands: Record<string, unknown> = {}
  commands.a = { description: '', commands }
  commands.b = { description: '', commands }
  expect(faultsOf({ ...program, commands })).toContain('commands.a.commands.a: this command holds itself (a cycle).')
})

test('commands that multiply without end are stopped', () => {
  let commands: Record<string, unknown> = {}
  for (let level = 0; level < 30; level++) {
    const below = { description: '', commands }
    commands = { a: below, b: below }
  }
  expect(faultsOf({ ...program, commands }).at(-1)).toMatch(/there are more than 250000 commands/)
})

test('absurd depth is a fault, and so are a million faults only a hundred', () => {
  let deep: object = { description: '' }
  for (let level = 0; level < 2_000; level++) deep = { description: '', commands: { a: deep } }
  expect(faultsOf({ ...program, commands: { a: deep } })).toEqual([expect.stringMatching(/nested more than 32 deep/)])
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`c${at}`, 1]))
  expect(faultsOf({ ...program, commands: many })).toHaveLength(101)
})

test('a getter that throws is a fault, not a crash', () => {
  const hostile = {
    ...program,
    commands: {
      get a() {
        throw new Error('no')
      },
    },
  }
  expect(faultsOf(hostile)).toEqual([expect.stringContaining('cannot be read')])
})

test('10,000 commands are fine', () => {
  const commands = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`c${at}`, { description: '' }]))
  expect(checkMetadata({ ...program, commands }).ok).toBe(true)
})

function warningsOf(value: unknown): readonly string[] {
  const check = checkMetadata(value)
  return check.ok ? check.warnings : check.faults
}

test('extensions and keys that are like none that is known are left alone', () => {
  const odd = { ...program, 'x-vendor': { a: 1 }, maintainers: [], effects: { destructive: false, 'x-more': 1 } }
  expect(warningsOf(odd)).toEqual([])
  expect(warningsOf(command({ summary: '', examples: [], 'x-note': 1 }))).toEqual([])
})

test.each([
  [
    { ...program, effects: { destructve: true } },
    'effects.destructve: there is no such effect. Did you mean "destructive"?',
  ],
  [{ ...program, effects: { loud: true } }, 'effects.loud: there is no such effect.'],
  [
    { ...program, effects: { filesystem: { delte: true } } },
    'effects.filesystem.delte: there is no such effect. Did you mean "delete"?',
  ],
  [{ ...program, command: {} }, 'command: this key means nothing. Did you mean "commands"?'],
  [
    { ...program, arguments: [{ name: 'x', type: 'string' }] },
    'arguments: arguments of the program itself do not stand here. Write "commands": {"": {"arguments": …}}.',
  ],
  [command({ argument: [] }), 'commands.go.argument: this key means nothing. Did you mean "arguments"?'],
  [command({ effects: { cost: { bilable: true } } }), 'commands.go.effects.cost.bilable: there is no such effect.'],
  [option({ requried: true }), 'commands.go.options[0].requried: this key means nothing. Did you mean "required"?'],
  [option({ effects: { destrutive: true } }), 'commands.go.options[0].effects.destrutive: there is no such effect.'],
])('%j has a warning', (value, warning) => {
  expect(warningsOf(value)).toEqual([expect.stringContaining(warning)])
})

test('ten thousand misspelt keys have a bounded number of warnings', () => {
  const commands = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`c${at}`, { argument: [] }]))
  expect(warningsOf({ ...program, commands }).length).toBeLessThanOrEqual(100)
})

test('a program that lists no commands is its only command', () => {
  expect(checkMetadata(program)).toMatchObject({ metadata: { commands: { '': {} } } })
})
