import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { systemClock } from '../../src/base/clock.ts'
import { type CallEvent, createLegwork, defineTool, type Entry, LegworkError, type Outcome } from '../../src/index.ts'
import { openLegwork } from '../support/legwork.ts'
import { temporaryFolder } from '../support/temporary.ts'

const harmless = { destructive: false, network: false, filesystem: { write: false } } as const

const echo = defineTool({
  name: 'demo:echo',
  description: 'Says it back',
  input: z.object({ message: z.string() }),
  effects: harmless,
  run: ({ message }) => ({ message }),
})
const destroy = defineTool({
  name: 'demo:destroy',
  description: 'Destroys',
  effects: { destructive: true },
  run: () => 'gone',
})

const phases = (entries: readonly Entry[]) =>
  entries.toReversed().map(({ phase, code }) => (code ? `${phase} ${code}` : phase))

test('a call is resolved, validated, decided, run, finished and recorded', async () => {
  const legwork = await openLegwork({ functions: [echo] })
  const outcome = await legwork.call({ tool: 'demo:echo', input: { message: 'hi' } })
  expect(outcome).toMatchObject({
    ok: true,
    tool: 'demo:echo',
    value: { message: 'hi' },
    text: '{"message":"hi"}',
    warnings: [],
  })
  expect(outcome.decision).toMatchObject({ verdict: 'allow' })
  expect(Date.parse(outcome.startedAt)).toBeGreaterThan(0)
  const [end, start] = legwork.journal.read()
  expect(start).toMatchObject({
    phase: 'start',
    callId: outcome.callId,
    tool: 'demo:echo',
    kind: 'function',
    caller: 'library',
    input: '{"message":"hi"}',
  })
  expect(end).toMatchObject({ phase: 'end', callId: outcome.callId, level: 'info' })
  expect(end?.previousHash).toBe(start?.hash)
})

test.each(['demo:echo', 'tools.demo.echo', 'demo.echo', 'demo__echo', 'demo--echo'])(
  '%s leads to the one tool',
  async (tool) => {
    const legwork = await openLegwork({ functions: [echo] })
    expect(await legwork.call({ tool, input: { message: 'x' } })).toMatchObject({ ok: true, tool: 'demo:echo' })
  },
)

test('an unknown tool names the nearest and leaves its entries', async () => {
  const legwork = await openLegwork({ functions: [echo] })
  const outcome = await legwork.call({ tool: 'demo.ehco' })
  expect(outcome).toMatchObject({ ok: false, code: 'unknown-tool', tool: 'demo.ehco', nearest: ['demo:echo'] })
  expect(outcome.text).toBe('There is no tool "demo.ehco". Did you mean "demo:echo"?')
  expect(phases(legwork.journal.read())).toEqual(['start', 'end unknown-tool'])
})

test.each(['toolcall', 'mcp', 'agent'] as const)(
  'a model behind "%s" is told names as it knows them',
  async (front) => {
    const legwork = await openLegwork({ functions: [echo] })
    const caller = { front }
    const outcome = await legwork.call({ tool: 'demo--ehco', caller })
    expect(outcome).toMatchObject({ nearest: ['demo:echo'] })
    expect(outcome.text).toBe('There is no tool "demo--ehco". Did you mean "demo--echo"?')
    expect((await legwork.call({ tool: 'qqqq', caller })).text).toBe('There is no tool "qqqq".')
  },
)

test.each([undefined, '', null, 7])('a call of the tool %j is told that it names none', async (tool) => {
  const legwork = await openLegwork({ functions: [echo] })
  const outcome = await legwork.call(JSON.parse(JSON.stringify({ tool, input: {} })))
  expect(outcome).toMatchObject({ code: 'unknown-tool', message: 'The call names no tool: "tool" is missing.' })
})

test('an invalid input lists every fault and leaves its entries', async () => {
  const legwork = await openLegwork({ functions: [echo] })
  const outcome = await legwork.call({ tool: 'demo:echo', input: { mesage: 7 } })
  expect(outcome).toMatchObject({
    ok: false,
    code: 'invalid-input',
    issues: [{ path: 'message', code: 'MISSING_REQUIRED' }],
  })
  expect(phases(legwork.journal.read())).toEqual(['start', 'end invalid-input'])
})

test('a denied call does not run and leaves its entries', async () => {
  let ran = false
  const tool = defineTool({ name: 'spy', description: '', run: () => (ran = true) })
  const legwork = await openLegwork({ functions: [tool], policy: { deny: ['spy'] } })
  const outcome = await legwork.call({ tool: 'spy' })
  expect(outcome).toMatchObject({ ok: false, code: 'denied', decision: { verdict: 'deny', rule: 'deny "spy"' } })
  expect(ran).toBe(false)
  expect(phases(legwork.journal.read())).toEqual(['start', 'end denied'])
})

test('what asks does not run when there is nobody to ask', async () => {
  const legwork = await openLegwork({ functions: [destroy] })
  const outcome = await legwork.call({ tool: 'demo:destroy' })
  expect(outcome).toMatchObject({
    ok: false,
    code: 'approval-needed',
    decision: { verdict: 'ask', rule: 'allowDestructive' },
  })
  expect(phases(legwork.journal.read())).toEqual(['start', 'end approval-needed'])
})

test.each<[string, unknown, string | true]>([
  ['yes', true, true],
  ['yes with a reason', { approved: true, reason: 'fine' }, true],
  ['no', false, 'denied'],
  ['no with a reason', { approved: false, reason: 'not today' }, 'denied'],
  ['something that is not a plain yes', 'yes', 'denied'],
])('a person says %s', async (_, answer, expected) => {
  const legwork = await openLegwork({ functions: [destroy], approve: () => answer as boolean })
  const outcome = await legwork.call({ tool: 'demo:destroy' })
  expect(outcome.ok || outcome.code).toBe(expected)
})

test.each([
  ['demo:destroy', {}, 'denied'],
  ['demo:echo', { message: 'hi' }, 'denied'],
  ['demo:echo', { message: 7 }, 'invalid-input'],
  ['demo:none', {}, 'unknown-tool'],
] as const)(
  'a call of %s that was refused before it was made is written down, asks nobody and does not run',
  async (tool, input, code) => {
    let times = 0
    const approve = () => {
      times++
      return true
    }
    const legwork = await openLegwork({ functions: [destroy, echo], approve })
    const refusal = { code: 'denied', message: 'A person said no.' } as const
    const outcome = await legwork.call({ tool, input, refusal })
    expect(outcome).toMatchObject({ ok: false, code })
    expect(phases(legwork.journal.read())).toEqual(['start', `end ${code}`])
    expect(times).toBe(0)
  },
)

test('the person sees the tool, the input, the effects and the reasons', async () => {
  const seen: unknown[] = []
  const legwork = await openLegwork({
    functions: [destroy],
    approve: ({ signal: _, ...request }) => {
      seen.push(request)
      return false
    },
  })
  await legwork.call({ tool: 'demo:destroy', input: { what: 'all' } })
  expect(seen).toMatchObject([
    {
      tool: 'demo:destroy',
      input: { what: 'all' },
      effects: { destructive: true },
      trust: 'native',
      rule: 'allowDestructive',
    },
  ])
})

test('no answer in time is a no, and the time of the question does not count as the tool’s', async () => {
  const asking = await openLegwork({
    functions: [destroy],
    policy: { approvalTimeoutMs: 20 },
    approve: () => new Promise(() => {}),
  })
  expect(await asking.call({ tool: 'demo:destroy' })).toMatchObject({ ok: false, code: 'denied' })
  const slow = await openLegwork({ functions: [destroy], approve: () => sleep(150, true) })
  expect(await slow.call({ tool: 'demo:destroy', timeoutMs: 50 })).toMatchObject({ ok: true, value: 'gone' })
})

const thrown = (run: () => unknown) => defineTool({ name: 'bad', description: '', effects: harmless, run })

test.each<[string, () => unknown, string]>([
  [
    'an error',
    () => {
      throw new TypeError('no such thing')
    },
    'no such thing',
  ],
  [
    'text',
    () => {
      throw 'just text'
    },
    'just text',
  ],
  [
    'nothing',
    () => {
      throw undefined
    },
    'undefined',
  ],
  [
    'later',
    async () => {
      await sleep(1)
      throw new Error('later')
    },
    'later',
  ],
])('a tool that throws %s has failed', async (_, run, message) => {
  const legwork = await openLegwork({ functions: [thrown(run)] })
  expect(await legwork.call({ tool: 'bad' })).toMatchObject({ ok: false, code: 'tool-failed', message })
})

test('a tool that returns undefined returns null', async () => {
  const legwork = await openLegwork({ functions: [thrown(() => undefined)] })
  expect(await legwork.call({ tool: 'bad' })).toMatchObject({ ok: true, value: null, text: 'null' })
})

test.each<[string, () => unknown, string]>([
  [
    'a cycle',
    () => {
      const a: { b?: unknown } = {}
      a.b = a
      return a
    },
    'a cycle (at b)',
  ],
  ['a BigInt', () => ({ n: [1n] }), 'the BigInt 1 (at n[0])'],
  ['a function', () => () => 1, 'a function (at the value itself)'],
])('a tool that returns %s has failed, with the path', async (_, run, message) => {
  const legwork = await openLegwork({ functions: [thrown(run)] })
  const outcome = await legwork.call({ tool: 'bad' })
  expect(outcome).toMatchObject({ ok: false, code: 'tool-failed' })
  expect(outcome.text).toContain(message)
})

test('an output that does not fit its schema is the tool’s failure', async () => {
  const tool = defineTool({
    name: 'odd',
    description: '',
    effects: harmless,
    output: z.object({ n: z.number() }),
    run: () => ({ n: 'x' }),
  })
  const legwork = await openLegwork({ functions: [tool] })
  const outcome = await legwork.call({ tool: 'odd' })
  expect(outcome).toMatchObject({ ok: false, code: 'tool-failed' })
  expect(outcome.text).toContain('does not fit its output schema')
})

const waiting = (onAbort?: () => void) =>
  defineTool({
    name: 'wait',
    description: '',
    effects: harmless,
    run: (_, { signal }) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          onAbort?.()
          reject(new Error('stopped'))
        }),
      ),
  })

test('time runs out: the tool is told, the outcome says after how long', async () => {
  let told = false
  const legwork = await openLegwork({
    functions: [
      waiting(() => {
        told = true
      }),
    ],
  })
  const outcome = await legwork.call({ tool: 'wait', timeoutMs: 30 })
  expect(outcome).toMatchObject({ ok: false, code: 'timed-out', afterMs: 30 })
  expect(told).toBe(true)
  expect(legwork.journal.read()[0]).toMatchObject({ code: 'timed-out', level: 'warning' })
})

test('a tool that ignores its signal is not waited for', async () => {
  const tool = defineTool({ name: 'deaf', description: '', effects: harmless, run: () => new Promise(() => {}) })
  const legwork = await openLegwork({ functions: [tool] })
  expect(await legwork.call({ tool: 'deaf', timeoutMs: 20 })).toMatchObject({ code: 'timed-out' })
})

test('a function that keeps the thread to itself cannot be stopped, and its outcome says so', async () => {
  const busy = defineTool({
    name: 'busy',
    description: '',
    effects: { destructive: false, network: false, filesystem: { write: false } },
    run: () => {
      for (const until = performance.now() + 200; performance.now() < until; );
      return 'done'
    },
  })
  const legwork = await openLegwork({ functions: [busy] })
  expect(await legwork.call({ tool: 'busy', timeoutMs: 20 })).toMatchObject({
    ok: true,
    value: 'done',
    warnings: [expect.stringMatching(/^"busy" took \d+ ms, longer than the 20 ms it may take/)],
  })
  expect(await legwork.call({ tool: 'busy', timeoutMs: 5_000 })).toMatchObject({ ok: true, warnings: [] })
})

test('an abort before, during and after', async () => {
  const legwork = await openLegwork({ functions: [waiting(), echo] })
  const before = await legwork.call({ tool: 'demo:echo', input: { message: 'x' }, signal: AbortSignal.abort() })
  expect(before).toMatchObject({ ok: false, code: 'cancelled' })
  const controller = new AbortController()
  const during = legwork.call({ tool: 'wait', signal: controller.signal })
  await sleep(10)
  controller.abort()
  expect(await during).toMatchObject({ ok: false, code: 'cancelled' })
  const after = new AbortController()
  const outcome = await legwork.call({ tool: 'demo:echo', input: { message: 'x' }, signal: after.signal })
  after.abort()
  expect(outcome.ok).toBe(true)
  expect(phases(legwork.journal.read())).toEqual(['start', 'end cancelled', 'start', 'end cancelled', 'start', 'end'])
})

test('an abort while a person is asked cancels the call', async () => {
  const controller = new AbortController()
  const legwork = await openLegwork({
    functions: [destroy],
    approve: () => {
      controller.abort()
      return new Promise(() => {})
    },
  })
  expect(await legwork.call({ tool: 'demo:destroy', signal: controller.signal })).toMatchObject({ code: 'cancelled' })
})

test.each([0, 1.5, 600_001])('a time limit of %s is misuse and throws', async (timeoutMs) => {
  const legwork = await openLegwork({ functions: [echo] })
  await expect(legwork.call({ tool: 'demo:echo', timeoutMs })).rejects.toThrow(LegworkError)
})

test('a closed Legwork takes no calls', async () => {
  const legwork = await openLegwork({ functions: [echo] })
  await legwork.close()
  await expect(legwork.call({ tool: 'demo:echo' })).rejects.toMatchObject({ code: 'closed' })
})

test('tools that call tools are bound in depth, and are not held up by a full house', async () => {
  let call: (parentId: string) => Promise<Outcome>
  const nest = defineTool({
    name: 'nest',
    description: '',
    effects: harmless,
    run: async (_, { callId }) => (await call(callId)).text,
  })
  const legwork = await openLegwork({ functions: [nest], limits: { maxConcurrentCalls: 1, maxCallDepth: 5 } })
  call = (parentId) => legwork.call({ tool: 'nest', parentId })
  const outcome = await legwork.call({ tool: 'nest' })
  expect(outcome.text).toContain('Tools may call tools 5 levels deep')
  const entries = legwork.journal.read({ phase: 'end', limit: 100 })
  expect(entries).toHaveLength(6)
  expect(entries.filter(({ code }) => code === 'denied')).toHaveLength(1)
})

test('a thousand calls at once queue within a bound, none lost, none mixed up', async () => {
  let running = 0
  let most = 0
  const tool = defineTool({
    name: 'number',
    description: '',
    effects: harmless,
    run: async (input) => {
      most = Math.max(most, ++running)
      await sleep(1)
      running--
      return input
    },
  })
  const legwork = await openLegwork({ functions: [tool], limits: { maxConcurrentCalls: 8 } })
  const outcomes = await Promise.all(
    Array.from({ length: 1_000 }, (_, n) => legwork.call({ tool: 'number', input: { n } })),
  )
  expect(outcomes.map((outcome) => outcome.ok && (outcome.value as { n: number }).n)).toEqual(
    Array.from({ length: 1_000 }, (_, n) => n),
  )
  expect(most).toBe(8)
  expect(legwork.journal.verify()).toMatchObject({ ok: true, entries: 2_000 })
})

test('a queue that is full says so', async () => {
  const legwork = await openLegwork({ functions: [waiting()], limits: { maxConcurrentCalls: 1, maxQueuedCalls: 1 } })
  const controller = new AbortController()
  const calls = [1, 2, 3].map(() => legwork.call({ tool: 'wait', signal: controller.signal }))
  expect(await calls[2]).toMatchObject({ ok: false, code: 'too-busy' })
  controller.abort()
  expect((await Promise.all(calls)).map((outcome) => !outcome.ok && outcome.code)).toEqual([
    'cancelled',
    'cancelled',
    'too-busy',
  ])
})

test('every step is an event, in order', async () => {
  const tool = defineTool({
    name: 'steps',
    description: '',
    effects: harmless,
    run: (_, { progress }) => progress({ message: 'half', done: 1, total: 2 }),
  })
  const legwork = await openLegwork({ functions: [tool] })
  const events: CallEvent[] = []
  const off = legwork.on((event) => void events.push(event))
  await legwork.call({ tool: 'steps' })
  off()
  await legwork.call({ tool: 'steps' })
  expect(events.map(({ type }) => type)).toEqual(['started', 'decided', 'progress', 'ended'])
  expect(events.every(({ tool: id }) => id === 'steps')).toBe(true)
})

test('a listener that throws harms nobody', async () => {
  const legwork = await openLegwork({ functions: [echo] })
  legwork.on(() => {
    throw new Error('broken listener')
  })
  expect(await legwork.call({ tool: 'demo:echo', input: { message: 'x' } })).toMatchObject({ ok: true })
})

test('a validator that never answers does not hold the call for ever', async () => {
  const input = { '~standard': { version: 1, vendor: 'slow', validate: () => new Promise<never>(() => {}) } } as const
  const legwork = await openLegwork({
    functions: [defineTool({ name: 'slow', description: '', input, run: () => 1 })],
    limits: { timeoutMs: 30 },
  })
  const outcome = await legwork.call({ tool: 'slow' })
  expect(outcome).toMatchObject({ ok: false, code: 'invalid-input' })
  expect(outcome.text).toContain('did not end within 30 ms')
})

test('a name that is enormous, or no text at all, is an unknown tool, and the journal stays small', async () => {
  const legwork = await openLegwork({ functions: [echo] })
  for (const tool of ['x'.repeat(5_000_000), undefined, 7, null, {}, ['demo:echo']]) {
    const outcome = await legwork.call({ tool: tool as string })
    expect(outcome).toMatchObject({ ok: false, code: 'unknown-tool' })
    expect(outcome.tool.length).toBeLessThanOrEqual(256)
  }
  expect(JSON.stringify(legwork.journal.read()).length).toBeLessThan(20_000)
})

test('what a tool throws is cut in the journal, and whole in the outcome up to the text’s own limit', async () => {
  const legwork = await openLegwork({
    functions: [
      thrown(() => {
        throw new Error('y'.repeat(1_000_000))
      }),
    ],
  })
  const outcome = await legwork.call({ tool: 'bad', input: { big: 'z'.repeat(1_000_000) } })
  expect(outcome.text.length).toBeGreaterThan(99_900)
  expect(outcome.text.length).toBeLessThanOrEqual(100_000)
  expect(JSON.stringify(legwork.journal.read()).length).toBeLessThan(20_000)
})

test('a call that was given up already does not wait for its turn', async () => {
  const legwork = await openLegwork({ functions: [waiting(), echo], limits: { maxConcurrentCalls: 1 } })
  const controller = new AbortController()
  const first = legwork.call({ tool: 'wait', signal: controller.signal })
  expect(await legwork.call({ tool: 'demo:echo', input: { message: 'x' }, signal: AbortSignal.abort() })).toMatchObject(
    { code: 'cancelled' },
  )
  controller.abort()
  await first
})

test('a secret in a name that is cut shows no part of itself', async () => {
  const secret = 'swordfish-swordfish-1234'
  const legwork = await openLegwork({ functions: [echo], redact: { values: [secret] } })
  for (const length of [235, 245, 250, 255]) {
    const outcome = await legwork.call({ tool: `${'n'.repeat(length)}${secret}` })
    expect(JSON.stringify([outcome, legwork.journal.read()])).not.toContain('sword')
  }
})

test('content is checked, shown to the person, and in the journal', async () => {
  const seen: unknown[] = []
  const legwork = await openLegwork({
    functions: [destroy],
    approve: ({ content }) => {
      seen.push(content)
      return false
    },
    limits: { maxInputBytes: 100 },
  })
  await legwork.call({ tool: 'demo:destroy', content: 'drop it all' })
  expect(seen).toEqual(['drop it all'])
  expect(legwork.journal.read({ phase: 'start' })[0]?.input).toBe('{"input":{},"content":"drop it all"}')
  for (const content of ['x'.repeat(101), 7 as never]) {
    expect(await legwork.call({ tool: 'demo:destroy', content })).toMatchObject({
      code: 'invalid-input',
      issues: [{ path: 'content' }],
    })
  }
})

test('whoever is asked, and whoever listens, cannot change what runs or what the caller gets', async () => {
  const tool = defineTool({ name: 'f', description: '', effects: { destructive: true }, run: (input) => input })
  const legwork = await openLegwork({
    functions: [tool],
    approve: (request) => {
      ;(request.input as { file: string }).file = 'evil'
      return { approved: true, reason: 'fine by me' }
    },
  })
  legwork.on((event) => {
    if (event.type === 'ended') Object.assign(event.outcome, { value: 'changed' })
  })
  const outcome = await legwork.call({ tool: 'f', input: { file: 'good' } })
  expect(outcome).toMatchObject({ value: { file: 'good' } })
  expect(outcome.decision?.reasons.at(-1)).toBe('A person approved it: fine by me')
})

test('a tool to look at cannot be run or changed', async () => {
  const legwork = await openLegwork({ functions: [destroy] })
  const tool = await legwork.tool('demo:destroy')
  expect(tool).not.toHaveProperty('run')
  Object.assign(tool?.effects ?? {}, { destructive: false })
  expect(await legwork.call({ tool: 'demo:destroy' })).toMatchObject({ code: 'approval-needed' })
})

test('a tool that throws an error without a proper message, or a caller that is none, breaks nothing', async () => {
  const odd = thrown(() => {
    throw Object.assign(new Error('x'), { message: { deep: 1 } })
  })
  const legwork = await openLegwork({ functions: [odd, echo] })
  expect(await legwork.call({ tool: 'bad' })).toMatchObject({ code: 'tool-failed' })
  expect((await legwork.call({ tool: 'demo:echo', input: { message: 'x' }, caller: {} as never })).callId).toBeTruthy()
  expect(await legwork.batch([{ tool: 'bad' }, { tool: 'demo:echo', input: { message: 'x' } }])).toHaveLength(2)
})

test('progress that JSON cannot hold, or that comes after the end, is nobody’s problem', async () => {
  let later: () => void = () => {}
  const tool = defineTool({
    name: 'p',
    description: '',
    effects: harmless,
    run: (_, { progress }) => {
      const cycle: { self?: unknown } = {}
      cycle.self = cycle
      progress(cycle as never)
      later = () => progress({ message: 'too late' })
      return 1
    },
  })
  const legwork = await openLegwork({ functions: [tool] })
  const types: string[] = []
  legwork.on(({ type }) => void types.push(type))
  expect(await legwork.call({ tool: 'p' })).toMatchObject({ ok: true })
  later()
  expect(types).toEqual(['started', 'decided', 'ended'])
})

test('a call that waits for its turn and is given up ends at once', async () => {
  const legwork = await openLegwork({ functions: [waiting(), echo], limits: { maxConcurrentCalls: 1 } })
  const [first, second] = [new AbortController(), new AbortController()]
  const running = legwork.call({ tool: 'wait', signal: first.signal })
  const queued = legwork.call({ tool: 'demo:echo', input: { message: 'x' }, signal: second.signal })
  await sleep(10)
  second.abort()
  expect(await queued).toMatchObject({ code: 'cancelled' })
  first.abort()
  await running
})

test('a slow validator is given up with the call', async () => {
  const input = { '~standard': { version: 1, vendor: 'slow', validate: () => new Promise<never>(() => {}) } } as const
  const legwork = await openLegwork({
    functions: [defineTool({ name: 'slow', description: '', input, limits: { timeoutMs: 30 }, run: () => 1 })],
  })
  expect(await legwork.call({ tool: 'slow' })).toMatchObject({ code: 'invalid-input' })
  expect(await legwork.call({ tool: 'slow', timeoutMs: 20_000, signal: AbortSignal.timeout(20) })).toMatchObject({
    ok: false,
  })
})

test('a last entry that cannot be written is a warning on the outcome', async () => {
  const folder = temporaryFolder()
  const tool = defineTool({
    name: 'remover',
    description: '',
    effects: harmless,
    run: () => rmSync(join(folder, 'j'), { recursive: true }),
  })
  const legwork = await createLegwork({ functions: [tool], journal: { path: join(folder, 'j', 'legwork.db') } })
  const outcome = await legwork.call({ tool: 'remover' })
  expect(outcome.ok).toBe(true)
  expect(outcome.warnings.join()).toContain('could not record how this call ended')
  await legwork.close()
})

test('where a rule stands is told by "why", and not to every caller', async () => {
  const legwork = await openLegwork({ functions: [echo], policy: { deny: ['demo:echo'] } })
  expect(JSON.stringify(await legwork.call({ tool: 'demo:echo', input: { message: 'x' } }))).not.toContain('"where"')
})

test('a clock that jumps a day, forwards or backwards, changes no duration and no deadline', async () => {
  for (const jump of [86_400_000, -86_400_000]) {
    let now = Date.now()
    const clock = { ...systemClock, now: () => now }
    const jumping = defineTool({
      name: 'jumping',
      description: '',
      effects: harmless,
      run: (_, { signal }) => {
        now += jump
        return sleep(20_000, undefined, { signal })
      },
    })
    const legwork = await openLegwork({ functions: [jumping, echo], clock })
    const outcome = await legwork.call({ tool: 'jumping', timeoutMs: 60 })
    expect(outcome).toMatchObject({ code: 'timed-out', afterMs: 60 })
    expect(outcome.durationMs).toBeGreaterThanOrEqual(50)
    expect(outcome.durationMs).toBeLessThan(5_000)
    expect(await legwork.call({ tool: 'demo:echo', input: { message: 'x' } })).toMatchObject({ ok: true })
    expect(legwork.journal.verify()).toMatchObject({ ok: true, entries: 4 })
  }
})

test('what a person approved beforehand holds for that question alone', async () => {
  const legwork = await openLegwork({ functions: [destroy] })
  const call = { tool: 'demo:destroy', input: { what: 'a' } }
  const why = await legwork.why(call)
  const approved = why.ok ? (why.question ?? '') : ''
  expect(approved).toMatch(/^[0-9a-f]{64}$/)
  expect(await legwork.call({ ...call, approved })).toMatchObject({ ok: true, decision: { verdict: 'allow' } })
  for (const other of [
    { ...call, input: { what: 'b' } },
    { ...call, content: 'more' },
    { ...call, caller: { front: 'mcp' } as const },
  ]) {
    expect(await legwork.call({ ...other, approved })).toMatchObject({ code: 'denied', decision: { rule: 'approval' } })
  }
  expect(await legwork.call({ ...call, approved: '' })).toMatchObject({ code: 'denied' })
  expect(await legwork.why({ tool: 'demo:destroy' })).not.toHaveProperty('question')
})
