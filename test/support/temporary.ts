// A folder that is gone when the test ends. Tests that run side by side hand over their own `onTestFinished`.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export type Finished = (clean: () => void) => void

export function temporaryFolder(finished: Finished = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'legwork-test-'))
  finished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
