import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { nestingFault } from '../../src/toolscript/nesting.ts'

const fixture = join(import.meta.dirname, '../fixtures/toolscript/nest.ts')

test('whatever a script nests, it is refused with a sentence, and the process lives', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [fixture], { maxBuffer: 10_000_000 })
  const faults: [string, string][] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(faults.length).toBeGreaterThan(50)
  expect(faults.filter(([, message]) => message === 'none')).toEqual([])
  expect(faults.filter(([, message]) => /Maximum call stack/.test(message))).toEqual([])
})

test.each([
  ['a long list', `return [\n${'  { a: "(", b: [1, 2, /[(]/] },\n'.repeat(20_000)}]`],
  ['many lines without semicolons', 'const a = f(1)\nawait g(a)\nh`x`\nif (a) b()\n'.repeat(10_000)],
  ['many functions on one line', 'function a(){return 1}'.repeat(10_000)],
  ['many statements', 'a(1);'.repeat(10_000)],
  ['many short chains', 'if (a) { b() } else if (c) { d() } else { e() }\n'.repeat(5_000)],
  ['many choices in a list', `f(${'a ? b : c < d, '.repeat(400)}1)`],
  [
    'regular expressions',
    "const a = /[(]{/.test(b) || !/\\/(/.test(c)\nreturn /x'/\nif (a) /`/.test(b)\n".repeat(1_000),
  ],
  ['divisions', "const a = (b + c) / 2 / d[0] / e()\nlet f = a++ / 2 + '('\n".repeat(1_000)],
  ['templates', 'const a = `(${b}( ${`{${c}`} \\` ${{ d: 1 }.d}`\n'.repeat(1_000)],
  ['interfaces', 'interface A<B> {\n  a: Map<string, B>\n  b?: () => void\n}\ntype C = A<1> | A<2>\n'.repeat(1_000)],
  ['comments', "// it's (\n/* ` ( */\nconst a = 1\n".repeat(2_000)],
])('%s: not deep, and read', (_, text) => {
  expect(nestingFault(text)).toBeUndefined()
})

test('every file of this project is read', () => {
  const files = globSync('{src,test,bench,examples}/**/*.ts', { cwd: join(import.meta.dirname, '../..') })
  expect(files.length).toBeGreaterThan(200)
  const faults = files.flatMap((file) => {
    const fault = nestingFault(readFileSync(join(import.meta.dirname, '../..', file), 'utf8'))
    return fault ? [{ file, ...fault }] : []
  })
  expect(faults).toEqual([])
})
