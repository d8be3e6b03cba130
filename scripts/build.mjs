// Writes dist/ as src/ lies. Runs on any Node, because npm runs it while it installs.

import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'

// Made beside and then put in place, so that whoever uses the old one meanwhile never finds half of it.
const fresh = `dist-${process.pid}`
const old = `${fresh}-old`
const compiler = 'node_modules/typescript/bin/tsc'
const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', fresh], {
  stdio: 'inherit',
})
if (status !== 0) {
  rmSync(fresh, { recursive: true, force: true })
  process.exit(status ?? 1)
}
copyFileSync('src/toolscript/deno-types.txt', `${fresh}/toolscript/deno-types.txt`)
chmodSync(`${fresh}/cli/main.js`, 0o755)
if (existsSync('dist')) renameSync('dist', old)
renameSync(fresh, 'dist')
rmSync(old, { recursive: true, force: true })
