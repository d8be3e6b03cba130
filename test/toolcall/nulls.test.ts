import { expect, test } from 'vitest'
import type { JsonSchema } from '../../src/model/schema.ts'
import { withoutNulls } from '../../src/toolcall/nulls.ts'

const text = { type: 'string' }
const node: JsonSchema = { type: 'object', properties: { name: text, next: { $ref: '#' } }, required: ['name'] }
const shape = {
  anyOf: [
    { type: 'object', properties: { kind: { const: 'circle' }, radius: { type: 'number' } }, required: ['kind'] },
    {
      type: 'object',
      properties: { kind: { const: 'label' }, text: { type: ['string', 'null'] } },
      required: ['kind'],
    },
    { type: 'array', items: { type: 'object', properties: { a: text } } },
  ],
}

test.each<[string, JsonSchema, unknown, unknown]>([
  ['an optional parameter', { properties: { a: text, b: text } }, { a: null, b: 'x' }, { b: 'x' }],
  ['not a required one', { properties: { a: text }, required: ['a'] }, { a: null }, { a: null }],
  ['not one that takes null', { properties: { a: { type: ['string', 'null'] } } }, { a: null }, { a: null }],
  [
    'not one that takes null by nullable',
    { properties: { a: { type: 'string', nullable: true } } },
    { a: null },
    { a: null },
  ],
  ['not one that takes anything', { properties: { a: {} } }, { a: null }, { a: null }],
  ['not one that nobody knows', { properties: {} }, { a: null, toString: null }, { a: null, toString: null }],
  ['one of an enumeration', { properties: { a: { enum: ['x'] }, b: { const: 1 } } }, { a: null, b: null }, {}],
  [
    'inside a list',
    { properties: { a: { items: { properties: { b: text } } } } },
    { a: [{ b: null }, 1] },
    { a: [{}, 1] },
  ],
  ['inside itself', node, { name: 'a', next: { name: 'b', next: null } }, { name: 'a', next: { name: 'b' } }],
  [
    'in the alternative that fits',
    { properties: { s: shape } },
    { s: { kind: 'circle', radius: null } },
    { s: { kind: 'circle' } },
  ],
  [
    'not in the other',
    { properties: { s: shape } },
    { s: { kind: 'label', text: null } },
    { s: { kind: 'label', text: null } },
  ],
  ['in a list as an alternative', { properties: { s: shape } }, { s: [{ a: null }] }, { s: [{}] }],
  [
    'of a schema in parts',
    { allOf: [{ properties: { a: text } }, { properties: { b: text }, required: ['b'] }] },
    { a: null, b: null },
    { b: null },
  ],
  ['nothing where all is allowed', true, { a: null }, { a: null }],
])('null is left out: %s', (_what, schema, given, kept) => {
  expect(withoutNulls(schema, given)).toEqual(kept)
})

test('a value without such nulls is passed on as it is, and a deep one does not hurt', () => {
  const value = { name: 'a', next: { name: 'b' } }
  expect(withoutNulls(node, value)).toBe(value)
  const deep = JSON.parse(`${'{"name":"a","next":'.repeat(10_000)}null${'}'.repeat(10_000)}`)
  expect(withoutNulls(node, deep)).toBe(deep)
})
