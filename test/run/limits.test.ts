import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { kinds, report, run, soon } from '../fixtures/run/support.ts'

const isRoot = process.getuid?.() === 0

/** Stops by itself after two seconds or 300 processes, whatever else holds it. */
const bomb = `
import os, time
until = time.time() + 2
made = 0
while made < 300 and time.time() < until:
    try:
        if os.fork() == 0:
            time.sleep(2)
            os._exit(0)
        made += 1
    except OSError:
        break
print(made, flush=True)
`

describe.each(kinds)('confine: %s', (confine) => {
  test('memory is bounded', async () => {
    const profile = { limits: { memoryBytes: 200 * 1_048_576 } }
    const script = 'x = bytearray(SIZE); print(len(x))'
    const fits = await report(['python3', '-c', script.replace('SIZE', '50000000')], confine, { profile })
    const large = await report(['python3', '-c', script.replace('SIZE', '400000000')], confine, { profile })
    expect(fits.stdout).toBe('50000000\n')
    expect(large).toMatchObject({ exitCode: 1, stdout: '' })
    expect(large.stderr).toContain('MemoryError')
  })

  test('processor time is bounded, and the signal says so', async () => {
    const ended = await report(['sh', '-c', 'while :; do :; done'], confine, { profile: { limits: { cpuSeconds: 1 } } })
    expect(ended.signal).toBe('SIGXCPU')
  })

  test('the number of processes is bounded, or the notes say that it is not', async () => {
    let lagMs = 0
    let last = performance.now()
    const watch = setInterval(() => {
      lagMs = Math.max(lagMs, performance.now() - last - 10)
      last = performance.now()
    }, 10)
    const result = await run(['python3', '-c', bomb], confine, { profile: { limits: { maxProcesses: 40 } } })
    clearInterval(watch)
    if (!result.started) throw new Error(result.message)
    const made = Number(result.report.stdout)
    if (result.notes.length) expect(result.notes.join()).toContain('does not hold')
    else expect(made).toBeLessThan(45)
    if (isRoot && existsSync('/sys/fs/cgroup/pids')) expect(result.notes).toEqual([])
    expect(lagMs).toBeLessThan(500)
  })

  test('what is missing is told as without limits', async () => {
    const profile = { limits: { cpuSeconds: 1, maxProcesses: 10 } }
    expect(await run(['no-such-program'], confine, { profile })).toMatchObject({ reason: 'not-found' })
    expect(await run(['/etc/passwd'], confine, { profile })).toMatchObject({ reason: 'not-executable' })
    expect(await run(['true'], confine, { profile, cwd: '/no/such' })).toMatchObject({ reason: 'bad-directory' })
    expect(await report(['sh', '-c', 'exit 3'], confine, { profile })).toMatchObject({ exitCode: 3 })
  })

  test('no group of processes stays behind', async () => {
    const groups = () =>
      ['/sys/fs/cgroup', '/sys/fs/cgroup/pids']
        .filter((path) => existsSync(path))
        .flatMap((path) => readdirSync(path))
        .filter((name) => name.startsWith(`legwork-${process.pid}-`))
    const profile = { limits: { maxProcesses: 10 } }
    await Promise.all(
      Array.from({ length: 8 }, () =>
        report(['sh', '-c', 'sleep 60 & sleep 60'], confine, { profile, signal: AbortSignal.timeout(100) }),
      ),
    )
    expect(await soon(() => groups().length === 0)).toBe(true)
  })
})
