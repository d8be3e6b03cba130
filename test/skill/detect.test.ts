import { execFileSync } from 'node:child_process'
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { detectScripts } from '../../src/skill/detect.ts'
import { isLibrary, isTestFile } from '../../src/skill/entry-point.ts'
import { languageOf, shebangOf } from '../../src/skill/languages.ts'
import { nameScripts } from '../../src/skill/script-names.ts'
import { readSkill, type Skill } from '../../src/skill/skill.ts'
import { makeSkill } from '../support/skill.ts'
import { temporaryFolder } from '../support/temporary.ts'

function skillOf(files: Readonly<Record<string, string>>): Skill {
  const skill = readSkill(makeSkill(files).base)
  if (!skill) throw new Error('no skill')
  return skill
}

test.each([
  [['scripts/a.py', 'scripts/b.sh'], { 'scripts/a.py': 'a', 'scripts/b.sh': 'b' }],
  [
    ['scripts/parser.py', 'scripts/utils/parser.py'],
    { 'scripts/parser.py': 'parser', 'scripts/utils/parser.py': 'utils.parser' },
  ],
  [['scripts/x/p.py', 'scripts/y/p.py'], { 'scripts/x/p.py': 'x.p', 'scripts/y/p.py': 'y.p' }],
  [['scripts/a.py', 'scripts/a.sh'], { 'scripts/a.py': 'a.py', 'scripts/a.sh': 'a.sh' }],
  [['a.py', 'scripts/a.py'], { 'a.py': 'a.py', 'scripts/a.py': 'a' }],
])('the names of %j', (paths, names) => {
  const named = nameScripts(paths)
  expect(Object.fromEntries([...named].map(([path, parts]) => [path, parts.join('.')]))).toEqual(names)
})

test('every script has a name of its own, whatever their order', () => {
  const part = fc.constantFrom('a', 'b', 'scripts', 'a.b')
  const path = fc
    .tuple(fc.array(part, { maxLength: 3 }), part, fc.constantFrom('.py', '.sh', ''))
    .map(([folders, stem, extension]) => [...folders, stem + extension].join('/'))
  fc.assert(
    fc.property(fc.uniqueArray(path, { maxLength: 12 }), (paths) => {
      const named = nameScripts(paths)
      const joined = [...named.values()].map((parts) => parts.join('\0'))
      expect(new Set(joined).size).toBe(joined.length)
      const reversed = nameScripts(paths.toReversed())
      for (const [one, parts] of named) expect(reversed.get(one)).toEqual(parts)
    }),
  )
})

test('what is never looked into: dependencies, caches, hidden folders', () => {
  const folders = ['node_modules', '.git', '.venv', '__pycache__', '.hidden', 'scripts/node_modules/x']
  const files = Object.fromEntries(folders.map((folder) => [`${folder}/a.py`, 'print(1)']))
  expect(detectScripts(skillOf({ ...files, 'scripts/.hidden.py': 'print(1)' })).scripts).toEqual([])
})

test.each([
  ['a.py', 'def f():\n    return 1\n', true],
  ['a.py', '"""Doc"""\nimport os\nX = 1\n\nclass A:\n    pass\n', true],
  ['a.py', 'def main():\n    pass\n\nif __name__ == "__main__":\n    main()\n', false],
  ['a.py', 'import json, sys\ndata = json.load(sys.stdin)\nprint(data)\n', false],
  ['a.py', 'import sys; print(1)', false],
  ['__init__.py', 'print(1)', true],
  ['a.js', 'module.exports = { f() {} }\n', true],
  ['a.mjs', 'export function f() {\n  return 1\n}\n', true],
  ['a.js', 'const x = process.argv[2]\nconsole.log(x)\n', false],
  ['a.js', 'main()\n', false],
  ['a.sh', 'f() {\n  echo 1\n}\nX=1\n', true],
  ['a.sh', 'f() {\n  echo 1\n}\nf\n', false],
  ['a.rb', 'module A\n  def self.x\n  end\nend\n', true],
  ['a.rb', 'puts 1\n', false],
  ['a.pl', 'package A;\nuse strict;\nsub f { 1 }\n1;\n', true],
  ['a.pl', 'print "x";\n', false],
])('%s with %j is a library: %s', (path, text, expected) => {
  const language = languageOf(path.replace(/^.*(?=\.)/, ''))
  expect(language && isLibrary(text, path, language)).toBe(expected)
})

test('tests are no tools', () => {
  const files = ['tests/a.py', 'scripts/test_a.py', 'scripts/a_test.py', 'a.test.js', 'a.spec.ts', 'conftest.py']
  expect(files.filter((file) => !isTestFile(file))).toEqual([])
  expect(isTestFile('scripts/latest.py')).toBe(false)
})

test('libraries are told apart, and a file that is marked as a program is none', () => {
  const files = { 'lib.py': 'X = 1\n', 'run.py': '#!/usr/bin/env python3\nX = 1\n', 'types.d.ts': 'declare const x: 1' }
  const { scripts, libraries } = detectScripts(skillOf(files))
  expect(scripts.map(({ path }) => path)).toEqual(['run.py'])
  expect(libraries.toSorted()).toEqual(['lib.py', 'types.d.ts'])
})

test.each([
  ['#!/usr/bin/env python3\n', ['python3']],
  ['#!/usr/bin/env -S node --no-warnings\n', ['node', '--no-warnings']],
  ['#!/usr/bin/env A=1 ruby\n', ['ruby']],
  ['#! /bin/sh -e\r\n', ['/bin/sh', '-e']],
  ['echo', []],
])('the first line %j names %j', (text, words) => {
  expect(shebangOf(text)).toEqual(words)
})

test('links out of the skill are not read: they are refused, with a warning', () => {
  const secret = join(temporaryFolder(), 'secret.py')
  writeFileSync(secret, '"""Secret text."""\nprint(1)')
  const skill = skillOf({ 'scripts/a.sh': 'echo 1' })
  symlinkSync(secret, join(skill.base, 'scripts/link.py'))
  const detected = detectScripts(skill)
  expect(detected.scripts.map(({ path }) => path)).toEqual(['scripts/a.sh'])
  expect(detected.refused).toEqual(['scripts/link.py'])
  expect(detected.warnings[0]).toContain('outside its skill')
  expect(JSON.stringify(detected)).not.toContain('Secret text')
})

test('a pipe, a folder with a script name and a file that nobody may read do no harm', () => {
  const skill = skillOf({ 'folder.py/inner.sh': 'echo 1', 'closed.sh': 'echo 1' })
  execFileSync('mkfifo', [join(skill.base, 'pipe.py')])
  chmodSync(join(skill.base, 'closed.sh'), 0)
  const paths = detectScripts(skill).scripts.map(({ path }) => path)
  expect(paths).toContain('folder.py/inner.sh')
  expect(paths).not.toContain('pipe.py')
})

test('five thousand files are looked through in a moment', () => {
  const files = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`data/${at % 50}/f${at}.txt`, 'x']))
  const skill = skillOf({ ...files, 'scripts/a.sh': 'echo 1' })
  const started = performance.now()
  const { scripts, resources } = detectScripts(skill)
  expect(performance.now() - started).toBeLessThan(2_000)
  expect(scripts).toHaveLength(1)
  expect(resources.length).toBe(200)
})
