// A Legwork for a test: nothing on disk, closed when the test ends.

import { onTestFinished } from 'vitest'
import { createLegwork, type Legwork, type LegworkOptions } from '../../src/index.ts'

export async function openLegwork(options: LegworkOptions = {}): Promise<Legwork> {
  const legwork = await createLegwork({ journal: { path: ':memory:' }, ...options })
  onTestFinished(() => legwork.close())
  return legwork
}
