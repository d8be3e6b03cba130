// The invariants of ARCHITECTURE.md that are about behaviour; test/structure has those about imports.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Call, createLegwork, defineTool, LegworkError, type LegworkOptions } from '../../src/index.ts'
import { outcomeCodes } from '../../src/model/outcome.ts'
import { closePipes } from '../../src/run/pipes.ts'
import { openLegwork } from '../support/legwork.ts'
import { temporaryFolder } from '../support/temporary.ts'

const harmless = { destructive: false, network: false, filesystem: { write: false } } as const
const secret = 'swordfish-swordfish-1234'

const tools = [
  defineTool({ name: 't:ok', description: '', effects: harmless, run: () => 'fine' }),
  defineTool({
    name: 't:fail',
    description: '',
    effects: harmless,
    run: () => Promise.reject(new Error(`no ${secret}`)),
  }),
  defineTool({ name: 't:slow', description: '', effects: harmless, run: () => new Promise(() => {}) }),
  defineTool({ name: 't:ask', description: '', effects: { destructive: true }, run: () => 'done' }),
  defineTool({
    name: 't:typed',
    description: '',
    effects: harmless,
    input: { type: 'object', required: ['n'] },
    run: () => 1,
  }),
  defineTool({
    name: 't:leak',
    description: '',
    effects: harmless,
    run: (_, { progress }) => {
      progress({ message: `half of ${secret}` })
      return { deep: [{ [secret]: `x${secret}x` }] }
    },
  }),
]

const endings: Record<string, Call> = {
  ok: { tool: 't:ok' },
  'unknown-tool': { tool: 't:nobody' },
  'invalid-input': { tool: 't:typed' },
  denied: { tool: 't:denied' },
  'approval-needed': { tool: 't:ask' },
  'timed-out': { tool: 't:slow', timeoutMs: 5 },
  cancelled: { tool: 't:slow', signal: AbortSignal.timeout(20) },
  'tool-failed': { tool: 't:fail' },
  'not-runnable': { tool: 'gone' },
}

async function openAll(options: LegworkOptions = {}) {
  const workspace = temporaryFolder()
  const metadata = (command: string) =>
    JSON.stringify({ name: command, trust: 'vendor', effects: harmless, commands: { '': { description: '' } } })
  writeFileSync(join(workspace, 'gone.json'), metadata('gone'))
  writeFileSync(join(workspace, 'env.json'), metadata('env'))
  const denied = defineTool({ name: 't:denied', description: '', run: () => 1 })
  return openLegwork({
    workspace,
    functions: [...tools, denied],
    programs: {
      gone: { metadata: 'gone.json', command: 'no-such-program' },
      env: { metadata: 'env.json', env: { TOKEN: secret } },
    },
    policy: { deny: ['t:denied'] },
    ...options,
  })
}

test.each(Object.entries(endings))('invariant 1: a call that ends %s leaves a start and an end', async (code, call) => {
  const legwork = await openAll()
  const outcome = await legwork.call(call)
  expect(outcome.ok ? 'ok' : outcome.code).toBe(code)
  const entries = legwork.journal.read()
  expect(entries.map(({ phase, callId }) => [phase, callId])).toEqual([
    ['end', outcome.callId],
    ['start', outcome.callId],
  ])
  expect(legwork.journal.verify().ok).toBe(true)
})

test('invariant 1: every code an outcome can have is in the table above, but for a full queue', () => {
  expect(outcomeCodes.filter((code) => !(code in endings))).toEqual(['too-busy'])
})

test('invariant 2: a failing tool is a value, misuse is an exception with a code', async () => {
  const legwork = await openAll()
  expect((await legwork.call({ tool: 't:fail' })).ok).toBe(false)
  const misuse = legwork.call({ tool: 't:ok', timeoutMs: -1 }).catch((error: unknown) => error)
  expect(await misuse).toBeInstanceOf(LegworkError)
  expect(await misuse).toMatchObject({ code: 'invalid-limit' })
})

test('invariant 5: no answer is a no, and unknown effects of a stranger’s tool ask', async () => {
  const asking = await openAll({ approve: () => undefined as never })
  expect(await asking.call({ tool: 't:ask' })).toMatchObject({ ok: false, code: 'denied' })
  const workspace = temporaryFolder()
  writeFileSync(join(workspace, 'true.json'), JSON.stringify({ name: 'true', commands: { '': { description: '' } } }))
  const strange = await openLegwork({ workspace, programs: { true: { metadata: 'true.json', trust: 'community' } } })
  expect(await strange.call({ tool: 'true' })).toMatchObject({
    ok: false,
    code: 'approval-needed',
    decision: { rule: 'unknown effects' },
  })
})

test('invariant 6: a secret reaches no sink: outcome, event, journal, approval', async () => {
  const seen: unknown[] = []
  const legwork = await openAll({
    redact: { values: [secret] },
    policy: { ask: ['t:leak', 'env'] },
    approve: (request) => {
      seen.push(request)
      return true
    },
  })
  legwork.on((event) => void seen.push(event))
  const calls: Call[] = [
    { tool: 't:leak', input: { given: secret } },
    { tool: 't:fail' },
    { tool: 'env' },
    { tool: `no-${secret}`, input: [secret] },
    { tool: 't:ok', input: { [secret]: () => secret } },
    {
      tool: 't:ok',
      input: {
        toJSON: () => {
          throw new Error(secret)
        },
      },
    },
    { tool: 't:typed', input: { [secret]: secret }, caller: { front: 'agent', name: secret } },
  ]
  for (const call of calls) seen.push(await legwork.call(call))
  seen.push(legwork.journal.read({ limit: 1_000 }))
  const everything = JSON.stringify(seen)
  expect(everything).toContain('REDACTED')
  expect(everything).not.toContain('swordfish')
})

test('invariant 6: a secret is redacted before the text is cut, so that no half of it is left', async () => {
  const tool = defineTool({
    name: 'cut',
    description: '',
    effects: harmless,
    run: () => `${'x'.repeat(80)}${secret}${'y'.repeat(200)}`,
  })
  const legwork = await openLegwork({ functions: [tool], redact: { values: [secret] }, limits: { maxTextLength: 105 } })
  const { text } = await legwork.call({ tool: 'cut' })
  expect(text).toMatch(/\n\[TRUNCATED\]$/)
  expect(text).not.toContain('sword')
})

test('invariant 7: a name is never taken apart: an underscore more is another name', async () => {
  const legwork = await openLegwork({
    functions: [
      defineTool({ name: 'a_b:c', description: '', effects: harmless, run: () => 'a_b:c' }),
      defineTool({ name: 'a:b_c', description: '', effects: harmless, run: () => 'a:b_c' }),
    ],
  })
  for (const tool of await legwork.tools()) {
    for (const spelling of Object.values(tool.spellings)) {
      expect(await legwork.call({ tool: String(spelling) })).toMatchObject({ value: tool.id })
    }
  }
})

test('invariant 8: nothing outlives a call: no process, no descriptor, no file', async () => {
  const workspace = temporaryFolder()
  writeFileSync(
    join(workspace, 'sh.json'),
    JSON.stringify({
      name: 'sh',
      trust: 'vendor',
      effects: harmless,
      commands: { '': { description: '', arguments: [{ name: 'f', type: 'file', description: '' }] } },
    }),
  )
  const mark = `legwork-${process.pid}-${Math.random()}`
  writeFileSync(join(workspace, 'tree.sh'), `sh -c 'trap "" TERM; sleep 30; : ${mark}' & sleep 30`)
  const legwork = await openLegwork({ workspace, programs: { sh: { metadata: 'sh.json' } } })
  const descriptors = () => readdirSync('/proc/self/fd').length
  await legwork.call({ tool: 'sh', input: { f: 'tree.sh' }, timeoutMs: 100 })
  await closePipes()
  const before = descriptors()
  for (let round = 0; round < 5; round++) {
    expect(await legwork.call({ tool: 'sh', input: { f: 'tree.sh' }, timeoutMs: 150 })).toMatchObject({
      code: 'timed-out',
    })
  }
  const settled = () => closePipes().then(descriptors)
  await expect.poll(settled).toBeLessThanOrEqual(before)
  expect(commandLines().filter((line) => line.includes(mark))).toEqual([])
  expect(readdirSync(workspace).sort()).toEqual(['sh.json', 'tree.sh'])
})

function commandLines(): string[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return []
    try {
      return [readFileSync(`/proc/${entry}/cmdline`, 'utf8')]
    } catch {
      return []
    }
  })
}

test('a journal that cannot be written: the call does not run, and says why', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'j', 'legwork.db')
  let ran = 0
  const tool = defineTool({ name: 'count', description: '', effects: harmless, run: () => ++ran })
  const legwork = await createLegwork({ functions: [tool], journal: { path } })
  expect((await legwork.call({ tool: 'count' })).ok).toBe(true)
  rmSync(join(folder, 'j'), { recursive: true })
  const outcome = await legwork.call({ tool: 'count' })
  expect(outcome).toMatchObject({ ok: false, code: 'not-runnable', reason: 'journal' })
  expect(outcome).toMatchObject({ message: expect.stringContaining(path) })
  expect(ran).toBe(1)
  await legwork.close()
})
