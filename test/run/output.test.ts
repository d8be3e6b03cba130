import { expect, test } from 'vitest'
import { never, report, soon } from '../fixtures/run/support.ts'

test('keeps each stream up to the limit and counts the rest', async () => {
  const ended = await report(['sh', '-c', 'head -c 5000 /dev/zero; head -c 99 /dev/zero >&2'], 'off', {
    maxOutputBytes: 100,
  })
  expect(ended).toMatchObject({ stdoutBytes: 5000, stderrBytes: 99, truncated: true })
  expect(ended.stdout).toHaveLength(100)
  expect(ended.stderr).toHaveLength(99)
})

test('is not truncated at exactly the limit', async () => {
  const ended = await report(['printf', 'abc'], 'off', { maxOutputBytes: 3 })
  expect(ended).toMatchObject({ stdout: 'abc', truncated: false })
})

test('makes U+FFFD of broken UTF-8, and leaves out a letter that the limit cut', async () => {
  const broken = await report(['printf', 'a\\377b\\303'])
  expect(broken.stdout).toBe('a\ufffdb\ufffd')
  const cut = await report(['printf', 'aüü'], 'off', { maxOutputBytes: 4 })
  expect(cut).toMatchObject({ stdout: 'aü', stdoutBytes: 5, truncated: true })
})

test('keeps letters whole in live output, however they are written', async () => {
  const live: string[] = []
  const script = 'import os, time\nfor b in "aü€😀z".encode():\n  os.write(1, bytes([b])); time.sleep(0.003)'
  const ended = await report(['python3', '-c', script], 'off', { onOutput: (_, text) => void live.push(text) })
  expect(live.join('')).toBe('aü€😀z')
  expect(live.join('')).not.toContain('\ufffd')
  expect(ended.stdout).toBe('aü€😀z')
})

test('gives live output with its stream while the program runs', async () => {
  const controller = new AbortController()
  const live: string[] = []
  const running = report(['sh', '-c', 'echo one; echo two >&2; sleep 60'], 'off', {
    signal: controller.signal,
    onOutput: (stream, text) => void live.push(`${stream}:${text}`),
  })
  expect(await soon(() => live.length === 2)).toBe(true)
  controller.abort()
  await running
  expect(live.toSorted()).toEqual(['stderr:two\n', 'stdout:one\n'])
})

test('goes on when a listener throws or rejects', async () => {
  const thrown = await report(['printf', 'abc'], 'off', {
    onOutput: () => {
      throw new Error('listener')
    },
  })
  const rejected = await report(['printf', 'abc'], 'off', { onOutput: () => Promise.reject(new Error('listener')) })
  expect([thrown.stdout, rejected.stdout]).toEqual(['abc', 'abc'])
})

test('reads no further while a listener is busy, and everything in the end', async () => {
  let release = () => {}
  const gate = new Promise<void>((settle) => {
    release = settle
  })
  let seen = 0
  const running = report(['head', '-c', '5000000', '/dev/zero'], 'off', {
    onOutput: (_, text) => {
      seen += text.length
      return gate
    },
  })
  await new Promise((settle) => setTimeout(settle, 100))
  expect(seen).toBeLessThanOrEqual(65_536)
  release()
  expect((await running).stdoutBytes).toBe(5_000_000)
  expect(seen).toBe(5_000_000)
})

test('ends on time although a listener never answers', async () => {
  const before = performance.now()
  const ended = await report(['yes'], 'off', {
    signal: AbortSignal.timeout(200),
    onOutput: () => new Promise(() => {}),
  })
  expect(ended.signal).toBe('SIGTERM')
  expect(performance.now() - before).toBeLessThan(2_000)
})

test('takes 500 MB of output in bounded memory', async () => {
  const before = process.memoryUsage.rss()
  let most = 0
  const ended = await report(['head', '-c', '500000000', '/dev/zero'], 'off', {
    onOutput: () => {
      most = Math.max(most, process.memoryUsage.rss())
    },
  })
  expect(ended.stdoutBytes).toBe(500_000_000)
  expect(most - before).toBeLessThan(64 * 1_048_576)
})

test('does not wait for 100 MB of input that the program does not want', async () => {
  const stdin = Buffer.alloc(100_000_000, 120)
  expect(await report(['head', '-c', '3'], 'off', { stdin })).toMatchObject({ exitCode: 0, stdout: 'xxx' })
  expect(await report(['true'], 'off', { stdin })).toMatchObject({ exitCode: 0 })
  expect(await report(['sh', '-c', 'exec <&-; sleep 0.1'], 'off', { stdin })).toMatchObject({ exitCode: 0 })
})

test('feeds and reads at once, so that neither side waits for the other', async () => {
  const ended = await report(['cat'], 'off', { stdin: Buffer.alloc(50_000_000, 120), signal: never })
  expect(ended).toMatchObject({ exitCode: 0, stdoutBytes: 50_000_000 })
})

test('gives bytes of input as they are', async () => {
  const ended = await report(['od', '-An', '-tx1'], 'off', { stdin: Uint8Array.of(0, 255, 10) })
  expect(ended.stdout.trim()).toBe('00 ff 0a')
})
