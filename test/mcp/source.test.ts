import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PinState, Pins } from '../../src/mcp/pins-types.ts'
import { mcpSource } from '../../src/mcp/source.ts'
import { allSpellings, spell } from '../../src/model/name.ts'
import { processesWith, soon } from '../fixtures/run/support.ts'
import { openLegwork } from '../support/legwork.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { openServer, serverFile, warningsOf } from './support.ts'

const program = (mode: string, ...more: string[]) => ({ command: process.execPath, args: [serverFile, mode, ...more] })

describe('which server is asked', () => {
  test('every spelling of a server’s tools leads to that server', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), fc.boolean(), (module, tool, isTaken) => {
        let refusals = isTaken ? 1 : 0
        const { spellings } = spell('mcp', { module, path: [tool] }, () => refusals-- > 0)
        const { mayHave } = mcpSource(module, { command: 'x', workspace: '/' })
        for (const spelling of allSpellings(spellings)) expect(mayHave?.(spelling), spelling).toBe(true)
      }),
    )
  })

  test.each(['github:createIssue', 'tools.github.createIssue', 'github__create_issue', 'filesystem:read', 'file', ''])(
    '"%s" leads to no server called "files"',
    (spelling) => {
      expect(mcpSource('files', { command: 'x', workspace: '/' }).mayHave?.(spelling)).toBe(false)
    },
  )

  test('a call to one server starts no other, and a list starts all', async () => {
    const folder = temporaryFolder()
    const [one, two] = [join(folder, 'one'), join(folder, 'two')]
    const legwork = await openLegwork({
      workspace: folder,
      mcpServers: { one: program('plain', one), two: program('plain', two) },
      policy: { allow: ['one:*'] },
    })
    expect([existsSync(one), existsSync(two)]).toEqual([false, false])
    expect(await legwork.call({ tool: 'one:text' })).toMatchObject({ ok: true, value: 'just words' })
    expect([existsSync(one), existsSync(two)]).toEqual([true, false])
    await legwork.tools()
    expect(existsSync(two)).toBe(true)
    await legwork.close()
    expect(await soon(() => processesWith(folder).length === 0)).toBe(true)
  })
})

test.each([
  [{ include: ['e*', 'json'] }, ['x:echo', 'x:json', 'x:env']],
  [{ include: ['*a*'], exclude: ['*c*', 'wait'] }, ['x:fail', 'x:late']],
  [{ include: [], exclude: ['*'] }, []],
])('of its tools, %j takes %j', async (settings, ids) => {
  const { catalogue } = await openServer('plain', settings)
  expect((await catalogue.list()).map(({ id }) => id)).toEqual(ids)
})

describe('tools that have changed since they were accepted', () => {
  const pinsOf = (states: Record<string, PinState>) => {
    const accepted: string[] = []
    const pins: Pins = {
      check: () => new Map(Object.entries(states)),
      accept: (server, { name, description }) => void accepted.push(`${server} ${name} ${description}`),
    }
    return { pins, accepted }
  }

  test('ask, until one of them has run', async () => {
    const { pins, accepted } = pinsOf({
      text: { state: 'changed', difference: 'It is another.' },
      json: { state: 'same' },
    })
    const { catalogue, call } = await openServer('plain', { pins })
    const tool = await catalogue.resolve('x:text')
    expect(tool?.plan?.({})).toEqual({ ok: true, plan: { questions: ['It is another.'] } })
    expect((await catalogue.resolve('x:json'))?.plan).toBeUndefined()
    await call('text')
    await call('text')
    expect(accepted).toEqual(['x text '])
    expect(tool?.plan?.({})).toEqual({ ok: true, plan: { questions: [] } })
  })

  test('warn where that is all that is wanted, and stay unaccepted', async () => {
    const { pins, accepted } = pinsOf({ text: { state: 'changed', difference: 'It is another.' } })
    const { catalogue, call } = await openServer('plain', { pins, pin: 'warn' })
    expect((await catalogue.resolve('x:text'))?.plan?.({})).toEqual({ ok: true, plan: { questions: [] } })
    await call('text')
    expect(accepted).toEqual([])
    expect(warningsOf(catalogue)).toEqual(['server x: It is another.'])
  })

  test('are not looked at where pins are off', async () => {
    const { pins } = pinsOf({ text: { state: 'changed', difference: 'It is another.' } })
    const { catalogue } = await openServer('plain', { pins, pin: 'off' })
    expect((await catalogue.resolve('x:text'))?.plan).toBeUndefined()
  })
})

describe('on the one path', () => {
  test('a tool of unknown effects asks, one that is trusted and harmless runs, an allow rule answers', async () => {
    const mcpServers = {
      stranger: program('plain'),
      friend: { ...program('plain'), legwork: { trust: 'org' as const } },
    }
    const legwork = await openLegwork({
      workspace: temporaryFolder(),
      mcpServers,
      policy: { allow: ['stranger:json'] },
    })
    expect(await legwork.call({ tool: 'stranger:echo' })).toMatchObject({ ok: false, code: 'approval-needed' })
    expect(await legwork.call({ tool: 'stranger:json' })).toMatchObject({ ok: true })
    expect(await legwork.call({ tool: 'friend:echo', input: { a: 1 } })).toMatchObject({ ok: true, value: { a: 1 } })
    expect(await legwork.call({ tool: 'friend:remove' })).toMatchObject({ ok: false, code: 'approval-needed' })
    const readOnly = { front: 'library', readOnly: true } as const
    expect(await legwork.call({ tool: 'friend:echo', caller: readOnly })).toMatchObject({ ok: true })
    expect(await legwork.call({ tool: 'stranger:json', caller: readOnly })).toMatchObject({ ok: false, code: 'denied' })
  })

  test('time that runs out and a caller who gives up are told apart, and the server goes on', async () => {
    const legwork = await openLegwork({
      workspace: temporaryFolder(),
      mcpServers: { x: program('plain') },
      policy: { allow: ['x:*'] },
    })
    await legwork.call({ tool: 'x:text' })
    expect(await legwork.call({ tool: 'x:late', timeoutMs: 100 })).toMatchObject({ code: 'timed-out', afterMs: 100 })
    const signal = AbortSignal.timeout(100)
    expect(await legwork.call({ tool: 'x:ignore', signal })).toMatchObject({ ok: false, code: 'cancelled' })
    expect(await legwork.call({ tool: 'x:text' })).toMatchObject({ ok: true })
  })

  test('a server that fails leaves the others as they are, and is asked again later', async () => {
    const folder = temporaryFolder()
    const script = join(folder, 'server.sh')
    writeFileSync(script, 'exit 9')
    const mcpServers = { good: program('plain'), bad: { command: 'sh', args: [script] } }
    const legwork = await openLegwork({ workspace: folder, mcpServers, policy: { allow: ['good:*', 'bad:*'] } })
    expect((await legwork.tools()).length).toBeGreaterThan(20)
    const status = legwork.sources().find(({ source }) => source === 'server bad')
    expect(status).toEqual({ source: 'server bad', tools: 0, warnings: ['server bad: It ended with exit code 9.'] })
    writeFileSync(script, `exec "${process.execPath}" "${serverFile}" plain`)
    expect(await legwork.call({ tool: 'bad:text' })).toMatchObject({ ok: false, code: 'unknown-tool' })
    await new Promise((settle) => setTimeout(settle, 1_100))
    expect(await legwork.call({ tool: 'bad:text' })).toMatchObject({ ok: true, value: 'just words' })
  })

  test('an input is checked against the server’s schema, and a pattern of it cannot hang', async () => {
    const legwork = await openLegwork({
      workspace: temporaryFolder(),
      mcpServers: { x: program('schemas') },
      policy: { allow: ['x:*'] },
    })
    expect(await legwork.call({ tool: 'x:allOf', input: { a: 1 } })).toMatchObject({ code: 'invalid-input' })
    expect(await legwork.call({ tool: 'x:allOf', input: { a: 1, b: 1 } })).toMatchObject({ ok: true })
    expect(await legwork.call({ tool: 'x:cycle', input: { child: { child: {} } } })).toMatchObject({ ok: true })
    for (const tool of ['x:nowhere', 'x:network', 'x:wrongType']) {
      const outcome = await legwork.call({ tool, input: { any: 'thing' } })
      expect(outcome).toMatchObject({ ok: true })
      expect(outcome.warnings).toHaveLength(1)
    }
    const slow = { tool: 'x:slowPattern', input: { a: `${'a'.repeat(40)}!` } }
    expect(await legwork.call(slow)).toMatchObject({ code: 'invalid-input' })
  })

  test('a secret that a server gets is redacted in what it says', async () => {
    const legwork = await openLegwork({
      workspace: temporaryFolder(),
      mcpServers: { x: { ...program('plain'), env: { API_KEY: 'hunter2-hunter2' } } },
      policy: { allow: ['x:*'] },
    })
    const outcome = await legwork.call({ tool: 'x:env' })
    expect(outcome.ok).toBe(true)
    expect(JSON.stringify(outcome)).not.toContain('hunter2-hunter2')
  })

  test('a secret that a server prints as it fails is redacted in what its source says', async () => {
    const place = { command: 'sh', args: ['-c', 'echo "key $API_KEY is no good" >&2; exit 1'] }
    const legwork = await openLegwork({
      workspace: temporaryFolder(),
      mcpServers: { x: { ...place, env: { API_KEY: 'hunter2-hunter2' } } },
    })
    await legwork.tools()
    const [status] = legwork.sources().filter(({ source }) => source === 'server x')
    expect(status?.warnings[0]).toContain('It ended with exit code 1. It said: key ')
    expect(status?.warnings[0]).not.toContain('hunter2-hunter2')
  })
})

test('progress and log of a server are events of the call', async () => {
  const legwork = await openLegwork({
    workspace: temporaryFolder(),
    mcpServers: { x: program('plain') },
    policy: { allow: ['x:*'] },
  })
  const told: unknown[] = []
  legwork.on((event) => {
    if (event.type === 'progress') told.push(event.progress)
    if (event.type === 'log') told.push(`${event.level} ${event.message}`)
  })
  await legwork.call({ tool: 'x:progress' })
  await legwork.call({ tool: 'x:log' })
  expect(told).toEqual([
    { done: 1, total: 2, message: 'step 1' },
    { done: 2, total: 2, message: 'step 2' },
    'info hello',
    'error disk: {"full":true}',
  ])
})

test('with names as they are, the server does not stand before them', async () => {
  const { catalogue } = await openServer('plain', { names: 'plain' })
  const [tool] = await catalogue.list()
  expect(tool?.spellings.provider).toBe(tool?.name.path[0])
  expect(tool?.name.module).toBeUndefined()
})

test('a call to a tool of a server that is down says why it is down', async () => {
  const mcpServers = { gone: { command: 'no-such-program-here' } }
  const legwork = await openLegwork({ workspace: temporaryFolder(), mcpServers })
  const outcome = await legwork.call({ tool: 'gone:anything' })
  expect(outcome).toMatchObject({ ok: false, code: 'unknown-tool' })
  expect(outcome.text).toContain('no-such-program-here')
  expect((await legwork.call({ tool: 'elsewhere:anything' })).text).not.toContain('no-such-program-here')
})
