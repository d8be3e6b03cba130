import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  captureOutput,
  ExecutionError,
  executeCommand,
  handleTimeout,
  spawnWithTimeout,
  TimeoutError,
} from '../../src/doors/program.ts'
import { LimitError } from '../../src/index.ts'
import { confinementAvailable } from '../../src/run/confinement.ts'
import { describedTool, makeExecutor } from '../support/executor.ts'
import { temporaryFolder } from '../support/temporary.ts'

test('003/Executing subprocesses', async () => {
  expect(await executeCommand(['printf', 'hi'])).toMatchObject({ exitCode: 0, stdout: 'hi' })
})
test('003/Direct subprocess invocation: the command is what runs', async () => {
  const { executor } = makeExecutor()
  expect((await executor.execute({ name: 'show', arguments: { word: 'x' } })).command).toEqual(['show', 'x'])
})
test('003/executeCommand', async () => {
  expect(await executeCommand(['sh', '-c', 'exit 3'])).toMatchObject({ success: false, exitCode: 3 })
})
test('003/spawnWithTimeout', async () => {
  expect(await spawnWithTimeout(['sleep', '20'], { timeout: 200 })).toMatchObject({ timedOut: true, success: false })
})
test('003/captureOutput', async () => {
  const child = spawn('sh', ['-c', 'printf out; printf err >&2'])
  expect(await captureOutput(child, { maxOutputSize: 2 })).toMatchObject({
    stdout: 'ou',
    stderr: 'er',
    truncated: true,
  })
})
test('003/handleTimeout kills on timeout', async () => {
  const child = spawn('sleep', ['20'])
  const handle = handleTimeout(child, 100)
  expect(await once(child, 'exit')).toEqual([null, 'SIGTERM'])
  expect(handle.timedOut()).toBe(true)
})

test('003/Safety measure 1: no shell', async () => {
  expect(() => executeCommand('echo $HOME')).toThrow(/no shell/)
  expect(await executeCommand(['echo', '$HOME'])).toMatchObject({ stdout: '$HOME\n' })
})
test('003/Safety measure 2: timeout, 30 s unless the option or the effects say otherwise, at most 10 minutes', async () => {
  const timed = (timeout?: string) =>
    makeExecutor({
      tools: [describedTool('show', { commands: { '': timeout ? { effects: { duration: { timeout } } } : {} } })],
    }).executor.execute({ name: 'show' })
  expect((await timed()).limits.timeout).toBe(30_000)
  expect((await timed('60s')).limits.timeout).toBe(60_000)
  expect((await timed('2h')).limits.timeout).toBe(600_000)
  expect(() => makeExecutor({ execution: { timeout: 600_001 } })).toThrow(LimitError)
})
test('003/Safety measure 3: output size, 1 MB unless said otherwise, at most 10 MB', async () => {
  const result = await makeExecutor().executor.execute({ name: 'flood' })
  expect(result).toMatchObject({ stdoutBytes: 3_000_000, truncated: true })
  expect(result.stdout.length).toBe(1_048_576)
  expect(() => makeExecutor({ execution: { maxOutputSize: 10_485_761 } })).toThrow(LimitError)
})
/** 50 ms are what a program has to clean up, which a busy machine may not give it. */
test('003/Safety measure 4: signals', { retry: 3 }, async () => {
  const result = await executeCommand(['sh', '-c', 'trap "echo cleaned; exit 0" TERM; echo on; sleep 20 & wait'], {
    timeout: 400,
    confine: 'off',
  })
  expect(result).toMatchObject({ timedOut: true, stdout: 'on\ncleaned\n' })
})
test('003/Safety measure 5: working directory', async () => {
  const cwd = realpathSync(temporaryFolder())
  expect(await executeCommand(['pwd'], { cwd })).toMatchObject({ stdout: `${cwd}\n` })
})
test('003/Explicit working directory: given by the owner, and it must exist', async () => {
  await expect(executeCommand(['pwd'], { cwd: '/no/such/folder' })).rejects.toThrow(ExecutionError)
})
test('003/Environment isolation', async () => {
  process.env.LEGWORK_TEST_PRIVATE = 'private'
  const { executor } = makeExecutor({ execution: { env: { GIVEN: 'given' } } })
  const { stdout } = await executor.execute({ name: 'vars' })
  expect(stdout).toContain('GIVEN=given')
  expect(stdout).not.toContain('LEGWORK_TEST_PRIVATE')
})
test('003/No runaway processes: nothing outlives its time', async () => {
  const { executor } = makeExecutor({ execution: { timeout: 300 } })
  const started = performance.now()
  await expect(executor.execute({ name: 'slow' })).rejects.toThrow(TimeoutError)
  expect(performance.now() - started).toBeLessThan(2_000)
})

test('003/executor.executeStream', async () => {
  const { executor } = makeExecutor()
  const types: string[] = []
  for await (const event of executor.executeStream({ name: 'fail' })) types.push(event.type)
  expect(types.toSorted()).toEqual(['result', 'stderr', 'stdout'])
  expect(types.at(-1)).toBe('result')
})
test('003/Real-time streaming: output comes while the program runs', async () => {
  const { executor } = makeExecutor()
  for await (const event of executor.executeStream({ name: 'slow' })) {
    expect(event).toEqual({ type: 'stdout', text: 'begun\n' })
    break
  }
})
test('003/Progress reporting: callbacks get what is printed', async () => {
  const seen: string[] = []
  const { executor } = makeExecutor({
    execution: { onStdout: (text) => void seen.push(text), onStderr: (text) => void seen.push(text) },
  })
  await executor.execute({ name: 'fail' })
  expect(seen.toSorted()).toEqual([expect.stringContaining('cannot read'), 'out\n'])
})
test('003/Streaming output: what streams is not all kept', async () => {
  let bytes = 0
  const { executor } = makeExecutor({
    execution: {
      maxOutputSize: 1_000,
      onStdout: (text) => {
        bytes += text.length
      },
    },
  })
  const result = await executor.execute({ name: 'flood' })
  expect(bytes).toBe(3_000_000)
  expect(result.stdout.length).toBe(1_000)
})
test('003/Memory of output', async () => {
  const { executor } = makeExecutor({ execution: { maxOutputSize: 500 } })
  expect((await executor.execute({ name: 'flood' })).stdout.length).toBe(500)
})
test('003/Complexity of executeCommand: as long as the command takes', async () => {
  const { durationMs } = await executeCommand(['sleep', '0.3'])
  expect(durationMs).toBeGreaterThan(290)
  expect(durationMs).toBeLessThan(2_000)
})

const confined = await confinementAvailable()
const unconfined = !confined.available && !process.env.CI

test.skipIf(unconfined)('003/Sandbox isolation', async () => {
  const { stdout } = await executeCommand(['sh', '-c', 'ls /proc | grep -c "^[0-9]"'], { confine: 'full' })
  expect(Number(stdout)).toBeLessThan(10)
})
test.skipIf(unconfined)('003/Sandbox filesystem: what is not said to write cannot', async () => {
  const tools = [
    describedTool('show', { commands: { '': { arguments: [{ name: 'file', type: 'file' }] } }, name: 'touch' }),
  ]
  const { executor } = makeExecutor({ tools, execution: { confine: 'full' } })
  const result = await executor.execute({ name: 'touch', arguments: { file: 'made' } })
  expect(result).toMatchObject({ success: false, stderr: expect.stringContaining('Read-only') })
})
test.skipIf(unconfined)('003/Sandbox network: none unless it is said to be used', async () => {
  const { stdout } = await executeCommand(['sh', '-c', 'grep -c : /proc/net/dev'], { confine: 'full' })
  expect(stdout).toBe('1\n')
})
test.skipIf(unconfined)('003/Sandbox resources', async () => {
  const script = 'x = bytearray(400000000); print(len(x))'
  const result = await executeCommand(['python3', '-c', script], { resources: { memoryBytes: 200_000_000 } })
  expect(result).toMatchObject({ success: false, stderr: expect.stringContaining('MemoryError') })
})
