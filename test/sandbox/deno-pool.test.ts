import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { findDeno } from '../../src/sandbox/deno-find.ts'
import { boxCommand, denoFlags } from '../../src/sandbox/deno-flags.ts'
import { createPool } from '../../src/sandbox/deno-pool.ts'

/** Boxes that are numbers, and that end when they are killed. */
function numbered(options: { size?: number; idleMs?: number; failing?: boolean } = {}) {
  const alive = new Set<number>()
  let started = 0
  const start = async (key: string) => {
    await sleep(5)
    if (options.failing) throw new Error('none')
    const number = ++started
    const ended = Promise.withResolvers<void>()
    alive.add(number)
    const kill = () => {
      alive.delete(number)
      ended.resolve()
    }
    return { number, key, ended: ended.promise, kill }
  }
  return { pool: createPool({ start, ...options }), alive, started: () => started }
}

test('a box that waits is taken before one is started, and each once', async () => {
  const { pool, started } = numbered()
  await pool.refill('a')
  expect(started()).toBe(2)
  const taken = [await pool.take('a'), await pool.take('a'), await pool.take('a')]
  expect(new Set(taken.map(({ number }) => number)).size).toBe(3)
  expect(started()).toBe(3)
})

test('boxes of another key are not taken, and those of keys long unused go', async () => {
  const { pool, alive } = numbered({ size: 1 })
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) await pool.refill(key)
  expect((await pool.take('f')).key).toBe('f')
  expect(alive.size).toBe(4)
})

test('refilling twice at once starts no more than are wanted', async () => {
  const { pool, started } = numbered({ size: 3 })
  await Promise.all([pool.refill('a'), pool.refill('a')])
  expect(started()).toBe(3)
})

test('one that was not used is taken by the next; one that died is not', async () => {
  const { pool } = numbered()
  const box = await pool.take('a')
  pool.putBack('a', box)
  expect(await pool.take('a')).toBe(box)
  pool.putBack('a', box)
  box.kill()
  await sleep(0)
  expect(await pool.take('a')).not.toBe(box)
})

test('whoever waits too long is ended', async () => {
  const { pool, alive } = numbered({ idleMs: 20 })
  await pool.refill('a')
  expect(alive.size).toBe(2)
  await expect.poll(() => alive.size).toBe(0)
})

test('closing ends those that wait and those that are just starting', async () => {
  const { pool, alive } = numbered()
  const box = await pool.take('a')
  void pool.refill('a')
  await pool.close()
  expect([...alive]).toEqual([box.number])
  pool.putBack('a', box)
  expect(alive.size).toBe(0)
})

test('a start that fails is told to whoever needs the box, and to nobody else', async () => {
  const { pool } = numbered({ failing: true })
  await pool.refill('a')
  await expect(pool.take('a')).rejects.toThrow('none')
})

test('without Deno there is a sentence that says how to get it', () => {
  expect(findDeno('/nowhere', 'file:///nowhere/at/all.js')).toEqual({
    ok: false,
    message: expect.stringContaining('npm install deno'),
  })
})

test('the command line grants the gateway and one variable, and holds no secret', () => {
  const plan = {
    deno: '/opt/deno',
    url: 'http://127.0.0.1:7/run/secret',
    host: '127.0.0.1:7',
    cwd: '/work dir',
    memoryMb: 100,
  }
  const files = { importMap: '/t/imports.json', cache: '/t/cache' }
  const { argv, environment } = boxCommand(plan, files, { bubblewrap: '/usr/bin/bwrap', prlimit: '/usr/bin/prlimit' })
  const granted = argv.filter((word) => word.startsWith('--allow'))
  expect(granted).toEqual([
    '--allow-net=127.0.0.1:7',
    '--allow-import=127.0.0.1:7',
    '--allow-env=TOOLSCRIPT_GATEWAY_URL',
  ])
  expect(argv.slice(0, 5)).toEqual([
    '/usr/bin/prlimit',
    '--core=0',
    `--data=${660 * 1_048_576}`,
    '--',
    '/usr/bin/bwrap',
  ])
  expect(argv.join(' ')).toContain('--unshare-all --share-net --die-with-parent --new-session --cap-drop ALL')
  expect(argv.join(' ')).toContain('--dir /work dir --chdir /work dir')
  expect(argv.join(' ')).not.toContain('secret')
  expect(Object.keys(environment).sort()).toEqual([
    'DENO_DIR',
    'DENO_NO_UPDATE_CHECK',
    'NO_COLOR',
    'PATH',
    'TOOLSCRIPT_GATEWAY_URL',
  ])
  expect(boxCommand(plan, files, {}).argv.slice(0, -1)).toEqual(['/opt/deno', ...denoFlags(plan, files.importMap)])
})
