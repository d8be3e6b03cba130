import { spawn } from 'node:child_process'
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  captureOutput,
  ExecutionError,
  executeCommand,
  handleTimeout,
  spawnWithTimeout,
} from '../../src/doors/program.ts'
import { LimitError } from '../../src/index.ts'
import { temporaryFolder } from '../support/temporary.ts'

describe('executeCommand', () => {
  test('runs words as they are', async () => {
    expect(await executeCommand(['printf', '%s|', '$(id)', '*', '; ls'])).toMatchObject({
      success: true,
      exitCode: 0,
      stdout: '$(id)|*|; ls|',
      timedOut: false,
      truncated: false,
    })
  })

  test('an exit code that is not 0 is a result', async () => {
    expect(await executeCommand(['sh', '-c', 'echo no >&2; exit 3'])).toMatchObject({
      success: false,
      exitCode: 3,
      stderr: 'no\n',
    })
  })

  test('a text needs a shell, and gets one only when it is asked for', async () => {
    expect(() => executeCommand('echo a | tr a b')).toThrow(/there is no shell/)
    expect(await executeCommand('echo a | tr a b', { shell: true })).toMatchObject({ stdout: 'b\n' })
    expect(await executeCommand('echo $0', { shell: '/bin/bash' })).toMatchObject({ stdout: '/bin/bash\n' })
  })

  test('a shell reads the first word, and no other', async () => {
    const words = ['X=5; printf "%s|" $X', '$HOME', '`id`', 'a b']
    expect(await executeCommand(words, { shell: true })).toMatchObject({ stdout: '5|$HOME|`id`|a b|' })
  })

  test('a working directory, variables, standard input, live output', async () => {
    const cwd = join(realpathSync(temporaryFolder()), 'in here')
    mkdirSync(cwd)
    const seen: string[] = []
    const script = 'pwd; echo "$GIVEN $LEGWORK_TEST_HIDDEN"; cat; echo aside >&2'
    process.env.LEGWORK_TEST_HIDDEN = 'no'
    const result = await executeCommand(['sh', '-c', script], {
      cwd,
      env: { GIVEN: 'yes' },
      stdin: 'input',
      onStdout: (text) => void seen.push(`out ${text}`),
      onStderr: (text) => void seen.push(`err ${text}`),
    })
    expect(result.stdout).toBe(`${cwd}\nyes \ninput`)
    expect(seen.join('')).toContain('out ')
    expect(seen).toContain('err aside\n')
  })

  test('the time is bounded, and what was printed is kept', async () => {
    const started = performance.now()
    const result = await executeCommand(['sh', '-c', 'echo begun; sleep 20 & wait'], { timeout: 300 })
    expect(result).toMatchObject({ success: false, timedOut: true, stdout: 'begun\n', limits: { timeout: 300 } })
    expect(performance.now() - started).toBeLessThan(2_000)
  })

  test('output is bounded', async () => {
    expect(await executeCommand(['sh', '-c', 'printf 123456789'], { maxOutputSize: 4 })).toMatchObject({
      stdout: '1234',
      stdoutBytes: 9,
      truncated: true,
    })
  })

  test.each([{ timeout: 600_001 }, { timeout: 0 }, { maxOutputSize: 10_485_761 }])(
    '%j is out of range',
    async (options) => {
      await expect(spawnWithTimeout(['true'], options)).rejects.toThrow(LimitError)
    },
  )

  test('what cannot be started is an error with its command and its reason', async () => {
    const error = await executeCommand(['no-such-program-anywhere', 'x']).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(ExecutionError)
    expect(error).toMatchObject({ command: ['no-such-program-anywhere', 'x'], cause: 'not-found' })
  })

  test('what is cancelled is an error', async () => {
    const signal = AbortSignal.timeout(100)
    await expect(executeCommand(['sleep', '20'], { signal })).rejects.toThrow(/was cancelled/)
  })
})

describe('for processes that others start', () => {
  test('captureOutput reads both streams within bounds', async () => {
    const child = spawn('sh', ['-c', 'printf 123456; printf é >&2'])
    expect(await captureOutput(child, { maxOutputSize: 4 })).toEqual({
      stdout: '1234',
      stderr: 'é',
      stdoutBytes: 6,
      stderrBytes: 2,
      truncated: true,
    })
    expect(await captureOutput(spawn('true', { stdio: 'ignore' }))).toMatchObject({ stdout: '', stderr: '' })
  })

  test('handleTimeout ends a process that does not want to', async () => {
    const child = spawn('sh', ['-c', 'trap "" TERM; echo on; sleep 20 & wait; wait'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await new Promise((resolve) => child.stdout?.once('data', resolve))
    const handle = handleTimeout(child, 100)
    const signal = await new Promise((resolve) => child.once('exit', (_code, name) => resolve(name)))
    expect(signal).toBe('SIGKILL')
    expect(handle.timedOut()).toBe(true)
  })

  test('handleTimeout leaves a process alone that ends in time, or is let go', async () => {
    const quick = spawn('true')
    const handle = handleTimeout(quick, 60_000)
    await new Promise((resolve) => quick.once('exit', resolve))
    expect(handle.timedOut()).toBe(false)
    const slow = spawn('sleep', ['0.3'])
    handleTimeout(slow, 50).cancel()
    expect(await new Promise((resolve) => slow.once('exit', resolve))).toBe(0)
    expect(handleTimeout(slow, 1).timedOut()).toBe(false)
  })
})
