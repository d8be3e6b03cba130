import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renderReference, type Shape } from '../../scripts/reference.ts'

const root = join(import.meta.dirname, '../..')
const schema: Shape = JSON.parse(readFileSync(join(root, 'schema.json'), 'utf8'))

test('docs/configuration-reference.md is up to date (else run `node scripts/reference.ts`)', () => {
  expect(readFileSync(join(root, 'docs/configuration-reference.md'), 'utf8')).toBe(renderReference(schema))
})

test('every key of the schema has its row, except those of other clients', () => {
  const page = renderReference(schema)
  const visit = (shape: Shape) => {
    for (const [key, own] of Object.entries(shape.properties ?? {})) {
      if (!own.deprecated) expect(page).toContain(`\n| \`${key}\``)
      visit(own)
    }
    for (const each of shape.anyOf ?? []) visit(each)
    if (shape.items) visit(shape.items)
    if (typeof shape.additionalProperties === 'object') visit(shape.additionalProperties)
  }
  visit(schema)
  expect(page).not.toContain('alwaysAllow')
})

test('lists, names, alternatives, ranges and defaults are told in words', () => {
  const page = renderReference({
    properties: {
      mode: { enum: ['a', 'b'], description: 'Which | way. Default: "a".', default: 'a' },
      size: { type: 'integer', minimum: 1, maximum: 20_000, description: 'How large.' },
      folders: {
        type: 'array',
        items: {
          anyOf: [
            { type: 'string', examples: ['./x'] },
            { properties: { path: { type: 'string' } }, required: ['path'] },
          ],
        },
      },
      servers: { additionalProperties: { properties: { on: { type: 'boolean' } } } },
    },
  })
  expect(page).toContain('| `mode` | `"a"`, `"b"` | `"a"` | Which \\| way. |')
  expect(page).toContain('| `size` | 1 to 20,000 |  | How large. |')
  expect(page).toContain('| `folders` | list of text, such as `"./x"` or [keys](#folders) |')
  expect(page).toContain('## `folders[]`')
  expect(page).toContain('| `path` (required) | text |')
  expect(page).toContain('## `servers.NAME`')
})
