import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { connectServers } from '../../src/doors/mcp.ts'
import { temporaryFolder } from '../support/temporary.ts'

const server = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js')

test('servers are tools, called like any other, and served on', async () => {
  const everything = { command: process.execPath, args: [server, 'stdio'], legwork: { trust: 'org' as const } }
  await using servers = await connectServers({ everything }, { workspace: temporaryFolder() })
  expect((await servers.tools()).map(({ id }) => id)).toContain('everything:getSum')
  expect(await servers.call({ tool: 'everything:getSum', input: { a: 2, b: 3 } })).toMatchObject({ ok: true })
  const input = new PassThrough()
  const serving = servers.serve({ input, output: new PassThrough() })
  input.end()
  await serving
  await using gateway = { ...(await servers.gateway()), [Symbol.asyncDispose]: async () => {} }
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200)
  await gateway.stop()
})
