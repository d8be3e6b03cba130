import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { McpSettings } from '../../src/mcp/settings.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { nobody, openSource, warningsOf } from './support.ts'

const packages = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol')

function program(name: string, ...args: string[]): McpSettings {
  return {
    command: process.execPath,
    args: [join(packages, name, 'dist/index.js'), ...args],
    workspace: temporaryFolder(),
  }
}

/** Starts the server of everything at an address. */
async function listening(transport: 'streamableHttp' | 'sse', path: string): Promise<McpSettings> {
  const port = await freePort()
  const env = { PATH: process.env.PATH, PORT: String(port) }
  const entry = join(packages, 'server-everything/dist/index.js')
  const server = spawn(process.execPath, [entry, transport], { env, stdio: 'ignore' })
  onTestFinished(() => void server.kill('SIGKILL'))
  for (let tries = 0; tries < 400; tries++) {
    const isUp = await fetch(`http://127.0.0.1:${port}/nothing`).then(
      () => true,
      () => false,
    )
    if (isUp) break
    await sleep(25)
  }
  return { url: `http://127.0.0.1:${port}${path}`, workspace: '/tmp' }
}

function freePort(): Promise<number> {
  return new Promise((settle) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => settle(port))
    })
  })
}

describe.each([
  ['stdio', () => program('server-everything', 'stdio')],
  ['streamable HTTP', () => listening('streamableHttp', '/mcp')],
  ['SSE', () => listening('sse', '/sse')],
] as const)('everything by %s', (_, place) => {
  test('lists, calls, tells progress, keeps pictures and resources', async () => {
    const { catalogue, call } = await openSource(await place())
    expect((await catalogue.list()).length).toBeGreaterThan(10)
    expect(warningsOf(catalogue)).toEqual([])
    expect(await call('echo', { message: 'hi' })).toEqual({ ok: true, value: 'Echo: hi' })
    expect(await call('getStructuredContent', { location: 'New York' })).toMatchObject({
      ok: true,
      value: { conditions: expect.any(String) },
    })
    const picture = await call('getTinyImage')
    const kept = { content: expect.arrayContaining([expect.objectContaining({ type: 'image' })]) }
    expect(picture).toMatchObject({ ok: true, value: kept })
    const heard = nobody()
    await call('triggerLongRunningOperation', { duration: 0.2, steps: 2 }, undefined, heard)
    expect(heard.progress.map(({ done }) => done)).toEqual([1, 2])
  })
})

test('the server of files reads a file in its folder, and fails outside it', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'note.txt'), 'remember')
  const { call, catalogue } = await openSource(program('server-filesystem', folder))
  const ran = await call('readTextFile', { path: join(folder, 'note.txt') })
  expect(ran).toEqual({ ok: true, value: { content: 'remember' } })
  expect(await call('readTextFile', { path: '/etc/hostname' })).toMatchObject({ ok: false, code: 'tool-failed' })
  expect((await catalogue.resolve('x:writeFile'))?.effects).toMatchObject({ destructive: true })
})

test('the server of memory remembers from call to call', async () => {
  const folder = temporaryFolder()
  const env = { MEMORY_FILE_PATH: join(folder, 'memory.json') }
  const { call } = await openSource({ ...program('server-memory'), env })
  await call('createEntities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['counts'] }] })
  expect(await call('readGraph')).toMatchObject({ ok: true, value: { entities: [{ name: 'Ada' }] } })
})

test('the server of thoughts thinks', async () => {
  const { call, catalogue } = await openSource(program('server-sequential-thinking'))
  const [tool] = await catalogue.list()
  expect(tool?.id).toBe('x:sequentialthinking')
  const thought = { thought: 'So', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }
  expect(await call('sequentialthinking', thought)).toMatchObject({ ok: true, value: { thoughtNumber: 1 } })
})
