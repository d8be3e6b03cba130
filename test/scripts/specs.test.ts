import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readSpecs, renderSpecs, requirementOf, specTitles, testTitles } from '../../scripts/specs.ts'

const root = join(import.meta.dirname, '../..')
const { requirements, tests } = readSpecs(root)
const ids = requirements.map((requirement) => requirement.id)

test('docs/specs.md is up to date (else run `npm run specs`)', () => {
  expect(readFileSync(join(root, 'docs/specs.md'), 'utf8')).toBe(renderSpecs(requirements, tests))
})

test('no two requirements have one id', () => {
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
})

test('every requirement belongs to a known specification', () => {
  expect(ids.filter((id) => specTitles[id.slice(0, 3)] === undefined)).toEqual([])
})

test('every source file of a requirement exists', () => {
  const files = requirements.flatMap((requirement) => requirement.source)
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
})

test('every title in test/specs begins with the id of a requirement', () => {
  expect(tests.filter(({ title }) => requirementOf(title, ids) === undefined)).toEqual([])
})

test.each([
  ['004/FR-010', '004/FR-010'],
  ['004/FR-010 symlinks stay inside', '004/FR-010'],
  ['004/FR-010: symlinks stay inside', '004/FR-010'],
  ['004/FR-010, 004/US2-4: symlinks stay inside', '004/FR-010'],
  ['004/FR-01 is another one', '004/FR-01'],
  ['004/FR-0100', undefined],
  ['003/Rule 3: types must match "12abc"', '003/Rule 3: types must match'],
  ['003/Rule 3: something else', '003/Rule 3'],
  ['003/Rule', undefined],
  ['a title without an id', undefined],
])('the title "%s" belongs to %s', (title, id) => {
  const known = ['003/Rule 3', '003/Rule 3: types must match', '004/FR-01', '004/FR-010']
  expect(requirementOf(title, known)).toBe(id)
  expect(requirementOf(title, known.toReversed())).toBe(id)
})

test.each([
  ["test('a title', () => {})", 'a title'],
  ['  it("a title", () => {})', 'a title'],
  ['test(`a title`, () => {})', 'a title'],
  ["test(\n  'a title',\n  () => {})", 'a title'],
  ["test('it\\'s a title', () => {})", "it's a title"],
  ["test.each([[1, '(']])('a title %s', () => {})", 'a title %s'],
  ["test.each<[string, () => void]>([[/[(/']/, two()]])('a title', () => {})", 'a title'],
  ["test.skipIf(windows())('a title', () => {})", 'a title'],
  ["test.runIf(process.platform === 'linux')('a title', () => {})", 'a title'],
  ["test.concurrent.each(rows /* ) */)('a title', () => {})", 'a title'],
  ['const text = `a $' + "{f({ b: { c: `d` } })} e`\ntest('a title', () => {})", 'a title'],
  ["for (const row of rows) test('a title', () => {})", 'a title'],
])('the title in %j is found', (text, title) => {
  expect(testTitles(text)).toEqual([title])
})

test.each([
  "// test('a title')",
  "/* test('a title') */",
  'const text = "test(\'a title\')"',
  "test.skip('a title', () => {})",
  "test.todo('a title')",
  "/^a/.test('a title')",
  'test(`a $' + '{title}`, () => {})',
  "import { expect, test } from 'vitest'",
])('no title is found in %j', (text) => {
  expect(testTitles(text)).toEqual([])
})

test('the page counts what is tested and links files relative to itself', () => {
  const made = renderSpecs(
    [
      { id: '000/One', words: 'WHEN one THEN two', source: ['src/one.ts', 'src/two.ts'] },
      { id: '000/Two', words: 'WHEN two THEN three', source: [], note: 'Four.' },
    ],
    [
      { title: '000/One works', file: 'test/specs/one.test.ts' },
      { title: '000/One works twice', file: 'test/specs/one.test.ts' },
    ],
  )
  expect(made).toContain('## 000 toolscript-execution Specification\n\n1 of 2 tested.\n')
  expect(made).toContain(
    '| 000/One | WHEN one THEN two | [src/one.ts](../src/one.ts)<br>[src/two.ts](../src/two.ts) | [test/specs/one.test.ts](../test/specs/one.test.ts) |',
  )
  expect(made).toContain('| 000/Two | WHEN two THEN three<br>*Ours:* Four. |  | **open** |')
})

test('markup in words is shown and does not break the table', () => {
  const words = 'a <b> | `<c> | d*`, ``e `f` <g>`` and * \\ end\nof line'
  const made = renderSpecs([{ id: '000/Markup', words, source: [] }], [])
  expect(made).toContain('| a \\<b> \\| `<c> \\| d*`, ``e `f` <g>`` and \\* \\\\ end of line |')
})
