import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkLink, genesis, hashOf, type Link } from '../../src/journal/chain.ts'
import type { Cell, Row } from '../../src/journal/row.ts'

const cell: fc.Arbitrary<Cell> = fc.oneof(fc.string({ unit: 'binary' }), fc.double({ noNaN: true }), fc.constant(null))

test('the hash is a SHA-256 of number, previous hash and cells', () => {
  expect(hashOf(1, genesis.hash, ['a', null, 2.5])).toBe(
    // printf '[1,"000…000","a",null,2.5]' | sha256sum
    '825493381f2c088f527966289f8f3b20195baf50cc33840b1c4cc7594908a502',
  )
})

test('different cells never have the same hash', () => {
  fc.assert(
    fc.property(fc.array(cell), fc.array(cell), (one, other) => {
      fc.pre(JSON.stringify(one) !== JSON.stringify(other))
      expect(hashOf(1, genesis.hash, one)).not.toBe(hashOf(1, genesis.hash, other))
    }),
  )
})

test.each<[string, Cell[], Cell[]]>([
  ['text moves to the next cell', ['ab', 'c'], ['a', 'bc']],
  ['a separator is part of the text', ['a","b'], ['a', 'b']],
  ['a line end is part of the text', ['a\nb'], ['a', 'b']],
  ['empty is not missing', [''], [null]],
  ['a number is not its text', [1], ['1']],
  ['null is not its text', [null], ['null']],
])('two entries differ in their hashes when %s', (_, one, other) => {
  expect(hashOf(1, genesis.hash, one)).not.toBe(hashOf(1, genesis.hash, other))
})

test('a row that follows has no fault', () => {
  const first = row(genesis, ['a'])
  expect(checkLink(genesis, first)).toBeUndefined()
  expect(checkLink(linkOf(first), row(linkOf(first), ['b']))).toBeUndefined()
})

test.each<[string, Row, object]>([
  ['an edited cell', [1, genesis.hash, 'b', hashOf(1, genesis.hash, ['a'])], { kind: 'edited', seq: 1 }],
  ['an edited hash', [1, genesis.hash, 'a', 'f'.repeat(64)], { kind: 'edited', seq: 1 }],
  [
    'a gap',
    row({ seq: 2, hash: genesis.hash }, ['a']),
    { kind: 'missing', seq: 1, message: 'Entries 1 to 2 are missing.' },
  ],
  ['another predecessor', row({ seq: 0, hash: 'f'.repeat(64) }, ['a']), { kind: 'misplaced', seq: 1 }],
  ['another place', [1, 'f'.repeat(64), 'a', hashOf(7, 'f'.repeat(64), ['a'])], { kind: 'misplaced', seq: 1 }],
  ['a place before the first', row({ seq: -1, hash: genesis.hash }, ['a']), { kind: 'inserted', seq: 0 }],
])('a row with %s has a fault that says where', (_, found, fault) => {
  expect(checkLink(genesis, found)).toMatchObject(fault)
})

function row(last: Link, cells: Cell[]): Row {
  return [last.seq + 1, last.hash, ...cells, hashOf(last.seq + 1, last.hash, cells)]
}

function linkOf([seq, , , hash]: Row): Link {
  return { seq, hash: String(hash) }
}
