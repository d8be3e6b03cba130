// Every check there is, in the order that tells soonest what is wrong.

import { spawnSync } from 'node:child_process'

const checks: readonly (readonly [name: string, ...argv: string[]])[] = [
  ['build', 'node', 'scripts/build.mjs'],
  ['types', 'tsc', '-p', 'tsconfig.json'],
  ['lint', 'biome', 'check', '--error-on-warnings'],
  ['unused', 'knip'],
  ['package', 'publint', '--strict'],
  ['package types', 'attw', '--pack', '.', '--profile', 'esm-only', '--exclude-entrypoints', 'schema.json'],
  ['tests', 'vitest', 'run', '--coverage', ...process.argv.slice(2)],
]

for (const [name, program = '', ...args] of checks) {
  const started = performance.now()
  console.log(`\n== ${name}`)
  const { status } = spawnSync(program, args, { stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) {
    console.error(`\nThe check "${name}" failed.`)
    process.exit(status ?? 1)
  }
  console.log(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`)
}
