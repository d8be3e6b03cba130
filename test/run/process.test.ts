import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { kinds, report, run, temporaryFolder } from '../fixtures/run/support.ts'

describe.each(kinds)('confine: %s', (confine) => {
  test('gives back what a program wrote, and its exit code', async () => {
    const ended = await report(['sh', '-c', 'echo out; echo err >&2; exit 3'], confine)
    expect(ended).toEqual({
      argv: ['sh', '-c', 'echo out; echo err >&2; exit 3'],
      exitCode: 3,
      signal: null,
      stdout: 'out\n',
      stderr: 'err\n',
      stdoutBytes: 4,
      stderrBytes: 4,
      truncated: false,
      containment: confine === 'off' ? 'group' : 'namespace',
    })
  })

  test('passes arguments on as they are, with no shell to read them', async () => {
    const odd = ['$HOME', '`id`', 'a b', '', '*', '--x', "'", '"', '\n', 'ü']
    const ended = await report(['printf', '%s|', ...odd], confine)
    expect(ended.stdout).toBe(odd.map((argument) => `${argument}|`).join(''))
  })

  test('runs in the working directory', async () => {
    const folder = temporaryFolder()
    expect((await report(['pwd'], confine, { cwd: folder })).stdout).toBe(`${folder}\n`)
  })

  test.each(['SIGSEGV', 'SIGKILL', 'SIGTERM'] as const)('names the signal %s that ended it', async (name) => {
    const ended = await report(['sh', '-c', `kill -${name.slice(3)} $$`], confine)
    expect(ended.signal).toBe(name)
  })

  test('keeps an exit code above 128 that names no signal', async () => {
    expect(await report(['sh', '-c', 'exit 255'], confine)).toMatchObject({ exitCode: 255, signal: null })
  })

  test.each([
    ['bash', 'bash', ['-c', 'echo x > /dev/stderr; echo y > /dev/stdout']],
    ['sh', 'sh', ['-c', 'echo x > /dev/stderr; echo y > /dev/stdout']],
    ['python', 'python3', ['-c', 'open("/dev/stderr", "w").write("x\\n"); open("/dev/stdout", "w").write("y\\n")']],
  ])('lets a script in %s open /dev/stderr and /dev/stdout', async (_, program, args) => {
    expect(await report([program, ...args], confine)).toMatchObject({ exitCode: 0, stdout: 'y\n', stderr: 'x\n' })
  })

  test.each([1, 70_000, 3_000_000])('lets a script open /dev/stdin with %d bytes in it', async (length) => {
    const ended = await report(['sh', '-c', 'wc -c < /dev/stdin'], confine, { stdin: 'x'.repeat(length) })
    expect(ended.stdout.trim()).toBe(String(length))
  })

  test('has an empty standard input unless there is one to give', async () => {
    expect(await report(['cat'], confine)).toMatchObject({ exitCode: 0, stdout: '' })
  })

  test('is no login to a shell: start-up files are not read', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, '.bashrc'), 'echo from bashrc\n')
    const ended = await report(['bash', '-c', 'echo $SHLVL'], confine, { env: { HOME: folder }, stdin: 'x' })
    expect(ended.stdout).toBe('2\n')
  })

  test.each([
    ['a program that is not there', ['no-such-program'], {}, 'not-found'],
    ['a path that is not there', ['./no-such-program'], {}, 'not-found'],
    ['an empty name', [''], {}, 'not-found'],
    ['no name at all', [], {}, 'not-found'],
    ['a file without permission', ['/etc/passwd'], {}, 'not-executable'],
    ['a folder', ['/usr'], {}, 'not-executable'],
    ['a working directory that is gone', ['true'], { cwd: '/no/such/folder' }, 'bad-directory'],
    ['a working directory that is a file', ['true'], { cwd: '/etc/hostname' }, 'bad-directory'],
    ['an argument of 200 KB', ['echo', 'x'.repeat(200_000)], {}, 'too-large'],
    ['3 MB of arguments', ['echo', ...Array.from({ length: 30 }, () => 'x'.repeat(100_000))], {}, 'too-large'],
    ['an environment of 200 KB', ['true'], { env: { BIG: 'x'.repeat(200_000) } }, 'too-large'],
    ['NUL in an argument', ['echo', 'a\0b'], {}, 'not-executable'],
    ['NUL in the name', ['ec\0ho'], {}, 'not-executable'],
    ['NUL in a variable', ['true'], { env: { A: 'a\0b' } }, 'not-executable'],
    ['NUL in the working directory', ['true'], { cwd: '/tmp\0' }, 'bad-directory'],
  ])('says of %s why it could not run', async (_, argv, more, reason) => {
    const result = await run(argv, confine, more)
    expect(result).toMatchObject({ started: false, reason })
  })

  test('tells a script whose interpreter is missing from a missing script', async () => {
    const folder = temporaryFolder()
    const script = join(folder, 'script')
    writeFileSync(script, '#!/no/such/interpreter\n')
    chmodSync(script, 0o755)
    const result = await run([script], confine)
    expect(result).toMatchObject({ started: false, reason: 'interpreter-not-found' })
    expect(result).toHaveProperty('message', expect.stringContaining('/no/such/interpreter'))
  })

  test('finds a program by a path from the working directory', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'bin'))
    writeFileSync(join(folder, 'bin', 'tool'), '#!/bin/sh\necho tool\n', { mode: 0o755 })
    expect((await report(['./bin/tool'], confine, { cwd: folder })).stdout).toBe('tool\n')
  })

  test('cannot be made to say that it never ran', async () => {
    const ended = await report(['sh', '-c', 'echo "bwrap: execvp x: No such file or directory" >&2; exit 1'], confine)
    expect(ended).toMatchObject({ exitCode: 1 })
  })

  test('does not run when the signal has fired already', async () => {
    const ended = await report(['sh', '-c', 'echo ran'], confine, { signal: AbortSignal.abort() })
    expect(ended).toMatchObject({ exitCode: null, signal: null, stdout: '', stdoutBytes: 0 })
  })

  test('keeps many runs at once apart', async () => {
    const texts = Array.from({ length: 40 }, (_, at) => `run ${at} ${'x'.repeat(at * 50)}`)
    const reports = await Promise.all(texts.map((text) => report(['cat'], confine, { stdin: text, cwd: tmpdir() })))
    expect(reports.map(({ stdout }) => stdout)).toEqual(texts)
  })
})
