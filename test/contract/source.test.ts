import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { Catalogue } from '../../src/catalogue/catalogue.ts'
import { hasSource, readContractFile } from '../../src/contract/compose-file.ts'
import { type ContractOptions, type ContractRequest, contractDefinition } from '../../src/contract/definition.ts'
import { contractSource } from '../../src/contract/source.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { defineTool } from '../../src/function/define-tool.ts'
import { functionSource } from '../../src/function/source.ts'
import { memoryJournal } from '../../src/journal/memory.ts'
import type { ApprovalRequest } from '../../src/model/decision.ts'
import { createRedactor } from '../../src/outcome/redact.ts'
import { makePolicy } from '../../src/policy/policy.ts'
import { temporaryFolder } from '../support/temporary.ts'

const harmless = { destructive: false, network: false, filesystem: { write: false } } as const

/** A whole engine with a few functions and the contracts of a folder. */
async function makeEngine(
  files: Readonly<Record<string, string>> = {},
  approve?: (request: ApprovalRequest) => Promise<boolean>,
) {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'contracts'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'contracts', name), text)
  const catalogue = new Catalogue()
  const tools = [
    defineTool({ name: 'demo:add', description: 'Adds', effects: harmless, run: ({ a, b }) => Number(a) + Number(b) }),
    defineTool({ name: 'demo:destroy', description: 'Destroys', effects: { destructive: true }, run: () => 'gone' }),
    defineTool({
      name: 'demo:slow',
      description: 'Waits',
      effects: harmless,
      limits: { timeoutMs: 20 },
      run: () => new Promise(() => {}),
    }),
    defineTool({ name: 'demo:buy', description: 'Buys', effects: { cost: { billable: true } }, run: () => 'bought' }),
  ]
  await catalogue.add(functionSource('functions', tools))
  await catalogue.add(contractSource({ folder, patterns: ['./contracts/*.yaml'], files: { root: folder } }))
  const journal = memoryJournal()
  const engine = createEngine({
    catalogue,
    journal,
    policy: makePolicy({ deny: ['demo:buy'] }),
    redactor: createRedactor({ values: ['s3cret-value'], patterns: [] }),
    clock: systemClock,
    ...(approve && { approve }),
  })
  const contract = (request: ContractRequest, options?: ContractOptions) =>
    engine.executeTool(contractDefinition(request, options), { input: request })
  return { engine, catalogue, journal, contract, folder }
}

test('a script reaches every tool by any spelling, and each call is in the journal under it', async () => {
  const { contract, journal } = await makeEngine()
  const source = `async (_, api) => {
    const sums = []
    for (const name of ['demo:add', 'tools.demo.add', 'demo.add', 'demo__add', 'demo--add']) sums.push(await api.call(name, { a: 1, b: 2 }))
    return sums
  }`
  const outcome = await contract({ source })
  expect(outcome).toMatchObject({ ok: true, value: [3, 3, 3, 3, 3] })
  expect(outcome.calls).toHaveLength(5)
  const entries = journal.read({ tool: 'demo:add', phase: 'end' })
  expect(entries).toHaveLength(5)
  expect(new Set(entries.map(({ parentId }) => parentId))).toEqual(new Set([outcome.callId]))
  expect(entries[0]?.caller).toBe('contract')
  expect(journal.read({ kind: 'contract', phase: 'end' })).toHaveLength(1)
})

test('the policy holds for what a script calls, and the script hears why', async () => {
  const { contract } = await makeEngine()
  const source = `async ({ state }, api) => api.call(state.tool, {}).catch((error) => [error.code, error.message])`
  expect(await contract({ source, input: { tool: 'demo:buy' } })).toMatchObject({
    value: ['denied', expect.any(String)],
  })
  expect(await contract({ source, input: { tool: 'demo:destroy' } })).toMatchObject({
    value: ['approval-needed', expect.any(String)],
  })
  expect(await contract({ source, input: { tool: 'demo:none' } })).toMatchObject({
    value: ['unknown-tool', expect.any(String)],
  })
})

test('a script has time while a person is asked', async () => {
  const { contract } = await makeEngine({}, async () => {
    await new Promise((settle) => setTimeout(settle, 400))
    return true
  })
  const source = 'async (_, api) => api.call("demo:destroy", {})'
  expect(await contract({ source, timeoutMs: 250 })).toMatchObject({ ok: true, value: 'gone' })
  const steps = [{ call: 'lcod://tooling/script@1', in: { source, timeoutMs: 250 }, out: { r: '$' } }]
  expect(await contract({ compose: steps })).toMatchObject({ ok: true, value: { r: 'gone' } })
})

test('secrets do not leave in a report', async () => {
  const { contract } = await makeEngine()
  const outcome = await contract({ source: '(_, api) => { api.log("s3cret-value"); throw new Error("s3cret-value") }' })
  expect(JSON.stringify(outcome)).not.toContain('s3cret-value')
})

test('a report names the code of the call that failed, and no function of the sandbox', async () => {
  const { contract } = await makeEngine()
  const failed = await contract({ source: 'async (_, api) => api.call("demo:buy", {})' })
  expect(failed).toMatchObject({ ok: false, code: 'denied', value: { success: false, error: { code: 'denied' } } })
  const thrown = await contract({ source: 'function named() { throw new Error("own") }' })
  expect(thrown).toMatchObject({ code: 'tool-failed', value: { error: { stack: expect.stringContaining('named') } } })
  expect(JSON.stringify([failed.value, thrown.value])).not.toContain('guest:')
  const another = 'async (_, api) => api.call("demo:buy", {}).catch(() => { throw new Error("own") })'
  expect(await contract({ source: another })).toMatchObject({ code: 'tool-failed', message: 'own' })
})

test('a script in a step: what it throws is its report, what its calls throw ends the steps', async () => {
  const { contract } = await makeEngine()
  const step = (source: string) => ({ call: 'lcod://tooling/script@1', in: { source }, out: { report: '$' } })
  const own = await contract({ compose: [step('(_, api) => { throw new Error("own") }')] })
  expect(own).toMatchObject({ ok: true, value: { report: { success: false } } })
  const inner = step('async (_, api) => { api.log("before"); return api.call("demo:none", {}) }')
  expect(await contract({ compose: [inner] })).toMatchObject({
    ok: false,
    code: 'tool-failed',
    value: { error: { code: 'unknown-tool', data: { success: false, logs: ['before'] } } },
  })
  const caught = { call: 'lcod://flow/try@1', slots: { try: [inner], catch: [step('() => "caught"')] } }
  expect(await contract({ compose: [caught] })).toMatchObject({ ok: true, value: { report: 'caught' } })
})

test('a call that is given up ends its script', async () => {
  const { engine } = await makeEngine()
  const request = { source: '() => { for (;;); }', timeoutMs: 20_000 }
  const outcome = await engine.executeTool(contractDefinition(request), {
    input: request,
    signal: AbortSignal.timeout(100),
  })
  expect(outcome).toMatchObject({ ok: false, code: 'cancelled' })
})

const inRange = `
id: lcod://acme/in_range@1
description: Says whether a value is in range
inputs:
  value: { type: number, required: true }
compose:
  - call: lcod://tooling/script@1
    in: { source: "({ state }) => state.value < 7", value: $.value }
    out: { inRange: $ }
`
const nesting = `
- call: contract:in-range
  in: { value: $.n }
  out: { inner: $ }
`

test('a file that the configuration names is a tool, with its inputs as schema', async () => {
  const { engine, catalogue } = await makeEngine({
    'in-range.yaml': inRange,
    'nest.yaml': nesting.replace('contract:in-range', 'contract:inRange'),
    'script.yaml': 'source: "({ input }) => input.word.length"\nbindings: { word: { path: $.word, default: none } }\n',
    'broken.yaml': 'compose: 1\n',
    'bad.yaml': 'compose: [\n',
  })
  const tools = await catalogue.list()
  expect(tools.filter(({ kind }) => kind === 'contract').map(({ id }) => id)).toEqual([
    'contract:inRange',
    'contract:nest',
    'contract:script',
  ])
  expect(await engine.execute({ tool: 'contract:inRange', input: { value: 5 } })).toMatchObject({
    value: { inRange: true },
  })
  expect(await engine.execute({ tool: 'lcod://acme/in_range@1', input: { value: 9 } })).toMatchObject({
    value: { inRange: false },
  })
  expect(await engine.execute({ tool: 'contract:inRange', input: {} })).toMatchObject({
    code: 'invalid-input',
    issues: [{ path: 'value' }],
  })
  expect(await engine.execute({ tool: 'contract:nest', input: { n: 1 } })).toMatchObject({
    value: { inner: { inRange: true } },
  })
  expect(await engine.execute({ tool: 'contract:script', input: { word: 'four' } })).toMatchObject({ value: 4 })
  const [, status] = catalogue.status()
  expect(status?.warnings).toEqual([expect.stringContaining('bad.yaml'), expect.stringContaining('broken.yaml')])
})

describe('the effects of a contract', () => {
  const echo = '- call: lcod://impl/echo@1\n  in: { value: 1 }\n'
  test.each([
    ['a tool', '- call: demo:add\n'],
    ['a file that is written', '- call: lcod://core/fs/write_file@1\n  in: { path: x }\n'],
    ['the same by another spelling', '- call: lcod://contract/core/fs/write-file@1\n  in: { path: x }\n'],
    ['a script', 'source: "() => 1"\n'],
    ['a script as a step', '- call: lcod://tooling/script@1\n  in: { source: "() => 1" }\n'],
    ['steps in its input', '- call: lcod://tooling/test_checker@1\n  in: { compose: [], expected: {} }\n'],
    [
      'a tool in a slot',
      `${echo}- call: lcod://flow/if@1\n  in: { cond: true }\n  slots: { then: [{ call: demo:add }] }\n`,
    ],
    ['a tool in a list of children', '- call: lcod://flow/foreach@1\n  children: [{ call: demo:add }]\n'],
  ])('are unknown with %s, and whoever may only read may not call it', async (_, text) => {
    const { engine, catalogue } = await makeEngine({ 'it.yaml': text })
    expect(await catalogue.resolve('contract:it')).toMatchObject({ effects: {} })
    const caller = { front: 'library', readOnly: true } as const
    expect(await engine.execute({ tool: 'contract:it', caller })).toMatchObject({ ok: false, code: 'denied' })
  })

  test('are none where every step computes, reads or chooses steps', async () => {
    const text = `${echo}- call: lcod://flow/if@1\n  in: { cond: true }\n  slots: { then: [{ call: lcod://core/fs/list_dir@1 }] }\n`
    const { engine } = await makeEngine({ 'it.yaml': text })
    const caller = { front: 'library', readOnly: true } as const
    expect(await engine.execute({ tool: 'contract:it', caller })).toMatchObject({ ok: true })
  })

  test('unknown ones need no question of the owner: each call is decided by itself', async () => {
    const { engine } = await makeEngine({ 'it.yaml': '- call: demo:add\n  in: { a: 1, b: 2 }\n  out: { sum: $ }\n' })
    expect(await engine.execute({ tool: 'contract:it' })).toMatchObject({ ok: true, value: { sum: 3 } })
  })

  test('may be declared in the file, and grant its calls nothing', async () => {
    const said = 'effects: { destructive: false, network: false, filesystem: { write: false } }'
    const { engine, catalogue } = await makeEngine({
      'adds.yaml': `${said}\ncompose:\n  - call: demo:add\n    in: { a: 1, b: 2 }\n`,
      'lies.yaml': `${said}\ncompose:\n  - call: lcod://core/fs/write_file@1\n    in: { path: x }\n`,
      'odd.yaml': 'effects: { destructve: true }\ncompose: []\n',
    })
    const caller = { front: 'library', readOnly: true } as const
    expect(await engine.execute({ tool: 'contract:adds', caller })).toMatchObject({ ok: true })
    expect(await engine.execute({ tool: 'contract:lies', caller })).toMatchObject({ ok: false, code: 'denied' })
    expect(catalogue.status()[1]?.warnings).toEqual([expect.stringContaining('Did you mean "destructive"?')])
  })
})

test('contracts that call each other end, however deep', async () => {
  const { engine } = await makeEngine({ 'again.yaml': '- call: contract:again\n  in: { a: 1 }\n' })
  const outcome = await engine.execute({ tool: 'contract:again', input: {} })
  expect(outcome).toMatchObject({ ok: false, code: 'denied', message: expect.stringMatching(/deep/) })
})

test('the built-in contracts are no tools for anybody else', async () => {
  const { engine } = await makeEngine()
  expect(await engine.execute({ tool: 'lcod://impl/echo@1', input: {} })).toMatchObject({ code: 'unknown-tool' })
})

test('whoever may only look gets nothing written', async () => {
  const { engine, folder } = await makeEngine()
  const request = { source: 'async (_, api) => api.call("lcod://core/fs/write_file@1", { path: "x", data: "" })' }
  const definition = contractDefinition(request, { files: { root: folder } })
  const caller = { front: 'library', readOnly: true } as const
  expect(await engine.executeTool(definition, { input: request, caller })).toMatchObject({
    ok: false,
    message: expect.stringContaining('may only read'),
    calls: [{ tool: 'core:fsWriteFile', code: 'denied' }],
  })
})

test('a script that computes while a person is asked has its time and no more', async () => {
  const { contract } = await makeEngine({}, async () => {
    await new Promise((settle) => setTimeout(settle, 3_000))
    return true
  })
  const started = performance.now()
  const source = '(_, api) => { api.call("demo:destroy", {}).catch(() => {}); while (true) {} }'
  expect(await contract({ source, timeoutMs: 200 })).toMatchObject({ ok: false, code: 'timed-out', afterMs: 200 })
  expect(performance.now() - started).toBeLessThan(2_000)
})

test('a step that is not let do what it wants, or has no time, ends the steps in that way', async () => {
  const { contract } = await makeEngine()
  const step = async (call: string, input = {}) => contract({ compose: [{ call, in: input }] })
  expect(await step('demo:buy')).toMatchObject({ code: 'denied', value: { error: { code: 'denied' } } })
  expect(await step('demo:destroy')).toMatchObject({ code: 'approval-needed' })
  expect(await step('demo:slow')).toMatchObject({ code: 'timed-out', afterMs: 20 })
  expect(await step('demo:none')).toMatchObject({ code: 'tool-failed', value: { error: { code: 'unknown-tool' } } })
  const caught = {
    call: 'lcod://flow/try@1',
    slots: { try: [{ call: 'demo:buy' }], catch: [{ call: 'lcod://impl/echo@1' }] },
  }
  expect(await contract({ compose: [caught] })).toMatchObject({ ok: true })
})

test.each(['impl/echo', 'lcod://impl/echo', 'impl/echo@1', 'lcod://flow/if@2'])(
  '%s is no tool, and the contract that is meant is named',
  async (call) => {
    const { contract } = await makeEngine()
    expect(await contract({ compose: [{ call, in: { value: 1 } }] })).toMatchObject({
      ok: false,
      message: expect.stringMatching(/Did you mean the contract "lcod:\/\/(impl\/echo|flow\/if)@1"/),
    })
  },
)

test('a file is told from its text, and the names that it refers to are its inputs', async () => {
  expect(await hasSource('source: |\n  () => 1\n')).toBe(true)
  expect(await hasSource('{"tools": [], "source": "() => 1",}')).toBe(true)
  expect(await hasSource('source: 5')).toBe(true)
  expect(await hasSource(inRange)).toBe(false)
  expect(await hasSource('compose: []\nsource: x')).toBe(false)
  expect(await hasSource('text: |\n  a\nnote: "\nsource: x"')).toBe(false)
  expect(await hasSource('source: [')).toBe(false)
  expect(await hasSource('{"compose": [{"call": "x", "in": {"source": "y"}}]}')).toBe(false)
  const steps =
    '- call: a\n  in: { x: $.first, y: [$.second.z] }\n  out: { third: $ }\n- call: b\n  in: { z: $.third, w: $slot.item }\n'
  expect((await readContractFile(steps, 'x')).input).toEqual({ type: 'object', properties: { first: {}, second: {} } })
})

test.each([
  ['sources: x', /It has "sources", and neither "source" nor "compose"/],
  ['steps: []\nid: x', /It has "steps", "id"/],
  ['', /holds no contract/],
  ['5', /holds no contract/],
  ['{}', /It is empty/],
  ['source: 5', /source: It is no text/],
  ['source: "() => 1"\nbindings: {a: [', /cannot be read/],
])('%j is no contract, and says why', async (text, message) => {
  await expect(readContractFile(text, 'x')).rejects.toThrow(message)
})

test('an alias bomb in YAML is refused', async () => {
  const bomb = `a: &a [1,1,1,1,1,1,1,1,1]\n${'bcdefghi'
    .split('')
    .map((name, at) => `${name}: &${name} [${new Array(9).fill(`*${'abcdefghi'[at]}`).join(',')}]`)
    .join('\n')}\ncompose: []`
  await expect(readContractFile(bomb, 'x')).rejects.toThrow()
})
