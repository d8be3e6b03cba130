import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allowsScripts, preapproves, readAllowedTools } from '../../src/skill/allowed-tools.ts'
import { checkSkill } from '../../src/skill/check-skill.ts'
import { discoverSkills, usualPlaces } from '../../src/skill/discover.ts'
import { readFrontMatter } from '../../src/skill/front-matter.ts'
import { readInstructions, readSkill } from '../../src/skill/skill.ts'
import { makeSkill } from '../support/skill.ts'
import { temporaryFolder } from '../support/temporary.ts'

test.each([
  ['plain lines', 'name: a\ndescription: Does b', { name: 'a', description: 'Does b' }],
  ['quotes', 'name: "a"\ndescription: \'it: does\'', { name: 'a', description: 'it: does' }],
  ['a folded text', 'name: a\ndescription: >\n  one\n  two', { name: 'a', description: 'one two\n' }],
  ['a comment', '# hi\nname: a # b', { name: 'a' }],
  ['a number', 'version: 1.5', { version: 1.5 }],
  [
    'a list and a map',
    'allowed-tools: [A, B]\nmetadata:\n  k: v',
    { 'allowed-tools': ['A', 'B'], metadata: { k: 'v' } },
  ],
  ['CRLF', 'name: a\r\ndescription: b', { name: 'a', description: 'b' }],
])('a head of %s is read', (_, head, fields) => {
  const read = readFrontMatter(`---\n${head}\n---\nBody`)
  expect({ ...read.fields }).toEqual(fields)
  expect(read.warnings).toEqual([])
})

test('a head that is no YAML keeps what can be read of it, with a warning', () => {
  const read = readFrontMatter('---\nname: a\ndescription: Use when: always\n---\nBody')
  expect({ ...read.fields }).toEqual({ name: 'a', description: 'Use when: always' })
  expect(read.warnings[0]).toContain('not valid YAML')
})

test.each([
  ['no head', 'Just text', 'There is no head'],
  ['a head without an end', '---\nname: a\nBody', 'not closed'],
  ['a head that is a list', '---\n- a\n- b\n---\n', 'no list of fields'],
])('%s is a warning', (_, text, warning) => {
  expect(readFrontMatter(text).warnings[0]).toContain(warning)
})

test('a bomb of aliases does not explode', () => {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
  for (let at = 1; at < 12; at++)
    lines.push(
      `a${at}: &a${at} [${Array(10)
        .fill(`*a${at - 1}`)
        .join(', ')}]`,
    )
  const started = performance.now()
  expect(readFrontMatter(`---\nname: x\n${lines.join('\n')}\n---\n`).warnings[0]).toContain('not valid YAML')
  expect(performance.now() - started).toBeLessThan(5_000)
})

test('a SKILL.md of 10 MB is read as far as it has to be', () => {
  const { base } = makeSkill({}, { body: 'x'.repeat(10_000_000) })
  const skill = readSkill(base)
  expect(skill).toMatchObject({ name: 'pdf-extractor', hasPrompt: true })
  if (!skill) return
  const { text, warnings } = readInstructions(skill)
  expect(text.length).toBeLessThan(1_100_000)
  expect(warnings[0]).toContain('the rest was left out')
})

test('fields of the standard are there; the version may stand in the metadata', () => {
  const head = 'license: MIT\ncompatibility: Needs git\nmetadata:\n  version: "1.2"\nallowed-tools: Bash(git:*) Read'
  expect(readSkill(makeSkill({}, { head }).base)).toMatchObject({
    license: 'MIT',
    compatibility: 'Needs git',
    version: '1.2',
    allowedTools: ['Bash(git:*)', 'Read'],
    warnings: [],
  })
})

test.each([
  ['Bash, Read', ['Bash', 'Read']],
  ['Bash Read', ['Bash', 'Read']],
  [
    ['Bash', 'Read'],
    ['Bash', 'Read'],
  ],
  ['Bash(git diff:*), Read', ['Bash(git diff:*)', 'Read']],
  ['', undefined],
  [null, undefined],
  [[], undefined],
])('allowed-tools %j are %j', (field, entries) => {
  expect(readAllowedTools(field)).toEqual(entries)
})

test('what speaks of Bash allows scripts, and nothing that merely looks like it', () => {
  for (const entry of ['Bash', 'Bash(*)', 'Bash(git:*)']) expect(allowsScripts(['Read', entry]), entry).toBe(true)
  for (const entry of ['bash', 'BashOutput', 'XBash', 'KillBash']) expect(allowsScripts([entry]), entry).toBe(false)
  expect(allowsScripts(undefined)).toBe(true)
})

test('a command is approved in advance by all of Bash, or by the words that it begins with', () => {
  const command = ['python3', 'scripts/a.py']
  expect(preapproves(['Bash'], command)).toBe(true)
  expect(preapproves(['Bash(python3:*)'], command)).toBe(true)
  expect(preapproves(['Bash(python3 scripts/a.py)'], command)).toBe(true)
  expect(preapproves(['Bash(python3)'], command)).toBe(false)
  expect(preapproves(['Bash(git:*)', 'Read'], command)).toBe(false)
  expect(preapproves(undefined, command)).toBe(false)
})

test('strictly, every breach of the standard is a fault', () => {
  const faultsOf = (head: string, name = 'a-b') => {
    const { base } = makeSkill({}, { name })
    writeFileSync(join(base, 'SKILL.md'), `---\n${head}\n---\nBody`)
    const skill = readSkill(base)
    return skill ? checkSkill(skill).join(' ') : ''
  }
  expect(faultsOf('name: a-b\ndescription: Does')).toBe('')
  expect(faultsOf('name: A_b\ndescription: Does')).toContain('Write "a-b"')
  expect(faultsOf('name: other\ndescription: Does')).toContain('not that of its folder')
  expect(faultsOf(`name: a-b\ndescription: ${'d'.repeat(1_025)}`)).toContain('has 1025 characters')
  expect(faultsOf('name: a-b')).toContain('no description')
  expect(faultsOf('name: a-b\ndescription: Does\nallowed_tools: Bash')).toContain('Did you mean "allowed-tools"?')
  expect(faultsOf('name: a-b\ndescription: Does\nmetadata:\n  a: 1')).toContain('in quotes')
})

const places = (...paths: string[]) => paths.map((path) => ({ path, settings: path, isNamed: true }))

test('a folder that is a skill, that holds skills, and that holds folders of skills', () => {
  const root = temporaryFolder()
  makeSkill({}, { name: 'one', root })
  makeSkill({}, { name: 'two', root: join(root, 'group') })
  makeSkill({}, { name: 'hidden', root: join(root, '.git') })
  mkdirSync(join(root, 'none/scripts'), { recursive: true })
  const names = (path: string) => discoverSkills(places(path)).skills.map(({ skill }) => skill.name)
  expect(names(root)).toEqual(['two', 'one'])
  expect(names(join(root, 'one'))).toEqual(['one'])
})

test('of two skills of one name the first wins, with a warning; the same folder twice is no second skill', () => {
  const project = temporaryFolder()
  const home = temporaryFolder()
  makeSkill({}, { name: 'same', root: project })
  makeSkill({}, { name: 'same', root: home })
  const found = discoverSkills(places(project, home, project))
  expect(found.skills.map(({ settings }) => settings)).toEqual([project])
  expect(found.warnings).toEqual([`There are two skills "same": ${project}/same wins over ${home}/same.`])
})

test('a named folder that does not exist, or holds no skill, is a warning', () => {
  const empty = temporaryFolder()
  const found = discoverSkills(places(join(empty, 'missing'), empty))
  expect(found.warnings).toEqual([
    expect.stringContaining('does not exist'),
    expect.stringContaining('There is no skill in'),
  ])
})

test('a link to a skill elsewhere is a skill, and a cycle of links ends', () => {
  const elsewhere = temporaryFolder()
  makeSkill({}, { name: 'linked', root: elsewhere })
  const root = temporaryFolder()
  symlinkSync(join(elsewhere, 'linked'), join(root, 'linked'))
  symlinkSync(root, join(root, 'cycle'))
  expect(discoverSkills(places(root)).skills.map(({ skill }) => skill.base)).toEqual([join(root, 'linked')])
})

test('the usual places: three folders in the project, then the same at home', () => {
  expect(usualPlaces('/p', '/h')).toEqual([
    '/p/.claude/skills',
    '/p/.agents/skills',
    '/p/skills',
    '/h/.claude/skills',
    '/h/.agents/skills',
    '/h/skills',
  ])
})

test('a SKILL.md that is gone, a folder or a pipe is no skill', () => {
  const { base } = makeSkill({})
  rmSync(join(base, 'SKILL.md'))
  expect(readSkill(base)).toBeUndefined()
  mkdirSync(join(base, 'SKILL.md'))
  expect(readSkill(base)).toBeUndefined()
})
