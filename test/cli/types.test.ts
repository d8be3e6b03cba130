import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { signature, typeOf } from '../../src/cli/types.ts'
import type { Tool } from '../../src/model/tool.ts'

test.each([
  [true, 'unknown'],
  [false, 'never'],
  [{}, 'unknown'],
  [{ type: 'string' }, 'string'],
  [{ type: 'integer' }, 'number'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ type: 'string', nullable: true }, 'string | null'],
  [{ enum: ['a', 'b"', 3, null] }, '"a" | "b\\"" | 3 | null'],
  [{ const: 'x' }, '"x"'],
  [{ type: 'array', items: { enum: ['a', 'b'] } }, '("a" | "b")[]'],
  [{ type: 'array' }, 'unknown[]'],
  [{ type: 'object' }, 'Record<string, unknown>'],
  [{ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }, '{\n  a: string\n}'],
  [{ properties: { 'a-b': { type: 'boolean', description: 'Both' } } }, '{\n  /** Both */\n  "a-b"?: boolean\n}'],
  [{ anyOf: [{ type: 'string' }, { $ref: '#/$defs/n' }], $defs: { n: { type: 'number' } } }, 'string | number'],
  [{ allOf: [{ type: 'string' }, { type: 'string' }] }, 'string'],
  [{ $ref: 'https://elsewhere' }, 'unknown'],
])('%j is %s', (schema, type) => expect(typeOf(schema)).toBe(type))

test('a schema that refers to itself ends', () => {
  const tree = { type: 'object', properties: { left: { $ref: '#' }, right: { $ref: '#' } } }
  expect(typeOf({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } })).toBe('unknown')
  expect(typeOf(tree)).toContain('unknown')
})

function toolWith(description: string, name: string, value: string): Tool {
  const input = { type: 'object', properties: { [name]: { enum: [value], description } } }
  return {
    description,
    input: { type: 'json', schema: input },
    spellings: { script: 'tools.a.b' },
  } as unknown as Tool
}

/** Whatever the texts are, taking the comments and the texts out leaves the same bones. */
function bones(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/"(?:[^"\\\n]|\\.)*"/g, 'TEXT')
    .replace(/\s+/g, ' ')
    .trim()
}

test('no text leaves its comment or its string', () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom('*/ evil()', '*\u200b/', '"', '\\', '\n', '\u2028', '${x}', '`', '**/'),
  )
  fc.assert(
    fc.property(text, text, text, (description, name, value) => {
      fc.pre(name !== '__proto__' && !/^[a-zA-Z_$][\w$]*$/.test(name))
      const made = signature(toolWith(description, name, value))
      expect(bones(made)).toBe('tools.a.b(input?: { TEXT?: TEXT }): Promise<unknown>')
    }),
  )
})

test('the signatures are TypeScript', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'legwork-types-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const made = signature(toolWith('*/ evil() /*', 'a"b', '\\" + evil() + "'))
  writeFileSync(join(folder, 'types.ts'), made.replace('tools.a.b', 'declare function it'))
  const { execFileSync } = await import('node:child_process')
  const compiler = join(import.meta.dirname, '../../node_modules/.bin/tsc')
  execFileSync(compiler, ['--noEmit', '--ignoreConfig', '--types', '', join(folder, 'types.ts')], { cwd: folder })
})
