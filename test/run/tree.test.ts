import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fullFlags } from '../../src/run/bubblewrap.ts'
import { emptyNamespace, namespaceTree } from '../../src/run/ending.ts'
import { findSystemProgram } from '../../src/run/lookup.ts'
import { closePipes, takePipes, writeEndOf } from '../../src/run/pipes.ts'
import { viewOf } from '../../src/run/profile.ts'
import { statusOfPipe } from '../../src/run/status.ts'
import { systemMounts } from '../../src/run/system.ts'
import {
  endProcessesWith,
  kinds,
  never,
  openDescriptors,
  processesWith,
  report,
  soon,
  temporaryFiles,
  uniqueSeconds,
  useOwnTemporaryFolder,
  withoutBubblewrap,
} from '../fixtures/run/support.ts'

/** Each tree sleeps for `SECONDS` somewhere in it, so that it can be found. */
const trees = {
  'ignores SIGTERM': 'trap "" TERM; sleep SECONDS & sleep SECONDS; sleep SECONDS',
  'stops itself': 'sleep SECONDS & kill -STOP $$',
  'has a grandchild that holds the pipe': 'sh -c "sleep SECONDS & sleep SECONDS" & sleep SECONDS',
  'keeps making new processes': 'trap "" TERM; while :; do sleep SECONDS & sleep 0.02; done',
  'closes its output': 'exec >&- 2>&-; sleep SECONDS',
}
const escapes = {
  'calls setsid': 'setsid sh -c "trap \\"\\" TERM; sleep SECONDS" & trap "" TERM; sleep SECONDS; sleep SECONDS',
  'calls setsid twice and leaves': '(setsid setsid sleep SECONDS &) ; sleep SECONDS',
}

describe.each(kinds)('confine: %s', (confine) => {
  const all = confine === 'off' ? trees : { ...trees, ...escapes }

  test.each(Object.entries(all))('a tree that %s is gone when time is up', async (_, script) => {
    const seconds = uniqueSeconds()
    const before = performance.now()
    const ended = await report(['sh', '-c', script.replaceAll('SECONDS', seconds)], confine, {
      signal: AbortSignal.timeout(300),
    })
    const tookMs = performance.now() - before
    expect(await soon(() => processesWith(seconds).length === 0)).toBe(true)
    expect(ended.signal).toMatch(/^SIG(TERM|KILL)$/)
    expect(tookMs).toBeGreaterThan(290)
    expect(tookMs).toBeLessThan(2_000)
  })

  test('a program that ends well on SIGTERM keeps its output and its exit code', async () => {
    const script = 'trap "echo bye; exit 7" TERM; echo hello; sleep 60 & wait'
    const ended = await report(['sh', '-c', script], confine, { signal: AbortSignal.timeout(200) })
    expect(ended).toMatchObject({ stdout: 'hello\nbye\n', exitCode: 7, signal: null })
  })

  test('a grandchild that holds the pipe is not waited for, and does not outlive the call', async () => {
    const seconds = uniqueSeconds()
    const before = performance.now()
    const ended = await report(['sh', '-c', `sleep ${seconds} & echo done`], confine)
    expect(ended).toMatchObject({ exitCode: 0, stdout: 'done\n' })
    expect(performance.now() - before).toBeLessThan(2_000)
    expect(await soon(() => processesWith(seconds).length === 0)).toBe(true)
  })

  test('nothing that was in the pipe is lost when the program ends', async () => {
    for (let round = 0; round < 20; round++) {
      const ended = await report(['sh', '-c', 'sleep 60 & head -c 60000 /dev/zero'], confine)
      expect(ended.stdoutBytes).toBe(60_000)
    }
  })

  test('a signal that fires at any moment of the start leaves nothing behind', async () => {
    const seconds = uniqueSeconds()
    const ends = await Promise.all(
      Array.from({ length: 24 }, async (_, at) => {
        const controller = new AbortController()
        setTimeout(() => controller.abort(), at / 2)
        const before = performance.now()
        await report(['sh', '-c', `setsid sleep ${seconds} & sleep ${seconds}`], confine === 'off' ? 'off' : confine, {
          signal: controller.signal,
        })
        return performance.now() - before
      }),
    )
    expect(Math.max(...ends)).toBeLessThan(1_000)
    if (confine !== 'off') expect(await soon(() => processesWith(seconds).length === 0)).toBe(true)
    else endProcessesWith(seconds)
  })
})

test('without a namespace a process that calls setsid may escape, and the report says what held', async () => {
  const seconds = uniqueSeconds()
  const ended = await report(['sh', '-c', `setsid sleep ${seconds} & sleep 0.2`], 'off')
  expect(ended.containment).toBe('group')
  endProcessesWith(seconds)
})

test.skipIf(withoutBubblewrap)('hundreds of timeouts leave no process, no descriptor and no file', async () => {
  useOwnTemporaryFolder()
  await report(['true'], 'processes')
  await closePipes()
  const descriptors = openDescriptors()
  const seconds = uniqueSeconds()
  const script = escapes['calls setsid'].replaceAll('SECONDS', seconds)
  let left = 0
  for (let round = 0; round < 20; round++) {
    await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        report(['sh', '-c', script], at % 2 ? 'processes' : 'full', { signal: AbortSignal.timeout(100) }),
      ),
    )
    left += processesWith(seconds).length
  }
  expect(left).toBe(0)
  await closePipes()
  expect(openDescriptors()).toBeLessThanOrEqual(descriptors)
  expect(temporaryFiles()).toEqual([])
})

const attack = join(import.meta.dirname, '../fixtures/run/outlive.py')
const canAttack = !withoutBubblewrap && process.arch === 'x64' && hasPython()

test.skipIf(!canAttack).each(['processes', 'full'] as const)(
  'a program that frees its namespace from bubblewrap does not outlive the call, with confine: %s',
  async (confine) => {
    const seconds = uniqueSeconds()
    const ended = await report(['/usr/bin/python3', attack, seconds], confine, {
      cwd: join(attack, '..'),
      signal: AbortSignal.timeout(5_000),
    })
    onTestFinished(() => endProcessesWith(seconds))
    // A system that forbids the attack is as good.
    expect(ended.stdout + ended.stderr).toMatch(/disarmed|ptrace/)
    expect(await soon(() => processesWith(seconds).length === 0)).toBe(true)
  },
)

test.skipIf(withoutBubblewrap)('a namespace that is killed while it is set up leaves nothing', async () => {
  const seconds = uniqueSeconds()
  onTestFinished(() => endProcessesWith(seconds))
  const bubblewrap = findSystemProgram('bwrap') ?? ''
  const flags = [...fullFlags(systemMounts(false), viewOf({}, '/', []), '/'), 'sleep', seconds]
  for (let round = 0; round < 60; round++) {
    const [pipe = -1] = (await takePipes(1, never)) ?? []
    const end = writeEndOf(pipe)
    const child = spawn(bubblewrap, flags, { stdio: ['ignore', 'ignore', 'ignore', end], detached: true })
    closeSync(end)
    const gone = once(child, 'exit')
    const status = statusOfPipe(pipe)
    const until = performance.now() + round / 20
    while (performance.now() < until);
    namespaceTree(child.pid ?? Number.NaN, status.first).kill()
    await gone
    await status.finish()
    await emptyNamespace(status.first())
  }
  expect(await soon(() => processesWith(seconds).length === 0)).toBe(true)
})

test.skipIf(withoutBubblewrap)('only the first process of a namespace is ended as one', async () => {
  const seconds = uniqueSeconds()
  const plain = spawn('sleep', [seconds], { stdio: 'ignore' })
  const outer = spawn(findSystemProgram('bwrap') ?? '', ['--dev-bind', '/', '/', '--unshare-pid', 'sleep', seconds], {
    stdio: 'ignore',
  })
  onTestFinished(() => endProcessesWith(seconds))
  const first = () => processesWith(seconds).find((pid) => pid !== plain.pid && pid !== outer.pid)
  expect(await soon(() => first() !== undefined)).toBe(true)
  await emptyNamespace(plain.pid)
  await emptyNamespace(first())
  await emptyNamespace(undefined)
  expect(await soon(() => first() === undefined)).toBe(true)
  expect(processesWith(seconds)).toContain(plain.pid)
})

function hasPython(): boolean {
  try {
    execFileSync('/usr/bin/python3', ['-c', 'import os; os.pidfd_open'], { stdio: 'ignore' })
    return true
  } catch {
    return process.env.CI !== undefined
  }
}
