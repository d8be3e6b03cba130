// Installs what is missing, and nothing when all is there. Runs on any Node, because it runs before ours is installed.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const stamp = 'node_modules/.legwork-installed'
const wanted = createHash('sha256')
  .update(readFileSync('package.json'))
  .update(readFileSync('package-lock.json'))
  .digest('hex')
const installed = existsSync(stamp) && existsSync('node_modules/.bin/tsc') ? readFileSync(stamp, 'utf8') : ''

if (installed !== wanted) {
  console.log('Installing what is missing (once) …')
  // Not `npm ci`: it fails where a registry lacks the binaries of platforms that this machine is not.
  const { status } = spawnSync('npm', ['install', '--no-save', '--loglevel=error'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) {
    console.error('npm install failed; what it said stands above. Check the network, then run this command again.')
    process.exit(status ?? 1)
  }
  writeFileSync(stamp, wanted)
}

// The tour and the command run what was built, so what was built must be what stands in src/.
if (!existsSync('dist/index.js') || newest('src') > statSync('dist/index.js').mtimeMs) {
  const { status } = spawnSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

function newest(folder) {
  const times = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? newest(path) : statSync(path).mtimeMs
  })
  return Math.max(0, ...times)
}
