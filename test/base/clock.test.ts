import { expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'

test('ids are UUIDs of version 7, all different, and sort by time', async () => {
  const ids = Array.from({ length: 5_000 }, () => systemClock.id())
  expect(new Set(ids).size).toBe(5_000)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  await new Promise((resolve) => setTimeout(resolve, 3))
  const later = systemClock.id()
  expect(ids.every((id) => id < later)).toBe(true)
})
