import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { kinds, processesWith, soon, uniqueSeconds, withoutBubblewrap } from '../fixtures/run/support.ts'

const host = join(import.meta.dirname, '../fixtures/run/host.ts')

/** Starts a host, waits until its three trees are up, signals it, and gives its exit code. */
async function endHost(confine: string, seconds: string, what: string, signal: NodeJS.Signals): Promise<number | null> {
  const child = spawn(process.execPath, [host, confine, seconds, what], { stdio: ['ignore', 'pipe', 'ignore'] })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  const gone = new Promise<number | null>((settle) => child.on('exit', settle))
  await soon(() => output.split('up').length > 3)
  expect(await soon(() => processesWith(seconds).length >= 9)).toBe(true)
  child.kill(signal)
  return gone
}

describe.each(kinds)('confine: %s', (confine) => {
  test.each([
    ['that ends its children first', 'end', 143],
    ['that leaves in a hurry', 'exit', 1],
    ['that fails', 'throw', 1],
  ])('a host %s leaves none of them', async (_, what, code) => {
    const seconds = uniqueSeconds()
    expect(await endHost(confine, seconds, what, 'SIGTERM')).toBe(code)
    if (what === 'end') expect(processesWith(seconds)).toEqual([])
    expect(await soon(() => processesWith(seconds).length === 0)).toBe(true)
  })
})

test.skipIf(withoutBubblewrap).each(['processes', 'full'])(
  'a host that is killed leaves nothing, with confine: %s',
  async (confine) => {
    const seconds = uniqueSeconds()
    await endHost(confine, seconds, 'wait', 'SIGKILL')
    expect(await soon(() => processesWith(seconds).length === 0)).toBe(true)
  },
)
