import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLegwork, defineTool, type Legwork, type LegworkOptions, type Outcome } from '../../src/index.ts'
import { temporaryFolder } from '../support/temporary.ts'

const hiding = join(import.meta.dirname, '../fixtures/mcp/hiding-server.ts')

interface Opened {
  readonly legwork: Legwork
  readonly ran: () => number
}

/** A tool that asks, and a count of how often it ran. */
async function open(options: LegworkOptions = {}): Promise<Opened> {
  let ran = 0
  const destroy = defineTool({
    name: 'demo:destroy',
    description: 'Destroys',
    effects: { destructive: true },
    run: async ({ what, ms }) => {
      ran++
      if (typeof ms === 'number') await new Promise((resolve) => setTimeout(resolve, ms))
      return { destroyed: what ?? 'all', ran }
    },
  })
  const script = defineTool({
    name: 'demo:script',
    description: 'Calls what asks',
    effects: { destructive: false },
    limits: { timeoutMs: 400 },
    run: async (_, { call }) => ({ ...(await call({ tool: 'demo:destroy' })) }),
  })
  const journal = { path: join(temporaryFolder(), 'j.db') }
  const legwork = await createLegwork({ functions: [destroy, script], journal, ...options })
  onTestFinished(() => legwork.close())
  return { legwork, ran: () => ran }
}

const caller = { front: 'mcp', name: 'somebody' } as const
const call = { tool: 'demo:destroy', input: { what: 'it' }, caller } as const
const patient = { ...call, approvalWaitMs: 10_000 } as const

function idOf(outcome: Outcome): string {
  if (outcome.ok || outcome.code !== 'approval-needed' || !outcome.approval) throw new Error(JSON.stringify(outcome))
  return outcome.approval.id
}

async function waitingIds({ journal }: Legwork, amount = 1): Promise<readonly string[]> {
  for (;;) {
    const ids = journal.approvals.waiting().map(({ id }) => id)
    if (ids.length >= amount) return ids
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const say = ({ journal }: Legwork, id: string, approved: boolean, reason?: string) =>
  journal.approvals.answer(id, { approved, ...(reason !== undefined && { reason }) })

test('a call that nobody can answer ends with the id of its question and says what to do', async () => {
  const { legwork, ran } = await open()
  const outcome = await legwork.call(call)
  const id = idOf(outcome)
  expect(outcome).toMatchObject({ ok: false, code: 'approval-needed', decision: { verdict: 'ask' } })
  expect(outcome.text).toContain(`legwork approve ${id}`)
  expect(outcome.text).toContain('the same call again')
  expect(ran()).toBe(0)
  const entries = legwork.journal.read({ callId: outcome.callId })
  expect(entries.map(({ phase, code }) => [phase, code])).toEqual([
    ['end', 'approval-needed'],
    ['start', undefined],
  ])
})

test('an identical retry attaches to the same question; once approved it runs, once', async () => {
  const { legwork, ran } = await open()
  const id = idOf(await legwork.call(call))
  expect(idOf(await legwork.call(call))).toBe(id)
  expect(legwork.journal.approvals.waiting()).toHaveLength(1)
  await say(legwork, id, true, 'go on')
  const outcome = await legwork.call(call)
  expect(outcome).toMatchObject({ ok: true, value: { destroyed: 'it' }, decision: { verdict: 'allow' } })
  expect(outcome.decision?.reasons.at(-1)).toBe('A person approved it: go on')
  expect(ran()).toBe(1)
  expect(idOf(await legwork.call(call))).not.toBe(id)
  expect(ran()).toBe(1)
})

test.each([
  ['other arguments', { input: { what: 'something else' } }],
  ['more arguments', { input: { what: 'it', force: true } }],
  ['other prose beside them', { content: 'and everything else' }],
  ['another client', { caller: { front: 'mcp', name: 'another' } }],
  ['another session of the same client', { caller: { front: 'mcp', name: 'somebody', session: '2' } }],
  ['another front', { caller: { front: 'library', name: 'somebody' } }],
] as const)('an approval does not hold for %s', async (_, other) => {
  const { legwork, ran } = await open()
  const id = idOf(await legwork.call(call))
  await say(legwork, id, true)
  expect(idOf(await legwork.call({ ...call, ...other }))).not.toBe(id)
  expect(ran()).toBe(0)
  expect(await legwork.call(call)).toMatchObject({ ok: true })
})

test('arguments in another order are the same arguments', async () => {
  const { legwork } = await open()
  const id = idOf(await legwork.call({ ...call, input: { what: 'it', where: { a: 1, b: 2 } } }))
  expect(idOf(await legwork.call({ ...call, input: { where: { b: 2, a: 1 }, what: 'it' } }))).toBe(id)
})

test.each([
  ['a description', { description: 'Destroys more' }],
  ['an input schema', { input: { type: 'object', properties: { what: { type: 'string' } } } }],
  ['effects', { effects: { destructive: true, network: true } }],
] as const)('an approval does not hold once the tool has %s of another kind', async (_, changed) => {
  const path = join(temporaryFolder(), 'j.db')
  const make = (more: object) =>
    createLegwork({
      functions: [
        defineTool({
          name: 'demo:destroy',
          description: 'Destroys',
          effects: { destructive: true },
          ...more,
          run: () => 'gone',
        }),
      ],
      journal: { path },
    })
  await using before = await make({})
  const id = idOf(await before.call(call))
  await say(before, id, true)
  await using after = await make(changed)
  expect(idOf(await after.call(call))).not.toBe(id)
})

describe('an approval does not hold once other code would run', () => {
  type Change = readonly [string, (folder: string, version: string) => LegworkOptions, string]
  const ask = { policy: { ask: ['*'] } } as const
  const changes: readonly Change[] = [
    [
      'a function',
      (_, version) => ({
        functions: [
          defineTool({
            name: 'demo:tool',
            description: 'Does',
            run: version === 'one' ? () => 'one' : () => 'two',
          }),
        ],
      }),
      'demo:tool',
    ],
    [
      "a skill's script",
      (folder, version) => {
        const skill = join(folder, 'skills/demo')
        mkdirSync(join(skill, 'scripts'), { recursive: true })
        writeFileSync(join(skill, 'SKILL.md'), '---\nname: demo\ndescription: Does\n---\n')
        writeFileSync(join(skill, 'scripts/tool.sh'), `#!/bin/sh\necho ${version}\n`)
        return { skills: [join(folder, 'skills')] }
      },
      'demo:tool',
    ],
    [
      'a custom tool',
      (folder, version) => {
        const blocks = `<p>${version}</p>`
        const tool = `<tool title="Tool" description="Does">${blocks}</tool>`
        writeFileSync(join(folder, 'tool.xml'), `<document>${tool}</document>`)
        return { documents: ['tool.xml'] }
      },
      'custom:tool',
    ],
    [
      'a contract',
      (folder, version) => {
        const source = `async (input) => ({ version: '${version}' })`
        writeFileSync(join(folder, 'tool.yaml'), JSON.stringify({ description: 'Does', source }))
        return { contracts: ['tool.yaml'] }
      },
      'contract:tool',
    ],
    [
      'a server',
      (_, version) => ({ mcpServers: { up: { command: process.execPath, args: [hiding, version] } } }),
      'up:list',
    ],
  ]

  test.each(changes)('as %s', async (_, make, tool) => {
    const workspace = temporaryFolder()
    const journal = { path: join(workspace, 'j.db') }
    const waits = { tool, caller }
    await using before = await createLegwork({ workspace, journal, ...ask, ...make(workspace, 'one') })
    const id = idOf(await before.call(waits))
    expect(idOf(await before.call(waits))).toBe(id)
    await say(before, id, true)
    await using after = await createLegwork({ workspace, journal, ...ask, ...make(workspace, 'two') })
    expect(idOf(await after.call(waits))).not.toBe(id)
  })
})

test('what a call makes for a session is not allowed by what was allowed to another', async () => {
  const { legwork, ran } = await open()
  const script = (session: string) => legwork.call({ tool: 'demo:script', caller: { ...caller, session } })
  await script('one')
  const [id = ''] = await waitingIds(legwork)
  await say(legwork, id, true)
  expect(await script('two')).toMatchObject({ value: { ok: false, code: 'approval-needed' } })
  expect(ran()).toBe(0)
  expect(await script('one')).toMatchObject({ value: { ok: true } })
})

test('a script that is asked about as a whole waits as well', { timeout: 30_000 }, async () => {
  const { legwork } = await open({ policy: { ask: ['toolscript'] } })
  const id = idOf(await legwork.script('return 1'))
  await say(legwork, id, true)
  expect(idOf(await legwork.script('return 2'))).not.toBe(id)
  expect(await legwork.script('return 1')).toMatchObject({ ok: true, value: 1 })
})

test('a refusal is a denial, with its reason, for this call and for its retries', async () => {
  const { legwork, ran } = await open()
  await say(legwork, idOf(await legwork.call(call)), false, 'not today')
  for (let times = 0; times < 2; times++) {
    const outcome = await legwork.call(call)
    expect(outcome).toMatchObject({ ok: false, code: 'denied', decision: { verdict: 'deny', rule: 'approval' } })
    expect(outcome.text).toContain('not today')
  }
  expect(ran()).toBe(0)
})

test('a call that waits runs as soon as the answer is there', async () => {
  const { legwork } = await open()
  const work = legwork.call(patient)
  const [id = ''] = await waitingIds(legwork)
  await say(legwork, id, true)
  expect(await work).toMatchObject({ ok: true, value: { destroyed: 'it' } })
})

test('no answer in time is a no', async () => {
  const { legwork, ran } = await open({ policy: { approvalTimeoutMs: 60 } })
  const outcome = await legwork.call(patient)
  expect(outcome).toMatchObject({ ok: false, code: 'denied' })
  expect(outcome.text).toContain('No answer came within 60 ms')
  const [late] = legwork.journal.read({ callId: outcome.callId, phase: 'end' })
  expect(late).toMatchObject({ code: 'denied' })
  expect(ran()).toBe(0)
})

test('of identical calls that wait together one runs, and all get its outcome', async () => {
  const { legwork, ran } = await open()
  const work = Promise.all(Array.from({ length: 20 }, () => legwork.call(patient)))
  const [id = ''] = await waitingIds(legwork)
  await say(legwork, id, true)
  const outcomes = await work
  expect(ran()).toBe(1)
  expect(legwork.journal.approvals.waiting()).toEqual([])
  for (const outcome of outcomes) expect(outcome).toMatchObject({ ok: true, value: { destroyed: 'it', ran: 1 } })
  const attached = outcomes.filter(({ warnings }) => warnings.some((text) => text.includes('identical call')))
  expect(attached).toHaveLength(19)
  expect(new Set(outcomes.map(({ callId }) => callId)).size).toBe(20)
})

test('a retry while the approved call runs gets the outcome of that run', async () => {
  const { legwork, ran } = await open()
  const slow = { ...call, input: { ms: 200 } }
  await say(legwork, idOf(await legwork.call(slow)), true)
  const first = legwork.call(slow)
  while (ran() === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(await legwork.call(slow)).toMatchObject({ ok: true, value: { ran: 1 } })
  await first
  expect(ran()).toBe(1)
})

test('who gives up leaves the question to those that still wait', async () => {
  const { legwork, ran } = await open()
  const controller = new AbortController()
  const given = legwork.call({ ...patient, signal: controller.signal })
  const kept = legwork.call(patient)
  const [id = ''] = await waitingIds(legwork)
  controller.abort()
  expect(await given).toMatchObject({ ok: false, code: 'cancelled' })
  await say(legwork, id, true)
  expect(await kept).toMatchObject({ ok: true })
  expect(ran()).toBe(1)
})

test('a call that was given up before the answer does not run when it comes', async () => {
  const { legwork, ran } = await open()
  const controller = new AbortController()
  const work = legwork.call({ ...patient, signal: controller.signal })
  const [id = ''] = await waitingIds(legwork)
  controller.abort()
  await work
  await say(legwork, id, true)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(ran()).toBe(0)
})

test("a tool's clock stands still while a call that it made waits", async () => {
  const { legwork } = await open()
  const work = legwork.call({ tool: 'demo:script', caller, approvalWaitMs: 10_000 })
  const [id = ''] = await waitingIds(legwork)
  await new Promise((resolve) => setTimeout(resolve, 700))
  await say(legwork, id, true)
  expect(await work).toMatchObject({ ok: true, value: { ok: true } })
})

test('two processes that wait for one answer: one runs', async () => {
  const path = join(temporaryFolder(), 'j.db')
  const [one, two] = [await open({ journal: { path } }), await open({ journal: { path } })]
  const calls = [one.legwork.call(patient), two.legwork.call({ ...patient, approvalWaitMs: 300 })]
  const [id = ''] = await waitingIds(one.legwork)
  await say(two.legwork, id, true)
  const outcomes = await Promise.race([
    Promise.all(calls),
    // Whoever came second waits for an answer of its own by now.
    waitingIds(one.legwork).then(async ([next = '']) => {
      await say(one.legwork, next, false)
      return Promise.all(calls)
    }),
  ])
  expect(one.ran() + two.ran()).toBe(1)
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1)
})

test('callers who wait at once never get each other’s answers', async () => {
  const { legwork, ran } = await open()
  const names = Array.from({ length: 60 }, (_, at) => `client ${at}`)
  const work = names.map((name) => legwork.call({ ...patient, input: { what: name }, caller: { front: 'mcp', name } }))
  await waitingIds(legwork, names.length)
  for (const { id, request, caller: asker } of legwork.journal.approvals.waiting()) {
    expect(`mcp:${(request.input as { what: string }).what}`).toBe(asker)
    await say(legwork, id, Number(asker.split(' ')[1]) % 2 === 0)
  }
  const outcomes = await Promise.all(work)
  for (const [at, outcome] of outcomes.entries()) {
    if (at % 2) expect(outcome).toMatchObject({ ok: false, code: 'denied' })
    else expect(outcome).toMatchObject({ ok: true, value: { destroyed: names[at] } })
  }
  expect(ran()).toBe(30)
})

test('two clients that make the same calls at the same time: what one was allowed, the other is not', async () => {
  const { legwork, ran } = await open()
  const clients = ['ann', 'bob'].map((name) => ({ front: 'mcp', name }) as const)
  const both = (inputs: readonly object[]) =>
    Promise.all(inputs.flatMap((input) => clients.map((who) => legwork.call({ ...call, input, caller: who }))))
  for (let round = 0; round < 10; round++) {
    const inputs = Array.from({ length: 50 }, (_, at) => ({ what: `${round}-${at}` }))
    await both(inputs)
    for (const { id, caller: asker } of legwork.journal.approvals.waiting()) await say(legwork, id, asker === 'mcp:ann')
    for (const [at, outcome] of (await both(inputs)).entries()) {
      if (at % 2) expect(outcome).toMatchObject({ ok: false, code: 'denied' })
      else expect(outcome).toMatchObject({ ok: true, value: { destroyed: inputs[at / 2]?.what } })
    }
  }
  expect(ran()).toBe(500)
})

test('secrets are hidden in a question that is kept, and yet tell two calls apart', async () => {
  const { legwork } = await open({ redact: { values: ['hunter2-and-more', 'hunter3-and-more'] } })
  const first = idOf(await legwork.call({ ...call, input: { what: 'hunter2-and-more' } }))
  const second = idOf(await legwork.call({ ...call, input: { what: 'hunter3-and-more' } }))
  expect(first).not.toBe(second)
  expect(JSON.stringify(legwork.journal.approvals.waiting())).not.toContain('and-more')
})

test('whoever can be asked in place is asked there, and nothing is kept', async () => {
  const { legwork } = await open({ approve: () => true })
  expect(await legwork.call(call)).toMatchObject({ ok: true })
  expect(await legwork.call({ ...call, approve: () => false })).toMatchObject({ code: 'denied' })
  expect(legwork.journal.approvals.waiting()).toEqual([])
})

test.each([
  ['where nobody else could see it', { journal: { path: ':memory:' } }],
  ['where the owner does not want it', { pendingApprovals: false }],
])('no question is kept %s', async (_, options) => {
  const { legwork } = await open(options)
  const outcome = await legwork.call(call)
  expect(outcome).toMatchObject({ ok: false, code: 'approval-needed' })
  expect(outcome).not.toHaveProperty('approval')
  expect(legwork.journal.approvals.waiting()).toEqual([])
})

test('where questions cannot be kept nothing runs', async () => {
  const path = join(temporaryFolder(), 'j.db')
  const { legwork, ran } = await open({ journal: { path } })
  await legwork.call(call)
  const database = new DatabaseSync(path)
  database.exec('DROP TABLE approvals')
  database.close()
  expect(await legwork.call(patient)).toMatchObject({ ok: false, code: 'approval-needed' })
  expect(ran()).toBe(0)
})

test('a caller that asks for ever is told that too many wait', async () => {
  const { legwork } = await open()
  for (let at = 0; at < 100; at++) await legwork.call({ ...call, input: { at } })
  const outcome = await legwork.call(call)
  expect(outcome).toMatchObject({ ok: false, code: 'approval-needed' })
  expect(outcome.text).toContain('Too many questions wait')
})

test('a question about an inner call is for the call above it, and for no other that makes the same one', async () => {
  const { legwork, ran } = await open()
  const outer = { tool: 'demo:script', input: { as: 'one' }, caller } as const
  await legwork.call(outer)
  const [waiting] = legwork.journal.approvals.waiting()
  expect(waiting?.caller).toBe('mcp:somebody in demo:script')
  await say(legwork, waiting?.id ?? '', true)
  for (const other of [
    { ...outer, input: { as: 'another' } },
    { ...outer, caller: { front: 'toolscript' } as const },
    { tool: 'demo:destroy', caller },
  ]) {
    await legwork.call(other)
    expect(ran()).toBe(0)
  }
  expect(await legwork.call(outer)).toMatchObject({ ok: true, value: { ok: true } })
  expect(ran()).toBe(1)
})
