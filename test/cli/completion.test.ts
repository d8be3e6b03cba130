import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runLegwork } from '../support/command.ts'
import { temporaryFolder } from '../support/temporary.ts'

async function scriptFor(shell: string): Promise<string> {
  const { stdout, exitCode } = await runLegwork(['completion', shell], { cwd: temporaryFolder() })
  expect(exitCode).toBe(0)
  return stdout
}

/** What bash offers for the last of some words. */
function completed(script: string, words: readonly string[]): string[] {
  const line = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _legwork; printf '%s\\n' "\${COMPREPLY[@]}"`
  const output = execFileSync('bash', ['--norc', '-c', line, 'bash', ...words], { encoding: 'utf8' })
  return output.split('\n').filter(Boolean)
}

test('bash completes verbs, verbs below verbs, options and known values, and leaves files to bash', async () => {
  const script = await scriptFor('bash')
  expect(completed(script, ['legwork', ''])).toEqual(expect.arrayContaining(['call', 'run', 'doctor', 'completion']))
  expect(completed(script, ['legwork', 'do'])).toEqual(['doctor'])
  expect(completed(script, ['legwork', 'audit', 've'])).toEqual(['verify'])
  expect(completed(script, ['legwork', 'audit', 'verify', '--h'])).toEqual(['--head', '--help'])
  expect(completed(script, ['legwork', 'run', '--as', 'do'])).toEqual(['document'])
  expect(completed(script, ['legwork', 'link', 'c'])).toEqual(['claude-code', 'cursor', 'claude-desktop', 'codex'])
  expect(completed(script, ['legwork', 'tools', '--kind', 'mc'])).toEqual(['mcp'])
  expect(completed(script, ['legwork', 'run', '--config', ''])).toEqual([])
  expect(completed(script, ['legwork', 'run', 'report'])).toEqual([])
})

test('a word that a person types is never run', async () => {
  const script = await scriptFor('bash')
  const folder = temporaryFolder()
  const hostile = `$(touch ${folder}/owned)`
  expect(completed(script, ['legwork', hostile, `\`touch ${folder}/owned\``, 'x'])).toEqual([])
  completed(script, ['legwork', "'", hostile])
  expect(spawnSync('ls', [folder], { encoding: 'utf8' }).stdout).toBe('')
})

const isThere = (shell: string) => spawnSync(shell, ['--version']).status === 0

test.each(['bash', 'zsh', 'fish'])('the script for %s is well-formed and knows every verb', async (shell) => {
  const script = await scriptFor(shell)
  const { stdout: help } = await runLegwork(['--help'], { cwd: temporaryFolder() })
  const verbs = [...help.matchAll(/^ {2}([a-z]+) /gm)].map(([, verb]) => verb).filter((verb) => verb !== 'help')
  expect(verbs.length).toBeGreaterThan(10)
  for (const verb of verbs) expect(script).toContain(`' ${verb}'`)
  // Quotes pair up: a description with an apostrophe would swallow the rest.
  const plain = script.replaceAll(shell === 'fish' ? String.raw`\'` : String.raw`'\''`, '')
  expect(plain.split("'").length % 2).toBe(1)
  if (!isThere(shell)) return
  const file = join(temporaryFolder(), 'script')
  writeFileSync(file, script)
  expect(spawnSync(shell, ['-n', file], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
})

test('another shell is refused with those that there are', async () => {
  const { exitCode, stderr } = await runLegwork(['completion', 'csh'], { cwd: temporaryFolder() })
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('bash, zsh, fish') })
})
