import { expect, test } from 'vitest'
import {
  ArgumentValidationError,
  checkEnumValue,
  coerceType,
  mapToCommand,
  validateArgument,
  validateOption,
  validateToolCall,
} from '../../src/doors/program.ts'
import { describedTool, makeExecutor } from '../support/executor.ts'

const command = {
  arguments: [{ name: 'title', type: 'string' }],
  options: [
    { name: 'count', flags: ['--count'], type: 'integer', required: true },
    { name: 'state', flags: ['--state'], type: 'enum', enum: ['open', 'closed'] },
  ],
} as const
const mapping = mapToCommand('show', [describedTool('show', { commands: { '': command } })])
const codes = (args: unknown) => validateToolCall({ arguments: args }, mapping).errors.map(({ code }) => code)

test('003/Validating arguments against metadata', () => {
  expect(codes({ title: 'x', count: 1 })).toEqual([])
  expect(codes({ title: 'x', count: 'many', state: 'shut' })).toEqual(['INVALID_TYPE', 'INVALID_ENUM'])
})

test('003/Validation is a must: what does not fit never runs', async () => {
  const { executor } = makeExecutor()
  await expect(executor.execute({ name: 'show', arguments: { word: {} } })).rejects.toThrow(ArgumentValidationError)
})

test('003/validateToolCall', () => {
  expect(validateToolCall({ arguments: { title: 'x', count: '2' } }, mapping)).toEqual({
    valid: true,
    errors: [],
    warnings: [],
    arguments: { title: 'x', count: 2 },
  })
})

test('003/validateArgument', () => {
  expect(validateArgument('x', command.arguments[0])).toMatchObject({ valid: true, value: 'x' })
  expect(validateArgument(undefined, command.arguments[0])).toMatchObject({ valid: false })
})

test('003/validateOption', () => {
  expect(validateOption('open', command.options[1])).toMatchObject({ valid: true })
  expect(validateOption(undefined, command.options[1])).toMatchObject({ valid: true })
  expect(validateOption('ajar', command.options[1])).toMatchObject({ valid: false })
})

test('003/coerceType', () => {
  expect(coerceType('12', 'integer')).toBe(12)
  expect(coerceType('12abc', 'integer')).toBeUndefined()
  expect(coerceType('yes', 'boolean')).toBeUndefined()
})

test('003/checkEnumValue', () => {
  expect(checkEnumValue('open', ['open', 'closed'])).toBe(true)
  expect(checkEnumValue('2', [1, 2])).toBe(true)
  expect(checkEnumValue('ajar', ['open', 'closed'])).toBe(false)
})

test('003/Validation rule 1: required arguments must be present', () => {
  expect(codes({ count: 1 })).toEqual(['MISSING_REQUIRED'])
})
test('003/Validation rule 2: required options must be present; null is left out', () => {
  expect(codes({ title: 'x' })).toEqual(['MISSING_REQUIRED'])
  expect(codes({ title: 'x', count: 1, state: null })).toEqual([])
})
test('003/Validation rule 3: types must match, with safe coercion', () => {
  expect(codes({ title: 5, count: '7' })).toEqual([])
  expect(codes({ title: 'x', count: '7.5' })).toEqual(['INVALID_TYPE'])
})
test('003/Validation rule 4: enum values must be in the allowed list', () => {
  expect(codes({ title: 'x', count: 1, state: 'ajar' })).toEqual(['INVALID_ENUM'])
})
test('003/Validation rule 5: unknown parameters produce warnings', () => {
  const { valid, warnings } = validateToolCall({ arguments: { title: 'x', count: 1, tilte: 'y' } }, mapping)
  expect(valid).toBe(true)
  expect(warnings).toMatchObject([{ path: 'tilte', code: 'UNKNOWN_PARAMETER' }])
})

test('003/Always validate, with skip flag for advanced use', async () => {
  const bad = { name: 'show', arguments: { word: ['a', 'b'] } }
  await expect(makeExecutor().executor.execute(bad)).rejects.toThrow(ArgumentValidationError)
  expect(await makeExecutor({ skipValidation: true }).executor.execute(bad)).toMatchObject({ stdout: 'a\nb\n' })
})
test('003/Safe by default: nothing that does not fit is executed', async () => {
  const { executor } = makeExecutor()
  await executor.execute({ name: 'show', arguments: { word: '--x' } }).catch(() => {})
  expect(executor.journal.read({})[0]).toMatchObject({ phase: 'end', code: 'invalid-input' })
})
test('003/Skip flag: even then no value becomes an option', async () => {
  const { executor } = makeExecutor({ skipValidation: true })
  await expect(executor.execute({ name: 'show', arguments: { word: '--x' } })).rejects.toThrow(ArgumentValidationError)
})

test('003/Validation flow: call and mapping in, errors and warnings out', () => {
  const { valid, errors, warnings } = validateToolCall({ arguments: { count: 'x', other: 1 } }, mapping)
  expect({ valid, errors: errors.length, warnings: warnings.length }).toEqual({ valid: false, errors: 2, warnings: 1 })
})
test('003/Validation occurs before execution', async () => {
  const { executor } = makeExecutor()
  const error = await executor.execute({ name: 'show', arguments: { word: {} } }).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(ArgumentValidationError)
  expect(executor.journal.read({})[0]?.process).toBeUndefined()
})
test('003/Pre-execution argument validation: malformed arguments cannot inject', () => {
  expect(codes({ title: '--upload-pack=x', count: 1 })).toEqual(['INVALID_VALUE'])
  expect(codes({ title: 'a\0b', count: 1 })).toEqual(['INVALID_VALUE'])
})
