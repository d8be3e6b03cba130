import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { providers } from '../../src/doors/toolcall.ts'

test('the example handles a recorded reply of each provider', async () => {
  const file = join(import.meta.dirname, '../../examples/models/main.ts')
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file])
  expect(stderr).toBe('')
  for (const provider of providers) expect(stdout).toContain(`== ${provider}:`)
  expect(stdout.match(/weather--forecast ok/g)).toHaveLength(8)
  expect(stdout.match(/notes--deleteAll approval-needed/g)).toHaveLength(4)
  expect(stdout).toContain('Oslo: sunny for a day')
})
