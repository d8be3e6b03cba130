import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { gatewayToken } from '../../src/gateway/token-file.ts'
import { commandFile, runLegwork } from '../support/command.ts'
import { isListening } from '../support/gateway.ts'
import { makeProject } from '../support/project.ts'

interface Served {
  readonly child: ChildProcess
  readonly cwd: string
  readonly url: string
  readonly port: number
  readonly token: string
  readonly tokenFolder: string
  readonly output: { stdout: string; stderr: string }
  /** Ends it and gives its exit code. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>
}

/** Starts the command and waits until it has told its address. */
async function serve(words: readonly string[] = []): Promise<Served> {
  const cwd = makeProject()
  const child = spawn(process.execPath, [commandFile, 'serve', ...words], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  await expect.poll(() => /http:\/\/[\d.]+:\d+.*\n$/s.test(output.stdout), { timeout: 20_000 }).toBe(true)
  const url = /http:\/\/[\d.]+:\d+/.exec(output.stdout)?.[0] ?? ''
  const tokenFolder = join(cwd, '.local/state/legwork')
  const token = gatewayToken(url, { folder: tokenFolder, environment: {} })
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await exited
    return child.exitCode
  }
  return { child, cwd, url, port: Number(new URL(url).port), token, tokenFolder, output, end }
}

const call = (url: string, token: string, wire: string, input: unknown = {}) =>
  fetch(`${url}/tools/${wire}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })

test('it prints its address and how to use it, serves every kind of tool, and leaves nothing behind', async () => {
  const { url, token, output, end, port, tokenFolder } = await serve()
  expect(output.stdout).toMatch(
    /^Legwork listens at http.*\nexport TOOLSCRIPT_GATEWAY_URL=http:\/\/127\.0\.0\.1:\d+\n$/,
  )
  expect(await (await call(url, token, 'demo__echo', { message: 'hi' })).json()).toMatchObject({
    value: { message: 'hi' },
  })
  expect(await (await call(url, token, 'sh', { file: 'hello.sh' })).json()).toMatchObject({ ok: true, value: 'hello' })
  const runtime = await fetch(`${url}/runtime/tools.ts`, { headers: { authorization: `Bearer ${token}` } })
  expect(await runtime.text()).toContain('demo__echo')
  expect(await end('SIGTERM')).toBe(0)
  expect(await isListening(port)).toBe(false)
  expect(readdirSync(tokenFolder)).toEqual([])
  expect(output.stdout + output.stderr).not.toContain(token)
})

test('with --json it prints one JSON value', async () => {
  const { url, token, output, end, child } = await serve(['--json', '--port', '0'])
  expect(await end('SIGINT')).toBe(0)
  expect(JSON.parse(output.stdout)).toEqual({ ok: true, address: url, tokenFile: expect.any(String), pid: child.pid })
  expect(output.stdout + output.stderr).not.toContain(token)
})

test('a signal cancels the calls that run, answers them, and ends their processes', async () => {
  const { cwd, url, token, end } = await serve()
  writeFileSync(join(cwd, 'slow.sh'), 'touch begun; sleep 30; touch ended')
  const waiting = call(url, token, 'sh', { file: 'slow.sh' })
  await expect.poll(() => existsSync(join(cwd, 'begun')), { timeout: 10_000 }).toBe(true)
  expect(await end('SIGHUP')).toBe(0)
  expect(await (await waiting).json()).toMatchObject({ ok: false, code: 'cancelled' })
  expect(existsSync(join(cwd, 'ended'))).toBe(false)
})

test.each([
  [['--host', '0.0.0.0'], 'without a token of your own'],
  [['--port', '70000'], '"70000" is no port'],
  [['--port', 'x'], '"x" is not a whole number'],
  [['--token-file', 'nowhere'], 'There is no token file "nowhere"'],
  [['--stdio', '--port', '1'], 'has no address'],
])('serve %j says what is wrong and does not start', async (words, message) => {
  const { exitCode, stdout, stderr } = await runLegwork(['serve', ...words], { cwd: makeProject() })
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain(message)
})
