import { expect, test } from 'vitest'
import { startDeadline } from '../../src/base/deadline.ts'

const wait = (ms: number) => new Promise((settle) => setTimeout(settle, ms))

test('a part has its own time', async () => {
  const whole = startDeadline(60_000, undefined)
  const part = whole.part(10)
  await new Promise((settle) => part.signal.addEventListener('abort', settle))
  expect([part.cause(), whole.cause()]).toEqual(['timed-out', undefined])
  whole.stop()
})

test('a part ends with the whole', () => {
  const controller = new AbortController()
  const whole = startDeadline(60_000, controller.signal)
  const part = whole.part(60_000)
  controller.abort()
  expect([part.cause(), whole.cause()]).toEqual(['cancelled', 'cancelled'])
})

test('a part stands still whenever the whole does, from its beginning if need be', async () => {
  const whole = startDeadline(60_000, undefined)
  const before = whole.part(30)
  whole.pause()
  const during = whole.part(30)
  await wait(100)
  expect([before.cause(), during.cause()]).toEqual([undefined, undefined])
  whole.resume()
  await Promise.all(
    [before, during].map(({ signal }) => new Promise((settle) => signal.addEventListener('abort', settle))),
  )
  expect([before.cause(), during.cause()]).toEqual(['timed-out', 'timed-out'])
  whole.stop()
})

test('a part that was stopped does not come back', async () => {
  const whole = startDeadline(60_000, undefined)
  const part = whole.part(20)
  whole.pause()
  part.stop()
  whole.resume()
  await wait(60)
  expect(part.signal.aborted).toBe(false)
  whole.stop()
})
