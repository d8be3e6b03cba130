import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Opened, openToolscripts, withoutDeno } from '../support/toolscripts.ts'

/** Types that are multiplied out to ten thousand times ten thousand. */
const bomb = `type U = ${Array.from({ length: 10 }, (_, at) => `'${at}'`).join('|')}
type X = \`\${U}\${U}\${U}\${U}\`
type M = { [K in X]: { [J in X]: [K, J] } }
declare const m: M[X][X]
const y: { z: 1 } = m
return y`

describe.skipIf(withoutDeno)('a script whose types have no end', () => {
  let opened: Opened
  beforeAll(async () => {
    opened = await openToolscripts()
    await opened.run('return 1')
  })
  afterAll(() => opened?.close())

  test('ends with its own time, and others are checked after it', async () => {
    const bad = opened.run(bomb, { timeoutMs: 700 })
    const good = opened.run('return 2', { timeoutMs: 20_000 })
    expect(await bad).toMatchObject({ ok: false, code: 'timed-out' })
    expect(await good).toMatchObject({ ok: true, value: 2 })
    expect(await opened.run('const n: string = 5')).toMatchObject({ ok: false, code: 'invalid-input' })
  })

  test('one that waits for its check and is given up does not end that of another', async () => {
    const controller = new AbortController()
    const first = opened.run('return 3')
    const given = opened.run('return 4', { signal: controller.signal })
    controller.abort()
    expect(await given).toMatchObject({ ok: false, code: 'cancelled' })
    expect(await first).toMatchObject({ ok: true, value: 3 })
  })

  test('the process that checked it has gone', async () => {
    const before = checkers()
    await opened.run(bomb, { timeoutMs: 500 })
    await opened.run('return 1')
    expect(checkers().length).toBe(before.length)
    expect(checkers()).not.toEqual(before)
  })
})

function checkers(): string[] {
  const lines = execFileSync('ps', ['--ppid', String(process.pid), '-o', 'pid=,args='], { encoding: 'utf8' }).split(
    '\n',
  )
  return lines.filter((line) => line.includes('--api')).map((line) => line.trim().split(' ')[0] ?? '')
}
