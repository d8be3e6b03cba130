import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary.ts'

/** A checkout as far as the script looks at it, with an npm and a build that only say that they were called. */
function checkout() {
  const folder = temporaryFolder()
  for (const name of ['scripts', 'bin', 'src', 'dist']) mkdirSync(join(folder, name))
  copyFileSync(join(import.meta.dirname, '../../scripts/install.mjs'), join(folder, 'scripts/install.mjs'))
  writeFileSync(join(folder, 'scripts/build.mjs'), "console.log('built')")
  writeFileSync(join(folder, 'package.json'), '{}')
  writeFileSync(join(folder, 'package-lock.json'), '{}')
  writeFileSync(join(folder, 'src/index.ts'), '')
  writeFileSync(join(folder, 'dist/index.js'), '')
  writeFileSync(
    join(folder, 'bin/npm'),
    '#!/bin/sh\nmkdir -p node_modules/.bin; touch node_modules/.bin/tsc; echo "npm $*"\n',
  )
  chmodSync(join(folder, 'bin/npm'), 0o755)
  const run = () => {
    const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}` }
    return spawnSync(process.execPath, ['scripts/install.mjs'], { cwd: folder, encoding: 'utf8', env }).stdout
  }
  return { folder, run }
}

test('the first run installs, the second does nothing, a changed list of packages installs again', () => {
  const { folder, run } = checkout()
  expect(run()).toContain('npm install --no-save')
  expect(run()).toBe('')
  writeFileSync(join(folder, 'package.json'), '{"changed": true}')
  expect(run()).toContain('npm install')
  rmSync(join(folder, 'node_modules'), { recursive: true })
  expect(run()).toContain('npm install')
})

test('what was built is built again when the sources are newer', () => {
  const { folder, run } = checkout()
  run()
  const later = Date.now() / 1000 + 60
  utimesSync(join(folder, 'src/index.ts'), later, later)
  expect(run()).toBe('built\n')
})

test('no lock file names a registry', () => {
  const lock = readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8')
  expect(lock).not.toContain('"resolved"')
  expect(existsSync(join(import.meta.dirname, '../../.npmrc'))).toBe(true)
})
