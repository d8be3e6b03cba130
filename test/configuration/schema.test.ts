import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { describe, expect, expectTypeOf, test } from 'vitest'
import type { z } from 'zod'
import { renderSchema } from '../../scripts/schema.ts'
import { safePattern } from '../../src/base/safe-pattern.ts'
import { check, type Shape } from '../../src/configuration/check.ts'
import type { Configuration } from '../../src/configuration/configuration.ts'
import { configurationSchema } from '../../src/configuration/schema.ts'
import { showValue } from '../../src/configuration/words.ts'
import { example } from './example.ts'

const root = join(import.meta.dirname, '../..')
const schema: Shape & { readonly default?: unknown } = JSON.parse(readFileSync(join(root, 'schema.json'), 'utf8'))
const ajv = new Ajv({ strict: false, formats: { regex: (source: string) => safePattern(source).ok } })
const accepts = ajv.compile(schema)

test.each(Object.entries(renderSchema()))('%s is up to date (else run `node scripts/schema.ts`)', (file, made) => {
  expect(readFileSync(join(root, file), 'utf8')).toBe(made)
})

test('the script checks the same', () => {
  execFileSync(process.execPath, [join(root, 'scripts/schema.ts'), '--check'])
})

test('editors accept the example of the design', () => {
  expect(accepts(parse(example))).toBe(true)
})

test.each([
  { polcy: {} },
  { limits: { timeoutMs: 0 } },
  { policy: { allowDestructive: 'yes' } },
  { mcpServers: { files: {} } },
  { skills: [{}] },
])('editors refuse %j', (value) => {
  expect(accepts(value)).toBe(false)
})

test('editors accept a variable where an address is due, and the keys of other clients', () => {
  expect(accepts({ mcpServers: { web: { url: `\${WEB}/mcp`, disabled: true, type: 'http' } } })).toBe(true)
})

test('every key has a sentence, and its default is a value that it may have', () => {
  const visit = (shape: Shape & { description?: string; default?: unknown }, path: string) => {
    if (path) expect(shape.description, path).toMatch(/^[A-Z].*\.$/s)
    if (shape.default !== undefined) expect(ajv.validate(shape, shape.default), path).toBe(true)
    for (const [key, own] of Object.entries(shape.properties ?? {})) visit(own, `${path}.${key}`)
    const { additionalProperties: entry, items } = shape
    for (const below of [entry, items, ...(items?.anyOf ?? [])]) {
      if (typeof below !== 'object') continue
      for (const [key, own] of Object.entries(below.properties ?? {})) visit(own, `${path}[].${key}`)
    }
  }
  visit(schema, '')
})

test('the types say what the schema says', () => {
  type DeepReadonly<Value> = Value extends object ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> } : Value
  expectTypeOf<Configuration>().toEqualTypeOf<DeepReadonly<z.infer<typeof configurationSchema>>>()
})

describe('our check, zod and ajv agree', () => {
  const words = ['org', 'ask', 'auto', 'full', 'x', '', 'A_B', 'http://x', '([']
  const scalar = fc.oneof(fc.constantFrom(...words), fc.boolean(), fc.integer(), fc.double(), fc.constant(null))
  const anything = fc.oneof(scalar, fc.array(scalar), fc.dictionary(fc.constantFrom('A', 'b c', ''), scalar))

  /** Values that fit a shape, and now and then do not. */
  const near = (shape: Shape): fc.Arbitrary<unknown> =>
    fc.oneof({ weight: 12, arbitrary: fitting(shape) }, { weight: 1, arbitrary: anything })
  const fitting = (shape: Shape): fc.Arbitrary<unknown> => {
    const { properties, additionalProperties, items, anyOf, minimum = 0, maximum = 1 } = shape
    if (anyOf) return fc.oneof(...anyOf.map(near))
    if (properties) {
      const own = Object.entries(properties).filter(([, { deprecated }]) => !deprecated)
      return fc.record(Object.fromEntries(own.map(([key, value]) => [key, near(value)])), { requiredKeys: [] })
    }
    if (typeof additionalProperties === 'object') {
      return fc.dictionary(fc.constantFrom('A', 'b', 'b c', ''), near(additionalProperties), { maxKeys: 2 })
    }
    if (items) return fc.array(near(items), { maxLength: 2 })
    if (shape.enum) return fc.constantFrom(...shape.enum)
    if (shape.type === 'boolean') return fc.boolean()
    if (shape.type === 'integer') return fc.integer({ min: minimum, max: maximum })
    return fc.constantFrom(...words)
  }

  test.each(Object.entries(schema.properties ?? {}))('about %s', (key, shape) => {
    let fits = 0
    fc.assert(
      fc.property(near(shape), (value) => {
        const given = { [key]: value }
        const { faults, value: checked } = check(schema, given, (_path, shown) => showValue(shown))
        const isFine = faults.length === 0
        expect({ zod: configurationSchema.safeParse(given).success, ajv: accepts(given) }).toEqual({
          zod: isFine,
          ajv: isFine,
        })
        if (!isFine) return
        fits++
        expect(checked).toEqual(given)
      }),
      { numRuns: 300 },
    )
    expect(fits).toBeGreaterThan(0)
  })
})
