import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { expect, test } from 'vitest'

/** The rules of the house: which folder may import which. */
const stages = ['catalogue', 'validate', 'policy', 'run', 'outcome', 'journal']
const systems = ['function', 'program', 'toolscript', 'document', 'contract', 'toolcall', 'skill', 'mcp']
const root = join(import.meta.dirname, '../../src')

const allowed: Record<string, readonly string[]> = {
  base: ['base'],
  model: ['base', 'model'],
  configuration: ['base', 'model', 'configuration'],
  ...Object.fromEntries(stages.map((stage) => [stage, ['base', 'model', stage]])),
  sandbox: ['base', 'model', 'run', 'sandbox'],
  ...Object.fromEntries(systems.map((system) => [system, ['base', 'model', 'sandbox', ...stages, system]])),
  engine: ['base', 'model', 'engine', ...stages],
}

interface Import {
  readonly file: string
  readonly folder: string
  readonly target: string
}

function readImports(): Import[] {
  return globSync('**/*.ts', { cwd: root }).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '')
    return targets.map((target) => ({ file, folder: file.includes('/') ? dirname(file) : '', target }))
  })
}

const imports = readImports()
const own = imports.filter(({ target }) => target.startsWith('.'))

/** The broken rules, as sentences; a pure function, so that a test can break each of them. */
function breaches(list: readonly Import[]): string[] {
  return list.flatMap(({ file, folder, target }) => {
    const [to = ''] = relative('.', normalize(join(folder, target))).split('/')
    const may = allowed[folder]
    return may && !may.includes(to) ? [`${file} imports ${target}: ${folder} may not use ${to}`] : []
  })
}

test('there is something to read', () => {
  expect(own.length).toBeGreaterThan(50)
})

test('dependencies point one way: base, model, stages, engine; a system uses no other system and no engine', () => {
  expect(breaches(own)).toEqual([])
})

test.each([
  ['base/json.ts', 'base', '../model/tool.ts'],
  ['model/tool.ts', 'model', '../engine/execute.ts'],
  ['policy/decide.ts', 'policy', '../journal/journal.ts'],
  ['program/source.ts', 'program', '../engine/execute.ts'],
  ['program/source.ts', 'program', '../function/source.ts'],
  ['engine/execute.ts', 'engine', '../program/source.ts'],
])('%s in %s may not import %s', (file, folder, target) => {
  expect(breaches([{ file, folder, target }])).toHaveLength(1)
})

test('every folder has its rule, or is one that joins the others', () => {
  const joining = ['', 'cli', 'cli/clients', 'cli/completion', 'cli/doctor', 'doors', 'gateway', 'adapters']
  const folders = new Set(imports.map(({ folder }) => folder))
  expect([...folders].filter((folder) => !(folder in allowed) && !joining.includes(folder))).toEqual([])
})

test('only run and sandbox start processes', () => {
  const starters = imports.filter(({ target }) => /^(node:)?(child_process|cluster)$/.test(target))
  expect(starters.filter(({ folder }) => folder !== 'run' && folder !== 'sandbox')).toEqual([])
})

test('model, validate, policy and outcome do no input or output', () => {
  const pure = ['model', 'validate', 'policy', 'outcome']
  const world =
    /^(node:)?(fs|net|http|https|http2|dgram|child_process|worker_threads|os|process|readline|dns|tls|sqlite)(\/|$)/
  expect(imports.filter(({ folder, target }) => pure.includes(folder) && world.test(target))).toEqual([])
})

test('nothing runs through a shell', () => {
  const shelled = globSync('**/*.ts', { cwd: root }).filter((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    return (
      (text.includes('child_process') && /\bshell:\s*(?!false\b)/.test(text)) ||
      /\bexec(Sync)?\b[^}]*\} from 'node:child_process'/.test(text)
    )
  })
  expect(shelled).toEqual([])
})

test('every door is a subpath of the package, and every subpath leads to a file', () => {
  const packaged = JSON.parse(readFileSync(join(root, '../package.json'), 'utf8'))
  const doors = globSync('doors/**/*.ts', { cwd: root }).map((file) => `.${file.slice('doors'.length, -'.ts'.length)}`)
  const subpaths = Object.keys(packaged.exports)
  expect(doors.filter((door) => !subpaths.includes(door))).toEqual([])
  for (const target of Object.values<{ default: string } | string>(packaged.exports)) {
    const built = typeof target === 'string' ? target : target.default
    const source = built.replace('./dist/', './src/').replace(/\.js$/, '.ts')
    expect(globSync(source, { cwd: join(root, '..') }), built).toHaveLength(1)
  }
})
