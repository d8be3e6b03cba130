import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type AtipTool,
  checkEnumValue,
  coerceType,
  mapToCommand,
  type ParameterType,
  validateArgument,
  validateOption,
  validateToolCall,
} from '../../src/doors/program.ts'
import { makeLimits } from '../../src/model/limits.ts'
import { inputSchema } from '../../src/program/schema.ts'
import { validate } from '../../src/validate/validate.ts'

test.each<[unknown, ParameterType, unknown]>([
  ['12', 'integer', 12],
  [12, 'integer', 12],
  ['12abc', 'integer', undefined],
  ['1.5', 'integer', undefined],
  ['1.5', 'number', 1.5],
  ['', 'number', undefined],
  ['0x10', 'number', undefined],
  ['true', 'boolean', true],
  ['false', 'boolean', false],
  ['yes', 'boolean', undefined],
  [1, 'boolean', undefined],
  [5, 'string', '5'],
  [true, 'string', undefined],
  ['x', 'string', 'x'],
  [{}, 'string', undefined],
  ['a', 'array', ['a']],
  [['a', 1], 'array', ['a', '1']],
  [[{}], 'array', undefined],
  ['x', 'file', 'x'],
  ['x', 'enum', 'x'],
])('coerceType(%j, %j) is %j', (value, type, expected) => expect(coerceType(value, type)).toEqual(expected))

test('enums compare by value', () => {
  expect(checkEnumValue('2', [1, 2])).toBe(true)
  expect(checkEnumValue(2, ['2'])).toBe(true)
  expect(checkEnumValue('3', [1, 2])).toBe(false)
  expect(checkEnumValue({}, ['[object Object]'])).toBe(false)
})

test.each([
  ['file', '', 'INVALID_FORMAT'],
  ['file', 'a\0b', 'INVALID_FORMAT'],
  ['directory', '', 'INVALID_FORMAT'],
  ['url', 'example.com', 'INVALID_FORMAT'],
  ['url', 'https://', 'INVALID_FORMAT'],
  ['url', '-x:y', 'INVALID_FORMAT'],
  ['url', 'https://example.com/ü?a b', undefined],
  ['file', 'a b', undefined],
  ['integer', '12abc', 'INVALID_TYPE'],
  ['string', {}, 'INVALID_TYPE'],
  ['string', undefined, 'MISSING_REQUIRED'],
  ['string', null, 'MISSING_REQUIRED'],
] as const)('an argument of type %s given %j: %s', (type, value, code) => {
  const { valid, errors } = validateArgument(value, { name: 'it', type })
  expect({ valid, code: errors[0]?.code }).toEqual({ valid: code === undefined, code })
})

test('an option need not be there, unless it says so', () => {
  const option = { name: 'it', flags: ['--it'], type: 'string' } as const
  expect(validateOption(undefined, option)).toMatchObject({ valid: true, value: undefined })
  expect(validateOption(null, option)).toMatchObject({ valid: true, value: undefined })
  expect(validateOption(undefined, { ...option, required: true })).toMatchObject({ valid: false })
})

test('an enum that does not fit says what would', () => {
  const option = { name: 'state', flags: ['--state'], type: 'enum', enum: ['open', 'closed'] } as const
  expect(validateOption('opne', option).errors).toEqual([
    {
      path: 'state',
      code: 'INVALID_ENUM',
      message: '"state" must be one of "open", "closed", but is "opne". Did you mean "open"?',
    },
  ])
})

const tool: AtipTool = {
  name: 'show',
  globalOptions: [{ name: 'verbose', flags: ['-v'], type: 'boolean', deprecated: true }],
  commands: {
    go: {
      arguments: [
        { name: 'file', type: 'file' },
        { name: 'more', type: 'integer', variadic: true, required: false },
      ],
      options: [
        { name: 'state', flags: ['--state'], type: 'enum', enum: ['open', 'closed', 3] },
        { name: 'count', flags: ['--count'], type: 'number', required: true },
        { name: 'tags', flags: ['--tag'], type: 'array' },
        { name: 'page', flags: ['--page'], type: 'url' },
        { name: 'all', flags: ['--all'], type: 'boolean' },
      ],
    },
  },
}
const mapping = mapToCommand('show_go', [tool])

test('a call has all its faults at once, and its warnings', () => {
  const args = { file: '', more: ['1', 'x'], state: 'shut', verbose: true, cuont: 5 }
  const { valid, errors, warnings } = validateToolCall({ arguments: args }, mapping)
  expect(valid).toBe(false)
  expect(errors.map(({ path, code }) => [path, code])).toEqual([
    ['file', 'INVALID_FORMAT'],
    ['more', 'INVALID_TYPE'],
    ['state', 'INVALID_ENUM'],
    ['count', 'MISSING_REQUIRED'],
  ])
  expect(warnings).toEqual([
    { path: 'cuont', code: 'UNKNOWN_PARAMETER', message: 'There is no parameter "cuont". Did you mean "count"?' },
    { path: 'verbose', code: 'DEPRECATED', message: 'The parameter "verbose" is deprecated.' },
  ])
})

test('a valid call has its arguments with their types put right', () => {
  expect(validateToolCall({ arguments: { file: 'a', more: '1', count: '2', all: null, x: 1 } }, mapping)).toMatchObject(
    {
      valid: true,
      arguments: { file: 'a', more: [1], count: 2 },
    },
  )
})

test.each([['text'], [[1]], [5], [true]])('%j is no arguments', (args) => {
  expect(validateToolCall({ arguments: args }, mapping)).toMatchObject({
    valid: false,
    errors: [{ path: '', code: 'INVALID_TYPE' }],
  })
})

test('no arguments are an empty object', () => {
  expect(validateToolCall({}, mapping).errors.map(({ code }) => code)).toEqual(['MISSING_REQUIRED', 'MISSING_REQUIRED'])
})

test.each([
  [{ type: 'file', variadic: true }, ['a', ''], 'INVALID_FORMAT'],
  [{ type: 'string', variadic: true }, [{}], 'INVALID_TYPE'],
  [{ type: 'array' }, {}, 'INVALID_TYPE'],
  [{ type: 'enum', enum: ['a'], variadic: true }, ['a', 'b'], 'INVALID_ENUM'],
  [{ type: 'enum', enum: ['a'] }, { a: 1 }, 'INVALID_ENUM'],
  [{ type: 'enum', enum: ['a'] }, true, 'INVALID_ENUM'],
] as const)('an argument %j given %j: %s', (schema, value, code) => {
  expect(validateArgument(value, { name: 'it', ...schema }).errors).toMatchObject([{ path: 'it', code }])
})

test('what cannot be a command line is not valid', () => {
  expect(validateToolCall({ arguments: { file: '-rf', count: 1 } }, mapping)).toMatchObject({
    valid: false,
    errors: [{ path: 'file', code: 'INVALID_VALUE' }],
  })
})

test('it is valid exactly when the one path says so', async () => {
  const scalar = fc.oneof(
    fc.constantFrom('1', '1.5', 'x', 'true', '', 'open', '3', 'https://a.b', 'a'),
    fc.integer({ min: -5, max: 5 }),
    fc.double({ noNaN: true, min: -9, max: 9 }),
    fc.boolean(),
    fc.constant(null),
  )
  const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.constant({}))
  const names = ['file', 'more', 'state', 'count', 'tags', 'page', 'all', 'verbose', 'other'] as const
  const args = fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: ['file', 'count'] })
  const schema = { type: 'json', schema: inputSchema(mapping), coerce: true } as const
  const ours = ['INVALID_FORMAT', 'INVALID_VALUE']
  await fc.assert(
    fc.asyncProperty(args, async (given) => {
      const { errors, arguments: values } = validateToolCall({ arguments: given }, mapping)
      const path = await validate(schema, given, makeLimits())
      expect(errors.filter(({ code }) => !ours.includes(code)).length === 0).toBe(path.ok)
      if (path.ok && errors.length === 0) expect(values).toEqual(path.value)
    }),
    { numRuns: 500 },
  )
})
