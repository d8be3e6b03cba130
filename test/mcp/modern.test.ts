import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { nobody, openSource } from './support.ts'

const file = join(import.meta.dirname, '../fixtures/mcp/modern.ts')
const settings = { command: process.execPath, args: [file], workspace: '/tmp' }

test('a server of the newest revision lists, calls, logs, tells progress and is cancelled', async () => {
  const { call, catalogue } = await openSource(settings)
  expect((await catalogue.list()).map(({ id }) => id)).toEqual(['x:add', 'x:say', 'x:wait', 'x:grow'])
  expect(await call('add', { a: 1, b: 2 })).toEqual({ ok: true, value: 3 })
  const heard = nobody()
  expect(await call('say', {}, undefined, heard)).toEqual({ ok: true, value: 'said' })
  expect(heard).toEqual({ progress: [{ done: 1 }], logs: ['warning careful'] })
  expect(await call('wait', {}, AbortSignal.timeout(100))).toMatchObject({ ok: false })
})

test('a server of the newest revision says that its tools changed, and they are listed again', async () => {
  const { call, catalogue } = await openSource(settings)
  expect(await call('grow')).toEqual({ ok: true, value: 'grew' })
  for (let tries = 0; tries < 300 && !(await catalogue.resolve('x:grown')); tries++) await sleep(10)
  expect(await call('grown')).toEqual({ ok: true, value: 'new' })
})
