import { globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { install, type Layout, manifest, pack, root, runIn } from './installed.ts'

const peers = Object.keys(manifest.peerDependencies)
let packed: ReturnType<typeof pack>
const projects = new Map<string, string>()

beforeAll(() => {
  packed = pack()
})
afterAll(() => {
  for (const project of projects.values()) rmSync(project, { recursive: true, force: true })
  packed.remove()
})

/** One project a layout. */
function project(layout: Layout): string {
  const key = JSON.stringify(layout)
  const made = projects.get(key) ?? install(packed.folder, layout)
  projects.set(key, made)
  return made
}

test('the package has what it needs and nothing else', () => {
  const files = globSync('**/*', { cwd: packed.folder, withFileTypes: true }).filter((entry) => entry.isFile())
  const hidden = ['plugins/claude-code/.mcp.json', 'plugins/claude-code/.claude-plugin/plugin.json']
  for (const file of [
    'README.md',
    'CHANGELOG.md',
    'LICENSE',
    'schema.json',
    'metadata/git.json',
    'dist/parts/deno-types.txt',
    ...hidden,
  ])
    expect(statSync(join(packed.folder, file)).isFile(), file).toBe(true)
  const odd = files.map(({ parentPath, name }) => join(parentPath, name).slice(packed.folder.length + 1))
  expect(odd.filter((file) => /(^|\/)(test|src|bench|examples)\/|\.tsbuildinfo$|(?<!\.d)\.ts$/.test(file))).toEqual([])
  for (const file of odd.filter((name) => name.startsWith('dist/')))
    expect(readFileSync(join(packed.folder, file), 'utf8').includes(root), file).toBe(false)
})

test.each([
  { manager: 'npm', type: 'module' },
  { manager: 'pnpm', type: 'module' },
  { manager: 'npm', type: 'commonjs' },
] as const)('every door that needs no other package works from JavaScript, installed as %j', async (layout) => {
  const { stdout, stderr, exitCode } = await runIn(project(layout), process.execPath, ['doors.mjs'])
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
  expect(JSON.parse(stdout)).toEqual({
    call: 'Hello, Ada',
    program: '0 package.json',
    script: 'Hello, Ada',
    contract: { success: true, result: 42 },
    contractDoor: { success: true, result: 42 },
    document: 'Hello, Ada',
    skill: 'hello\n',
    executor: 0,
    toolcall: 3,
  })
})

test('a CommonJS project requires every door, and import() gives the same modules', async () => {
  const folder = project({ manager: 'npm', type: 'commonjs', beside: peers })
  const { stdout, stderr, exitCode } = await runIn(folder, process.execPath, ['common.cjs'])
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
  const { doors, required, imported, value } = JSON.parse(stdout)
  expect(doors).toBeGreaterThan(9)
  expect([...required, ...imported].every(Boolean)).toBe(true)
  expect(value).toEqual({ a: 1 })
})

test.each([
  ['as Node finds modules', { module: 'nodenext' }],
  ['as bundlers find them', { module: 'esnext', moduleResolution: 'bundler' }],
])('TypeScript knows the types of every door, %s', async (_, resolution) => {
  const folder = project({ manager: 'npm', type: 'module', beside: [...peers, '@types/node'] })
  const compilerOptions = { ...resolution, target: 'es2024', strict: true, noEmit: true, types: ['node'] }
  const more = { exactOptionalPropertyTypes: true, skipLibCheck: true }
  const settings = { compilerOptions: { ...compilerOptions, ...more }, include: ['typed.ts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  const checked = await runIn(folder, process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'])
  expect(checked).toEqual({ exitCode: 0, stdout: '', stderr: '' })
})

test('a TypeScript program that uses every door runs as it is', async () => {
  const folder = project({ manager: 'npm', type: 'module', beside: [...peers, '@types/node'] })
  const { stdout, exitCode } = await runIn(folder, process.execPath, ['typed.ts'])
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    value: 3,
    report: true,
    aiSdk: ['demo--add', 'hello__hello'],
    langchain: 2,
    agents: 2,
  })
})

test('on a Node that is too old the library says so, imported or required', async () => {
  const folder = project({ manager: 'npm', type: 'module' })
  // An old one fails at a module that it does not have before it runs a line.
  for (const file of globSync('dist/**/*.js', { cwd: packed.folder }))
    expect(/from ?["']node:sqlite/.test(readFileSync(join(packed.folder, file), 'utf8')), file).toBe(false)
  const pretend = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.20.2'}})`
  for (const program of ["import('legwork')", "require('legwork')"]) {
    const { exitCode, stderr } = await runIn(folder, process.execPath, ['--import', pretend, '-e', program])
    expect(exitCode).toBe(1)
    expect(stderr).toContain('Legwork needs Node 24 or later; this is Node 20.20.2. Get one from https://nodejs.org.')
  }
})

test('the declarations are whole by themselves: those of the library need nothing but Node’s', async () => {
  const folder = project({ manager: 'npm', type: 'module', beside: ['@types/node'] })
  const doors = [
    'legwork',
    ...['program', 'skill', 'document', 'contract', 'toolcall'].map((door) => `legwork/${door}`),
  ]
  writeFileSync(join(folder, 'whole.ts'), doors.map((door, at) => `export * as door${at} from '${door}'\n`).join(''))
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable'],
    strict: true,
    noEmit: true,
    types: ['node'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['whole.ts'] }))
  const { stdout } = await runIn(folder, process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'])
  expect(stdout.split('\n').filter((line) => line.includes('legwork/dist') || line.startsWith('whole.ts'))).toEqual([])
})

test.each([
  { manager: 'npm', type: 'module' },
  { manager: 'pnpm', type: 'module' },
] as const)('the command works, installed as %j', async (layout) => {
  const folder = project(layout)
  writeFileSync(join(folder, 'legwork.jsonc'), '{ "programs": { "wc": {} } }')
  const legwork = (...words: string[]) => runIn(folder, join(folder, 'node_modules/.bin/legwork'), words)
  expect(await legwork('--version')).toEqual({ exitCode: 0, stdout: `${manifest.version}\n`, stderr: '' })
  expect((await legwork('call', 'wc', '{"files": ["package.json"], "lines": true}')).stdout).toBe('0 package.json\n')
  writeFileSync(
    join(folder, 'script.ts'),
    "import { tools } from 'toolscript'\nreturn await tools.wc({ files: ['package.json'], lines: true })\n",
  )
  expect((await legwork('run', 'script.ts')).stdout).toContain('0 package.json')
  const { exitCode, stdout } = await legwork('doctor', '--json')
  expect({ exitCode, ok: JSON.parse(stdout).ok }).toEqual({ exitCode: 0, ok: true })
})

test('an adapter whose package is not there says so when it is imported, and the rest works', async () => {
  const folder = project({ manager: 'npm', type: 'module' })
  const { exitCode, stderr } = await runIn(folder, process.execPath, ['-e', "import('legwork/langchain')"])
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('@langchain/core') })
  const door = "import('legwork/ai-sdk').then(({ aiSdkTools }) => console.log(typeof aiSdkTools))"
  expect((await runIn(folder, process.execPath, ['-e', door])).stdout).toBe('function\n')
})
