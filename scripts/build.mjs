// Writes dist/ as src/ lies. Runs on any Node, because npm runs it while it installs.

import { spawnSync } from 'node:child_process'
import { chmodSync, rmSync } from 'node:fs'

rmSync('dist', { recursive: true, force: true })
const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
})
if (status !== 0) process.exit(status ?? 1)
chmodSync('dist/cli/main.js', 0o755)
