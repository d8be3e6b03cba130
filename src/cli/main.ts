#!/usr/bin/env node
// The command. What people wait for first, its version and a word about an old Node, is answered before anything is loaded.

import { readFileSync } from 'node:fs'

const oldest = 24
const [major = 0] = process.versions.node.split('.').map(Number)
const words = process.argv.slice(2)

if (major < oldest) {
  process.stderr.write(
    `Legwork needs Node ${oldest} or later; this is Node ${process.versions.node}. Get one from https://nodejs.org.\n`,
  )
  process.exitCode = 2
} else if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  process.stdout.write(`${version()}\n`)
} else {
  const { keepCompiledCode } = await import('./compiled-code.ts')
  keepCompiledCode()
  const { runCommand } = await import('./program.ts')
  const { answerAnyway } = await import('./last-resort.ts')
  const answered = answerAnyway(words.includes('--json'))
  const exitCode = await runCommand(words, version())
  answered()
  // A tool that was given up may still hold a timer; what was printed is out before the process goes.
  process.stdout.write('', () => process.exit(exitCode))
}

function version(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
