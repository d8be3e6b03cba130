import { expect, test } from 'vitest'
import { gatewayToken } from '../../src/gateway/token-file.ts'
import { defineTool } from '../../src/index.ts'
import { isListening } from '../support/gateway.ts'
import { openLegwork } from '../support/legwork.ts'
import { temporaryFolder } from '../support/temporary.ts'

const echo = defineTool({
  name: 'demo:echo',
  description: 'Says it back',
  effects: { destructive: false },
  run: (input) => input,
})

test('the library serves its tools with the module for scripts, within its own limits, until it is closed', async () => {
  const folder = temporaryFolder()
  const legwork = await openLegwork({ functions: [echo], limits: { maxInputBytes: 1_000 } })
  const gateway = await legwork.gateway({ folder })
  const authorization = `Bearer ${gatewayToken(gateway.url, { folder, environment: {} })}`
  const post = (message: string) =>
    fetch(`${gateway.url}/tools/demo__echo`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ message }),
    })
  expect(await (await post('hi')).json()).toMatchObject({ ok: true, value: { message: 'hi' } })
  expect((await post('x'.repeat(1_000))).status).toBe(413)
  const client = await fetch(`${gateway.url}/runtime/tools.ts`, { headers: { authorization } })
  expect(await client.text()).toContain('demo__echo')
  const types = await fetch(`${gateway.url}/runtime/tools.d.ts`, { headers: { authorization } })
  expect(await types.text()).toContain('Says it back')
  await legwork.close()
  expect(await isListening(Number(new URL(gateway.url).port))).toBe(false)
  await expect(legwork.gateway({ folder })).rejects.toThrow('closed')
})

test('a script’s client calls through its door, and a failing tool throws with its code', async () => {
  const fail = defineTool({
    name: 'demo:fail',
    description: '',
    run: () => {
      throw new Error('it broke')
    },
  })
  const legwork = await openLegwork({ functions: [echo, fail] })
  const gateway = await legwork.gateway({ folder: temporaryFolder() })
  const door = await gateway.makeRunDoor()
  door.open({ call: (tool, input, options) => legwork.call({ ...options, tool, input }), end: () => {} })
  const text = await (await fetch(`${door.url}/runtime/tools.ts`)).text()
  // What Deno does with the address, done by hand: here a module cannot be loaded from one.
  const own = text.replace("new URL('..', import.meta.url).href", JSON.stringify(`${door.url}/`))
  const { tools } = await import(`data:text/javascript,${encodeURIComponent(own)}`)
  expect(await tools.demo.echo({ a: 1 })).toEqual({ a: 1 })
  expect(await tools.demo.echo({ a: 1 }, { content: 'gently', timeoutMs: 1_000 })).toEqual({ a: 1 })
  await expect(tools.demo.fail()).rejects.toMatchObject({
    code: 'tool-failed',
    message: expect.stringContaining('it broke'),
  })
  door.close()
  await expect(tools.demo.echo({ a: 1 })).rejects.toMatchObject({ code: 'gateway' })
})
