import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NameError } from '../../src/model/errors.ts'
import { allSpellings, camelCase, fromAzureName, idPattern, spell, toAzureName } from '../../src/model/name.ts'
import type { ToolKind } from '../../src/model/tool.ts'

const plainly = (kind: ToolKind, module: string | undefined, ...path: string[]) =>
  spell(kind, { ...(module !== undefined && { module }), path }, () => false).spellings

describe('the table of spellings', () => {
  test.each([
    ['mcp', 'github', ['create_issue'], 'github:createIssue', 'github__create_issue', 'github__create_issue'],
    ['program', 'gh', ['pr', 'create'], 'gh:prCreate', 'gh__pr_create', 'gh_pr_create'],
    ['skill', 'pdf-extractor', ['extract'], 'pdfExtractor:extract', 'pdf-extractor__extract', 'pdf-extractor__extract'],
    ['function', 'demo', ['echo'], 'demo:echo', 'demo__echo', 'demo--echo'],
    ['function', 'ai', ['analyzeText'], 'ai:analyzeText', 'ai__analyzeText', 'ai--analyzeText'],
    ['program', undefined, ['tree'], 'tree', 'tree', 'tree'],
    ['function', undefined, ['echo'], 'echo', 'echo', 'echo'],
    [
      'document',
      'custom',
      ['search_the_web'],
      'custom:searchTheWeb',
      'custom__search_the_web',
      'custom__search_the_web',
    ],
  ] as const)('%s %s %s', (kind, module, path, id, wire, provider) => {
    const spellings = plainly(kind, module, ...path)
    expect(spellings).toMatchObject({ id, wire, provider, script: `tools.${id.replace(':', '.')}` })
  })

  test('a skill keeps the spelling of its own spec', () => {
    expect(plainly('skill', 'pdf-extractor', 'extract').skill).toBe('pdf-extractor.extract')
  })
})

const part = fc.oneof(
  fc.string({ minLength: 1, maxLength: 200, unit: fc.constantFrom(...'abAB01_-.$/ é日本🙂') }),
  fc.constantFrom(
    'delete',
    'constructor',
    '__proto__',
    'a-b',
    'a_b',
    'aB',
    '日本',
    'x'.repeat(200),
    '1st',
    '..',
    'tools',
  ),
)
const kinds = ['program', 'skill', 'mcp', 'document', 'contract'] as const
const anyName = fc.record({
  kind: fc.constantFrom(...kinds),
  name: fc.record({ module: part, path: fc.array(part, { minLength: 1, maxLength: 3 }) }),
})

test('any set of names gives valid, distinct, reversible spellings', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(anyName, { minLength: 1, maxLength: 30, selector: (it) => JSON.stringify(it) }),
      (names) => {
        const index = new Map<string, number>()
        const every = names.map(({ kind, name }, at) => {
          const { spellings } = spell(kind, name, (text) => index.has(text))
          for (const spelling of allSpellings(spellings)) index.set(spelling, at)
          return spellings
        })
        for (const [at, spellings] of every.entries()) {
          expect(spellings.id).toMatch(idPattern)
          expect(spellings.provider).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
          expect(spellings.wire).toMatch(/^[a-zA-Z0-9_.-]+$/)
          for (const spelling of allSpellings(spellings)) expect(index.get(spelling)).toBe(at)
        }
      },
    ),
  )
})

test('a clash is disambiguated the same way every time', () => {
  const taken = new Set(allSpellings(plainly('mcp', 'x', 'a-b')))
  const again = () => spell('mcp', { module: 'x', path: ['a_b'] }, (text) => taken.has(text))
  expect(again()).toEqual(again())
  expect(again().spellings.id).toMatch(/^x:aB_[0-9a-f]{4}$/)
  expect(again().disambiguated).toContain(again().spellings.id)
})

test('demo:echo and demo--echo lead to each other', () => {
  expect(toAzureName('demo:echo')).toBe('demo--echo')
  expect(fromAzureName('demo--echo')).toBe('demo:echo')
  expect(toAzureName('echo')).toBe('echo')
  const identifier = fc.stringMatching(/^[a-zA-Z_$][a-zA-Z0-9_$]{0,20}$/)
  fc.assert(
    fc.property(fc.option(identifier), identifier, (module, name) => {
      const id = module ? `${module}:${name}` : name
      expect(fromAzureName(toAzureName(id))).toBe(id)
    }),
  )
})

test.each(['ai:analyze-text', 'a:b:c', '', 'a b', '1a', 'a:'])(
  'the name %j breaks the grammar, and the message shows one that does not',
  (name) => {
    let thrown: unknown
    try {
      toAzureName(name)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(NameError)
    expect((thrown as NameError).suggestion).toMatch(idPattern)
  },
)

test.each([
  ['create_issue', 'createIssue'],
  ['createIssue', 'createIssue'],
  ['PDF-Extractor', 'pdfExtractor'],
  ['HTTP', 'http'],
  ['Search The Web', 'searchTheWeb'],
  ['1st', '_1st'],
  ['日本', 'u65e5u672c'],
  ['café', 'cafe'],
  ['__proto__', 'proto'],
])('%s in camelCase is %s', (name, expected) => {
  expect(camelCase(name)).toBe(expected)
})
