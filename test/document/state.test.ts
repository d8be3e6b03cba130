import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BlockError } from '../../src/document/block-result.ts'
import { ExecutionState } from '../../src/document/state.ts'
import { outcomeCodes } from '../../src/model/outcome.ts'

const metadata = {
  totalDuration: 1.5,
  blocksExecuted: 2,
  blocksSucceeded: 1,
  blocksFailed: 1,
  blocksSkipped: 0,
  startedAt: '2026-01-31T00:00:00.000Z',
  warnings: [],
}

const errors = fc
  .record({ code: fc.constantFrom(...outcomeCodes), message: fc.string() })
  .map(({ code, message }) => new BlockError(code, message, { value: { partly: true } }))
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)))
const results = fc.oneof(
  fc.record({ result: json, duration: fc.nat() }),
  fc.record({ error: errors, duration: fc.nat() }),
)
const ids = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '10', '2', '1'))

test('a state that was stored as JSON and read again is the same, order included', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(ids, results), { selector: ([id]) => id }), (blocks) => {
      const state = new ExecutionState(new Map(blocks), metadata)
      const again = ExecutionState.fromJSON(JSON.stringify(state))
      expect([...again.blocks.keys()]).toEqual(blocks.map(([id]) => id))
      expect(JSON.stringify(again)).toBe(JSON.stringify(state))
    }),
  )
})

test('an error is an error again, with its code', () => {
  const state = new ExecutionState(new Map([['a', { error: new BlockError('timed-out', 'too slow') }]]), metadata)
  const error = ExecutionState.fromJSON(JSON.stringify(state)).blocks.get('a')?.error
  expect(error).toBeInstanceOf(Error)
  expect(error).toMatchObject({ code: 'timed-out', message: 'too slow' })
})

test('in JSON the blocks are a list of pairs', () => {
  const state = new ExecutionState(
    new Map([
      ['b', { result: 0 }],
      ['a', { result: null }],
    ]),
    metadata,
  )
  expect(JSON.parse(JSON.stringify(state))).toEqual({
    blocks: [
      ['b', { result: 0 }],
      ['a', { result: null }],
    ],
    metadata,
  })
})

test.each([
  ['text that is no JSON', '{'],
  ['a list', []],
  ['nothing', null],
  ['blocks that are an object', { blocks: {}, metadata }],
  ['a block that is no pair', { blocks: [['a']], metadata }],
  ['an id that is a number', { blocks: [[1, {}]], metadata }],
  [
    'the same block twice',
    {
      blocks: [
        ['a', { result: 1 }],
        ['a', { result: 2 }],
      ],
      metadata,
    },
  ],
  [
    'a result and an error at once',
    { blocks: [['a', { result: 1, error: { code: 'denied', message: '' } }]], metadata },
  ],
  ['an error without a message', { blocks: [['a', { error: { code: 'denied' } }]], metadata }],
  ['an error with a code of its own', { blocks: [['a', { error: { code: 'nope', message: '' } }]], metadata }],
  ['no metadata', { blocks: [] }],
  ['metadata that are no numbers', { blocks: [], metadata: { ...metadata, totalDuration: '1' } }],
])('%s is no state', (_, stored) => {
  expect(() => ExecutionState.fromJSON(stored)).toThrow(expect.objectContaining({ code: 'invalid-state' }))
})
