import { expect, test } from 'vitest'
import { WorkThreads } from '../../src/sandbox/work-threads.ts'

const code = `export async function work(name, text) {
  if (name === 'upper') return text.toUpperCase()
  if (name === 'fail') throw Object.assign(new Error('no'), { code: 'denied' })
  if (name === 'exit') process.exit(3)
  for (;;);
}`
const threads = new WorkThreads({ module: `data:text/javascript,${encodeURIComponent(code)}` })
const soon = () => AbortSignal.timeout(20_000)

test('work is done in a thread, and what it throws is an answer', async () => {
  expect(await threads.run('upper', 'a', soon())).toEqual({ ok: true, text: 'A' })
  expect(await threads.run('fail', '', soon())).toEqual({ ok: false, message: 'no', code: 'denied' })
})

test('work that is no longer wanted is ended, and the next has a thread', async () => {
  const endless = [1, 2, 3].map(() => threads.run('endless', '', AbortSignal.timeout(200)))
  const waiting = threads.run('upper', 'later', soon())
  expect(await Promise.all(endless)).toEqual([undefined, undefined, undefined])
  expect(await waiting).toEqual({ ok: true, text: 'LATER' })
})

test('work that breaks its thread is an answer, and the next has a thread', async () => {
  expect(await threads.run('exit', '', soon())).toMatchObject({ ok: false, code: 'too-large' })
  expect(await threads.run('upper', 'b', soon())).toEqual({ ok: true, text: 'B' })
})

test('a signal that has fired already starts nothing', async () => {
  expect(await threads.run('upper', 'c', AbortSignal.abort())).toBeUndefined()
  expect(await Promise.all(['d', 'e', 'f', 'g'].map((text) => threads.run('upper', text, soon())))).toHaveLength(4)
})
