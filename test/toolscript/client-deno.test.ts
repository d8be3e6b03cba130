// The client where it really runs: loaded by Deno from a gateway's address, which must then stand nowhere.

import { spawn } from 'node:child_process'
import { globSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { clientModule } from '../../src/toolscript/client.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { definition, described } from './declarations-compile.ts'

const [deno] = globSync('node_modules/@deno/*/deno', { cwd: join(import.meta.dirname, '../..') })
if (!deno && process.env.CI) throw new Error('CI must have Deno.')

const script = `import { tools, ToolError } from "toolscript"
JSON.parse = JSON.stringify = () => { throw new Error("changed") }
globalThis.fetch = () => { throw new Error("changed") }
console.log(await tools.demo.echo({ say: "hi" }))
try {
  await tools.demo.echo({ fail: true })
} catch (error) {
  console.log(error instanceof ToolError, error.code)
  console.log(error.stack)
}
await tools.demo.echo({ fail: true })
`

test.skipIf(!deno)('a script calls by the address that the module came from, and no stack tells it', async () => {
  const text = clientModule(await described([definition(['demo', 'echo'], {})]))
  const paths: string[] = []
  const server = createServer(async (incoming, response) => {
    let body = ''
    for await (const chunk of incoming) body += chunk
    paths.push(incoming.url ?? '')
    if (incoming.method === 'GET') response.setHeader('content-type', 'text/javascript').end(text)
    else if (body.includes('fail'))
      response.end('{"ok":false,"tool":"demo:echo","code":"tool-failed","message":"It broke"}')
    else response.end('{"ok":true,"value":"said"}')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const folder = temporaryFolder()
  const map = { imports: { toolscript: `http://${host}/run/the-capability/runtime/tools.ts?_t=1` } }
  writeFileSync(join(folder, 'imports.json'), JSON.stringify(map))
  writeFileSync(join(folder, 'script.ts'), script)
  const { stdout, stderr } = await runDeno(folder, host)
  expect(paths).toContain('/run/the-capability/tools/demo__echo')
  expect(stdout).toMatch(
    /^said\ntrue tool-failed\nToolError: It broke\n {4}at call \(legwork:toolscript:\d+:\d+\)\n.*script\.ts:6:\d+/,
  )
  expect(stderr).toMatch(/ToolError: It broke.*script\.ts:11:1/s)
  expect(stdout + stderr).not.toMatch(/the-capability|127\.0\.0\.1/)
})

function runDeno(folder: string, host: string): Promise<{ stdout: string; stderr: string }> {
  const flags = ['--quiet', '--no-check', '--no-prompt', '--no-config', '--no-lock', '--no-npm']
  const walls = [`--allow-net=${host}`, `--allow-import=${host}`, '--import-map=imports.json']
  const child = spawn(join(import.meta.dirname, '../..', deno ?? ''), ['run', ...flags, ...walls, 'script.ts'], {
    cwd: folder,
    env: { DENO_DIR: join(folder, 'deno'), NO_COLOR: '1', PATH: process.env.PATH },
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (data: Buffer) => {
    output.stdout += data
  })
  child.stderr.on('data', (data: Buffer) => {
    output.stderr += data
  })
  return new Promise((done) => child.on('close', () => done(output)))
}
