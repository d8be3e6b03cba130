// A call that fails inside another, and that nothing catches: however the outer one was written, it ends in the same way.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLegwork, defineTool, type Legwork } from '../../src/index.ts'
import type { Outcome } from '../../src/model/outcome.ts'
import { temporaryFolder } from '../support/temporary.ts'

const asks = defineTool({ name: 'demo:asks', description: 'Asks', run: () => 'asked' })
const denied = defineTool({ name: 'demo:denied', description: 'Is denied', run: () => 'never' })
const title = defineTool({
  name: 'demo:title',
  description: 'Takes a title',
  input: { type: 'object', properties: { title: { type: 'string', minLength: 3 } }, required: ['title'] },
  run: () => 'titled',
})

const source = (tool: string) => `async (_, api) => { api.log('first'); return api.call('${tool}', { title: 'x' }) }`
const block = (tool: string) =>
  `<document><fncall id="x" idyll-tool="${tool}"><params>{"title":"x"}</params></fncall></document>`
const names = ['asks', 'denied', 'title']

function workspaceWithTools(): string {
  const folder = temporaryFolder(afterAll)
  mkdirSync(join(folder, 'contracts'))
  for (const name of names) {
    const step = { call: 'lcod://tooling/script@1', in: { source: source(`demo:${name}`) }, out: { report: '$' } }
    writeFileSync(join(folder, 'contracts', `${name}.yaml`), JSON.stringify({ compose: [step] }))
    const calls = block(`demo:${name}`).replace(/<\/?document>/g, '')
    const tool = `<tool title="Run ${name}"><tool:definition>${calls}</tool:definition></tool>`
    writeFileSync(join(folder, `${name}.xml`), `<document>${tool}</document>`)
  }
  return folder
}

let legwork: Legwork

beforeAll(async () => {
  legwork = await createLegwork({
    journal: { path: ':memory:' },
    workspace: workspaceWithTools(),
    functions: [asks, denied, title],
    contracts: ['contracts/*.yaml'],
    documents: ['*.xml'],
    policy: { ask: ['demo:asks'], deny: ['demo:denied'] },
    pendingApprovals: true,
    scriptPool: 0,
  })
})

afterAll(() => legwork?.close())

const ways: [string, (name: string) => Promise<Outcome>][] = [
  ['a contract script', (name) => legwork.contract({ source: source(`demo:${name}`) })],
  ['a step', (name) => legwork.contract({ compose: [{ call: `demo:${name}`, in: { title: 'x' } }] })],
  ['a script as a step', (name) => legwork.call({ tool: `contract:${name}` })],
  [
    'a toolscript',
    (name) => legwork.script(`import { tools } from 'toolscript'\nreturn await tools.demo.${name}({ title: 'x' })`),
  ],
  ['a document', async (name) => (await legwork.document(block(`demo:${name}`))).outcome],
  ['a custom tool', (name) => legwork.call({ tool: `custom:run${name[0]?.toUpperCase()}${name.slice(1)}` })],
]

describe.each(ways)('in %s', (_, run) => {
  test('a missing approval is what it ends with: the reason, and the question that waits', async () => {
    const outcome = await run('asks')
    expect(outcome).toMatchObject({ ok: false, code: 'approval-needed', approval: { id: expect.any(String) } })
    const { id } = ('approval' in outcome && outcome.approval) || { id: 'none' }
    expect(outcome.text).toContain(`legwork approve ${id}`)
    expect(outcome.text).toContain('The rule ask "demo:asks" asks before "demo:asks".')
  })

  test('faults of an input are all told', async () => {
    const outcome = await run('title')
    expect(outcome).toMatchObject({ ok: false, code: 'tool-failed' })
    expect(outcome.text).toContain('title: "title" must have at least 3 characters')
  })

  test('a denial is told', async () => {
    const outcome = await run('denied')
    expect(outcome).toMatchObject({ ok: false, code: expect.stringMatching(/^(denied|tool-failed)$/) })
    expect(outcome.text).toContain('The rule deny "demo:denied" denies "demo:denied".')
  })
})

/** Says yes to the next question that waits. */
async function approveNext(): Promise<void> {
  const before = new Set(waitingIds())
  const isNew = (id: string) => !before.has(id)
  while (!waitingIds().some(isNew)) await new Promise((resolve) => setTimeout(resolve, 5))
  for (const id of waitingIds().filter(isNew)) await legwork.journal.approvals.answer(id, { approved: true })
}

const waitingIds = () => legwork.journal.approvals.waiting().map(({ id }) => id)

test('an approval that was handed up holds for the same run, made again', async () => {
  const run = () => legwork.contract({ source: `async (_, api) => api.call('demo:asks', { once: 1 })` })
  const first = await run()
  const id = (!first.ok && first.code === 'approval-needed' && first.approval?.id) || ''
  expect(await legwork.journal.approvals.answer(id, { approved: true })).toMatchObject({ ok: true })
  expect(await run()).toMatchObject({ ok: true, value: 'asked' })
})

const wait = { approvalWaitMs: 20_000 }
const patient: [string, () => Promise<Outcome>][] = [
  ['a contract', () => legwork.contract({ source: `(_, api) => api.call('demo:asks', { wait: 1 })` }, wait)],
  ['steps', () => legwork.contract({ compose: [{ call: 'demo:asks', in: { wait: 2 } }] }, wait)],
  [
    'a toolscript',
    () => legwork.script(`import { tools } from 'toolscript'\nreturn await tools.demo.asks({ wait: 3 })`, wait),
  ],
  [
    'a document',
    async () => (await legwork.document(block('demo:asks').replace('"title":"x"', '"wait":4'), wait)).outcome,
  ],
]

test.each(patient)('%s may wait for the answer', async (_, run) => {
  const [, outcome] = await Promise.all([approveNext(), run()])
  expect(outcome).toMatchObject({ ok: true })
})
