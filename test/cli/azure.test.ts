// `legwork export azure DIR`: names that read back for whole catalogues, bindings, and a handler that runs what it exports.

import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { azureFunctions } from '../../src/cli/export-azure.ts'
import { defineTool, fromAzureName } from '../../src/index.ts'
import { runLegwork } from '../support/command.ts'
import { openLegwork } from '../support/legwork.ts'
import { makeProject } from '../support/project.ts'

const identifier = fc.stringMatching(/^[a-zA-Z_$][a-zA-Z0-9_$]{0,12}$/)
const id = fc.oneof(
  identifier,
  fc.tuple(identifier, identifier).map(([module, name]) => `${module}:${name}`),
)

test('every name of a catalogue reads back, and no two are one', () => {
  fc.assert(
    fc.property(fc.uniqueArray(id), (ids) => {
      const { functions, leftOut } = azureFunctions(ids.map((each) => ({ id: each })))
      expect(functions.length + leftOut.length).toBe(ids.length)
      for (const { tool, name } of functions) expect(fromAzureName(name)).toBe(tool)
      expect(new Set(functions.map(({ name }) => name.toLowerCase())).size).toBe(functions.length)
    }),
  )
})

test.each([
  ['$:_', 'Azure takes no function'],
  ['_private:read', 'Azure takes no function'],
  ['demo:cost$', 'Azure takes no function'],
  ['Demo:Echo', 'its name is that of "demo:echo"'],
  [`a:${'b'.repeat(200)}`, 'Azure takes no function'],
])('%s is left out, with the reason', (tool, reason) => {
  const { functions, leftOut } = azureFunctions([{ id: 'demo:echo' }, { id: tool }])
  expect(functions).toEqual([{ tool: 'demo:echo', name: 'demo--echo' }])
  expect(leftOut).toEqual([{ tool, reason: expect.stringContaining(reason) }])
})

test('each name leads to its tool through the catalogue', async () => {
  const ids = ['demo:echo', 'ai:analyzeText', 'echo', 'my_module:my_function', 'a_b', 'a:b']
  const legwork = await openLegwork({
    functions: ids.map((name) => defineTool({ name, description: '', run: () => name })),
  })
  for (const { tool, name } of azureFunctions(await legwork.tools()).functions) {
    expect(await legwork.call({ tool: name })).toMatchObject({ ok: true, tool, value: tool })
  }
})

test('one folder a tool, with bindings; and the handler runs what it is called by', async () => {
  const cwd = makeProject()
  const { exitCode, stdout } = await runLegwork(['export', 'azure', 'app', '--json'], { cwd })
  expect(exitCode).toBe(0)
  const { functions } = JSON.parse(stdout)
  expect(functions).toContainEqual({ tool: 'demo:echo', name: 'demo--echo' })
  const app = join(cwd, 'app')
  const folders = readdirSync(app, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  expect(folders.map(({ name }) => name).sort()).toEqual(functions.map(({ name }: { name: string }) => name).sort())
  expect(JSON.parse(readFileSync(join(app, 'demo--echo/function.json'), 'utf8'))).toEqual({
    bindings: [
      {
        type: 'httpTrigger',
        direction: 'in',
        name: 'request',
        authLevel: 'function',
        methods: ['post'],
        route: 'demo--echo',
      },
      { type: 'http', direction: 'out', name: '$return' },
    ],
    scriptFile: '../legwork.mjs',
    entryPoint: 'run',
  })
  expect(JSON.parse(readFileSync(join(app, 'host.json'), 'utf8'))).toMatchObject({ version: '2.0' })

  mkdirSync(join(app, 'node_modules'))
  symlinkSync(join(import.meta.dirname, '../..'), join(app, 'node_modules/legwork'))
  writeFileSync(
    join(app, 'legwork.jsonc'),
    JSON.stringify({ functions: ['../tools.ts'], journal: { path: ':memory:' } }),
  )
  const { run } = await import(pathToFileURL(join(app, 'legwork.mjs')).href)
  const call = async (functionName: string, body?: unknown) => {
    const { status, body: text } = await run({ executionContext: { functionName } }, { body })
    return { status, outcome: JSON.parse(text) }
  }
  expect(await call('demo--echo', { message: 'hi' })).toMatchObject({
    status: 200,
    outcome: { ok: true, tool: 'demo:echo' },
  })
  expect(await call('demo--echo', { message: 7 })).toMatchObject({ status: 400, outcome: { code: 'invalid-input' } })
  expect(await call('demo--nothing')).toMatchObject({ status: 404 })
  expect(await call('demo--destroy', { what: 'x' })).toMatchObject({
    status: 403,
    outcome: { code: 'approval-needed' },
  })
})

test('a file is no folder, whatever --force says', async () => {
  const cwd = makeProject({ 'app.txt': 'mine' })
  for (const more of [[], ['--force']]) {
    const refused = await runLegwork(['export', 'azure', 'app.txt', ...more], { cwd })
    expect(refused).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('"app.txt" is a file. Name a folder.'),
    })
  }
})

test('a folder that has something in it is left alone, unless --force says otherwise', async () => {
  const cwd = makeProject()
  mkdirSync(join(cwd, 'app'))
  writeFileSync(join(cwd, 'app/mine.txt'), 'mine')
  const refused = await runLegwork(['export', 'azure', 'app'], { cwd })
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('has something in it') })
  expect(readdirSync(join(cwd, 'app'))).toEqual(['mine.txt'])
  const forced = await runLegwork(['export', 'azure', 'app', '--force'], { cwd })
  expect(forced).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^Wrote app: \d+ functions\.\n$/) })
  expect(readFileSync(join(cwd, 'app/mine.txt'), 'utf8')).toBe('mine')
})
