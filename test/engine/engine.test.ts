// The engine by itself, with tools that break the rules their systems promise to keep.

import { expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { Catalogue } from '../../src/catalogue/catalogue.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { memoryJournal } from '../../src/journal/memory.ts'
import { anySchema } from '../../src/model/schema.ts'
import type { ToolDefinition } from '../../src/model/tool.ts'
import { createRedactor } from '../../src/outcome/redact.ts'
import { makePolicy } from '../../src/policy/policy.ts'

async function engineWith(definition: Partial<ToolDefinition>) {
  const catalogue = new Catalogue()
  const tool: ToolDefinition = {
    name: { path: ['odd'] },
    kind: 'program',
    description: '',
    input: anySchema,
    effects: { destructive: false },
    trust: 'vendor',
    run: async () => ({ ok: true, value: 'fine' }),
    ...definition,
  }
  await catalogue.add({ name: 'odd', load: () => ({ tools: [tool] }) })
  const policy = makePolicy()
  return createEngine({ catalogue, policy, journal: memoryJournal(), redactor: createRedactor(), clock: systemClock })
}

test('a tool whose run throws has failed', async () => {
  const engine = await engineWith({
    run: () => {
      throw new Error('at once')
    },
  })
  expect(await engine.execute({ tool: 'odd' })).toMatchObject({ ok: false, code: 'tool-failed', message: 'at once' })
  const later = await engineWith({ run: () => Promise.reject(new Error('later')) })
  expect(await later.execute({ tool: 'odd' })).toMatchObject({ ok: false, code: 'tool-failed', message: 'later' })
})

test('a plan that throws is a fault of the input', async () => {
  const engine = await engineWith({
    plan: () => {
      throw new Error('cannot be planned')
    },
  })
  expect(await engine.execute({ tool: 'odd' })).toMatchObject({
    code: 'invalid-input',
    issues: [{ message: 'cannot be planned' }],
  })
})

test('a tool that does not end when it is told to is given up in the end', async () => {
  const engine = await engineWith({ run: () => new Promise(() => {}) })
  expect(await engine.execute({ tool: 'odd', timeoutMs: 20 })).toMatchObject({ code: 'timed-out' })
})

test('the owner’s bound on output goes before a tool’s own, and the tool’s before the default', async () => {
  const limits = async (owners: object, own: object) => {
    const catalogue = new Catalogue()
    let seen = 0
    const run: ToolDefinition['run'] = async (_, context) => {
      seen = context.limits.maxOutputBytes
      return { ok: true, value: 1 }
    }
    const tool: ToolDefinition = {
      name: { path: ['x'] },
      kind: 'skill',
      description: '',
      input: anySchema,
      effects: { destructive: false },
      trust: 'native',
      limits: own,
      run,
    }
    await catalogue.add({ name: 'x', load: () => ({ tools: [tool] }) })
    const parts = {
      catalogue,
      policy: makePolicy(),
      journal: memoryJournal(),
      redactor: createRedactor(),
      clock: systemClock,
    }
    await createEngine({ ...parts, limits: owners }).execute({ tool: 'x' })
    return seen
  }
  expect(await limits({}, {})).toBe(1_048_576)
  expect(await limits({}, { maxOutputBytes: 10_485_760 })).toBe(10_485_760)
  expect(await limits({ maxOutputBytes: 5 }, { maxOutputBytes: 10_485_760 })).toBe(5)
})

test('live output is redacted across chunks and told in order', async () => {
  const engine = await engineWith({
    run: async (_, { output }) => {
      for (const text of ['a ghp_', 'A1b2C3d4E5f6G7h8I9', 'j0K1l2M3n4O5p6Q7r8 b\n', 'end']) await output('stdout', text)
      return { ok: true, value: null }
    },
  })
  const texts: string[] = []
  for await (const event of engine.stream({ tool: 'odd' })) if (event.type === 'output') texts.push(event.text)
  expect(texts.join('')).toBe('a [REDACTED] b\nend')
})

test('output that was cut off in the middle of a secret shows nothing of it', async () => {
  const secret = 'swordfish-swordfish-1234'
  const stdout = `${'x'.repeat(50)} ${secret.slice(0, 12)}`
  const process = {
    argv: ['x'],
    exitCode: 0,
    signal: null,
    stdout,
    stderr: stdout,
    stdoutBytes: 9_999,
    stderrBytes: 9_999,
    truncated: true,
    containment: 'group',
  } as const
  const catalogue = new Catalogue()
  const tool: ToolDefinition = {
    name: { path: ['x'] },
    kind: 'program',
    description: '',
    input: anySchema,
    effects: { destructive: false },
    trust: 'vendor',
    run: async () => ({ ok: true, value: stdout, process }),
  }
  await catalogue.add({ name: 'x', load: () => ({ tools: [tool] }) })
  const engine = createEngine({
    catalogue,
    policy: makePolicy(),
    journal: memoryJournal(),
    redactor: createRedactor({ values: [secret] }),
    clock: systemClock,
  })
  expect(JSON.stringify(await engine.execute({ tool: 'x' }))).not.toContain('sword')
})
