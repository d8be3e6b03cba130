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

/** Why a shell cannot be asked: it is not installed, which only a user's machine may say. */
const missing = (shell: string) =>
  spawnSync(shell, ['--version']).status !== 0 && !process.env.CI && `${shell} is not installed`

/** What zsh offers for the last of some words: its own functions are asked what they were given. */
function zshOffers(script: string, words: readonly string[]): string[] {
  const line = `compdef() { :; }
compadd() { [[ $1 = -- ]] && shift; print -l -- "$@"; }
compset() { words[CURRENT]=\${words[CURRENT]#*=}; }
_files() { print FILES; }
_describe() { local name=\${@[-1]}; print -l -- \${\${(P)name}%%:*}; }
${script}
words=("$@"); CURRENT=$#
_legwork`
  const output = execFileSync('zsh', ['-f', '-c', line, 'zsh', ...words], { encoding: 'utf8' })
  const [current = ''] = (words.at(-1) ?? '').split('=').slice(-1)
  return output.split('\n').filter((word) => word !== '' && word !== 'FILES' && word.startsWith(current))
}

/** What fish offers for a line. */
function fishOffers(script: string, line: string): string[] {
  const file = join(temporaryFolder(), 'script')
  writeFileSync(file, script)
  const home = temporaryFolder()
  const words = ['--no-config', '-c', `source ${file}; complete -C '${line}'`]
  const output = execFileSync('fish', words, { encoding: 'utf8', cwd: home, env: { ...process.env, HOME: home } })
  return output
    .split('\n')
    .flatMap((each) => each.split('\t', 1))
    .filter(Boolean)
}

const shellCases: readonly (readonly [words: string, offered: readonly string[]])[] = [
  ['legwork do', ['doctor']],
  ['legwork audit ve', ['verify']],
  ['legwork run --as do', ['document']],
  ['legwork run --as=do', ['document']],
  ['legwork audit --level=w', ['warning']],
  ['legwork --json audit --level w', ['warning']],
  ['legwork link cu', ['cursor']],
  ['legwork link cursor cu', []],
  ['legwork link --config x.jsonc cu', ['cursor']],
  ['legwork link --config=x.jsonc cu', ['cursor']],
  ['legwork link cursor --ye', ['--yes']],
  ['legwork tools issue au', []],
]

test.each(shellCases)('bash, for "%s"', async (line, offered) => {
  // As bash takes a line apart: at the equals sign too.
  const words = line.replaceAll('=', ' = ').split(' ')
  expect(completed(await scriptFor('bash'), words)).toEqual(offered)
})

test('bash that does not take words apart at the equals sign is served too', async () => {
  expect(completed(await scriptFor('bash'), ['legwork', 'run', '--as=do'])).toEqual(['--as=document'])
})

test.skipIf(missing('zsh')).each(shellCases)('zsh, for "%s"', async (line, offered) => {
  expect(zshOffers(await scriptFor('zsh'), line.split(' '))).toEqual(offered)
})

test.skipIf(missing('fish')).each(shellCases)('fish, for "%s"', async (line, offered) => {
  // An option that is given with its value is offered whole.
  const [option = ''] = /--\w+=(?=\w*$)/.exec(line) ?? []
  expect(fishOffers(await scriptFor('fish'), line)).toEqual(offered.map((word) => option + word))
})

test.each(['bash', 'zsh', 'fish'])('the script for %s is well-formed and knows every verb', async (shell) => {
  const script = await scriptFor(shell)
  const { stdout: help } = await runLegwork(['--help'], { cwd: temporaryFolder() })
  const verbs = [...help.matchAll(/^ {2}([a-z]+) /gm)].map(([, verb]) => verb).filter((verb) => verb !== 'help')
  expect(verbs.length).toBeGreaterThan(10)
  for (const verb of verbs) expect(script).toContain(`' ${verb}'`)
  // Quotes pair up: a description with an apostrophe would swallow the rest.
  const plain = script.replaceAll(shell === 'fish' ? String.raw`\'` : String.raw`'\''`, '')
  expect(plain.split("'").length % 2).toBe(1)
  if (missing(shell)) return
  const file = join(temporaryFolder(), 'script')
  writeFileSync(file, script)
  expect(spawnSync(shell, ['-n', file], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
})

test('another shell is refused with those that there are', async () => {
  const { exitCode, stderr } = await runLegwork(['completion', 'csh'], { cwd: temporaryFolder() })
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('bash, zsh, fish') })
})
