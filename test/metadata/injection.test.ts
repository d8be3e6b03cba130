// Whoever controls every value that a program is given must not get it to do what its tool does not say.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Legwork } from '../../src/index.ts'
import { commandsOf } from '../../src/program/commands.ts'
import { type AtipOption, type AtipParameter, isList } from '../../src/program/metadata.ts'
import { parseMetadata } from '../../src/program/read-metadata.ts'
import { parametersOf } from '../../src/program/schema.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { startLoopback } from './loopback.ts'
import { describeProgram, isMissing, metadataText, openPrograms, shipped } from './programs.ts'

type Attack = readonly [tool: string, input: object]

const secret = 'the-contents-of-the-secret-file'

/** A folder with a secret that must not be read and a victim that must stay; `canary` must not appear in it. */
async function openTrap(program: string, asked: 'somebody' | 'nobody' = 'somebody') {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'secret'), `${secret}\n`)
  writeFileSync(join(folder, 'victim'), 'victim\n')
  writeFileSync(join(folder, 'evil.config'), 'output = "canary"\nurl = "file:///dev/null"\n')
  writeFileSync(join(folder, 'evil.sh'), '#!/bin/sh\ntouch canary\n', { mode: 0o755 })
  const legwork = await openPrograms(folder, [program], asked === 'somebody' ? { approve: () => true } : {})
  return { folder, legwork }
}

/** Gives a program something for an attack to work on. */
async function prepare(program: string, { legwork }: { legwork: Legwork }): Promise<void> {
  for (const [tool, input] of preparations[program] ?? []) {
    expect(await legwork.call({ tool, input })).toMatchObject({ ok: true })
  }
}

const preparations: Readonly<Record<string, readonly Attack[]>> = {
  git: [
    ['git:init', {}],
    ['git:add', { paths: ['victim'] }],
    ['git:commit', { message: 'The victim' }],
  ],
  tar: [['tar:create', { file: 'a.tar', members: ['victim'] }]],
}

/** Runs it, whatever it gives back, and looks at what is left. */
async function spring({ folder, legwork }: { folder: string; legwork: Legwork }, tool: string, input: object) {
  const outcome = await legwork.call({ tool, input })
  expect(existsSync(join(folder, 'canary')), 'a canary appeared').toBe(false)
  expect(existsSync(join(folder, 'victim')), 'the victim is gone').toBe(true)
  expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('victim\n')
  expect(JSON.stringify(outcome)).not.toContain(secret)
  return outcome
}

test.skipIf(isMissing('sed'))('the trap catches a program that really runs something', async () => {
  const trap = await openTrap('sed')
  const attack = spring(trap, 'sed', { script: '1e ./evil.sh', files: ['victim'] })
  await expect(attack).rejects.toThrow('a canary appeared')
})

/** Values that would be options: refused before anything starts. */
const refused: readonly Attack[] = [
  ['git:log', { revision: '--output=canary' }],
  ['git:log', { paths: ['--output=canary'] }],
  ['git:log', { revision: '-c core.pager=./evil.sh' }],
  ['git:show', { objects: ['HEAD', '--output=canary'] }],
  ['git:diff', { targets: ['--output=canary'] }],
  ['git:diff', { targets: ['--no-index', '/dev/null', 'secret'] }],
  ['git:grep', { pattern: 'x', targets: ['--open-files-in-pager=./evil.sh'] }],
  ['git:clone', { repository: '--upload-pack=./evil.sh' }],
  ['git:clone', { repository: '.', directory: '--config=core.sshCommand=./evil.sh' }],
  ['git:clone', { repository: '-oProxyCommand=./evil.sh' }],
  ['git:fetch', { remote: '--upload-pack=./evil.sh' }],
  ['git:pull', { remote: '--upload-pack=./evil.sh' }],
  ['git:lsRemote', { remote: '--upload-pack=./evil.sh' }],
  ['git:push', { remote: '--receive-pack=./evil.sh' }],
  ['git:push', { remote: 'origin', refspec: '+HEAD' }],
  ['git:push', { remote: 'origin', refspec: ':main' }],
  ['git:rebase', { upstream: '--exec=./evil.sh' }],
  ['git:branch', { name: '--edit-description' }],
  ['git:checkout', { target: '--pathspec-from-file=secret' }],
  ['git:add', { paths: ['--pathspec-from-file=secret'] }],
  ['git:apply', { patches: ['--unsafe-paths', 'x'] }],
  ['git:init', { directory: '--template=.' }],
  ['git:remoteAdd', { name: 'x', url: '--mirror=push' }],
  ['git:worktreeAdd', { path: '--force' }],
  ['find', { paths: ['-delete'] }],
  ['find', { paths: ['.', '-exec', 'touch', 'canary', ';'] }],
  ['find', { paths: ['-fprint', 'canary'] }],
  ['find', { paths: ['-files0-from', 'secret'] }],
  ['find', { type: 'f -delete' }],
  ['jq', { filter: '--rawfile' }],
  ['jq', { filter: '-f', files: ['secret'] }],
  ['jq', { filter: '.', files: ['--slurpfile', 'x', 'secret'] }],
  ['curl', { url: '--output' }],
  ['curl', { url: '-ocanary' }],
  ['curl', { url: '--config=evil.config' }],
  ['gh:issueView', { number: '--web' }],
  ['gh:repoClone', { repository: '--upload-pack=./evil.sh' }],
  ['gh:repoClone', { repository: 'a/b', directory: '--upload-pack=./evil.sh' }],
  ['gh:searchRepos', { words: ['x', '--web'] }],
  ['npm:run', { script: '--script-shell=./evil.sh' }],
  ['npm:install', { packages: ['--prefix=.'] }],
  ['npm:view', { package: '--userconfig=evil.config' }],
  ['docker:run', { image: '--privileged' }],
  ['docker:run', { image: 'debian', command: ['--volume=/:/host'] }],
  ['docker:ps', { format: '{{.Command}}' }],
  ['docker:logs', { container: '--host=tcp://127.0.0.1:1' }],
  ['kubectl:get', { resource: '--kubeconfig=evil.config' }],
  ['kubectl:get', { resource: 'pods', output: 'go-template-file=secret' }],
  ['kubectl:get', { resource: 'pods', names: ['--raw=/'] }],
]

describe('a value that would be an option is refused', () => {
  test.each(refused)('%s %j', async (tool, input) => {
    const trap = await openTrap(tool.split(':')[0] ?? '')
    expect(await spring(trap, tool, input)).toMatchObject({ ok: false, code: 'invalid-input' })
  })
})

/** Values that reach the program, and are nothing but values there, even when a person says yes to everything. */
const harmless: readonly Attack[] = [
  ['git:clone', { repository: 'ext::./evil.sh', directory: 'x' }],
  ['git:clone', { repository: 'ssh://-oProxyCommand=./evil.sh/x', directory: 'x' }],
  ['git:clone', { repository: '.', branch: '--upload-pack=./evil.sh', directory: 'x' }],
  ['git:fetch', { remote: 'ext::./evil.sh' }],
  ['git:lsRemote', { remote: 'ext::sh -c touch% canary' }],
  ['git:push', { remote: 'ext::./evil.sh', refspec: 'HEAD' }],
  ['git:grep', { pattern: '--open-files-in-pager=./evil.sh' }],
  ['git:log', { format: '--output=canary', author: '-x --output=canary', grep: '--output=canary' }],
  ['git:log', { changedText: ' --output=canary', lines: '1,1:secret --output=canary' }],
  ['git:commit', { message: '--template=secret', allowEmpty: true }],
  ['git:status', { workingDirectory: '--exec-path=.' }],
  ['git:status', { workingDirectory: '-c core.fsmonitor=./evil.sh' }],
  ['git:status', { c: 'core.fsmonitor=./evil.sh', 'exec-path': '.' }],
  ['git:blame', { file: 'victim', lines: '1 --contents secret' }],
  ['ls', { paths: ['--hyperlink=always', '-R', '--'] }],
  ['cat', { files: ['--show-all', '-'] }],
  ['head', { files: ['--lines=1', '-n1'] }],
  ['tail', { files: ['--follow', '-f', '--retry'] }],
  ['tail', { files: ['victim'], lines: '1 --follow' }],
  ['wc', { files: ['--files0-from=secret'] }],
  ['diff', { from: '--to-file=secret', to: 'victim' }],
  ['diff', { from: 'victim', to: '--paginate' }],
  ['grep', { pattern: '-fsecret', paths: ['victim'] }],
  ['grep', { pattern: 'x', paths: ['--file=secret', '-fsecret'] }],
  ['rg', { pattern: '--pre=./evil.sh', paths: ['victim'] }],
  ['rg', { pattern: 'x', paths: ['--pre=./evil.sh', 'victim'] }],
  ['find', { name: '-delete' }],
  ['find', { name: '-exec touch canary ;' }],
  ['find', { path: '-delete', iname: '-fprint' }],
  ['find', { newer: '-delete', size: '-1 -delete' }],
  ['find', { paths: ['(', '!', ')', ','] }],
  ['find', { maxDepth: 1, user: '-delete', perm: '-delete' }],
  ['sed:sandbox', { script: 'w canary', files: ['victim'] }],
  ['sed:sandbox', { script: '1e ./evil.sh', files: ['victim'] }],
  ['sed:sandbox', { script: 's/v.*/.\\/evil.sh/e', files: ['victim'] }],
  ['sed:sandbox', { script: 'r secret', files: ['victim'] }],
  ['sed:sandbox', { script: '--in-place', files: ['--in-place', 'victim'] }],
  ['jq', { filter: '"touch canary" | @sh | system', nullInput: true }],
  ['jq', { filter: '. --rawfile x secret', files: ['victim'] }],
  ['sort', { files: ['--compress-program=./evil.sh', '--output=canary', '-ocanary'] }],
  ['sort', { files: ['victim'], key: ['1 --output=canary'], separator: '-' }],
  ['mkdir', { directories: ['x'], mode: '755 canary' }],
  ['cp', { sources: ['--target-directory=canary', 'victim'], destination: 'x' }],
  ['cp:noClobber', { sources: ['secret'], destination: 'victim' }],
  ['mv', { sources: ['--target-directory=canary', '--backup'], destination: 'x' }],
  ['mv:noClobber', { sources: ['secret'], destination: 'victim' }],
  ['rm', { paths: ['--no-preserve-root', '-rf', '--'] }],
  ['tar:create', { file: 'a.tar', members: ['victim', '--checkpoint=1', '--checkpoint-action=exec=./evil.sh'] }],
  ['tar:create', { file: 'a.tar', members: ['victim'], exclude: ['x --use-compress-program=./evil.sh'] }],
  ['tar:create', { file: '-I./evil.sh', members: ['victim'] }],
  ['tar:list', { file: '--checkpoint-action=exec=./evil.sh' }],
  ['tar:list', { file: '-oProxyCommand=./evil.sh:x' }],
  ['tar:list', { file: 'a.tar', members: ['--to-command=./evil.sh', '-I./evil.sh', '--files-from=secret'] }],
  ['tar:extract', { file: 'a.tar', directory: '--to-command=./evil.sh' }],
  ['curl', { url: 'http://127.0.0.1:1/', userAgent: '--output=canary', referer: '-ocanary', bearer: '-K evil.config' }],
  ['curl', { url: 'http://127.0.0.1:1/ --output canary', range: '--config evil.config' }],
  ['curl', { url: 'http://127.0.0.1:1/', output: '--config=evil.config' }],
  ['curl', { url: 'http://127.0.0.1:1/', config: 'evil.config', K: 'evil.config' }],
  ['npm:ls', { packages: ['$(touch canary)'] }],
]

describe('a value that reaches the program stays a value', () => {
  for (const [tool, input] of harmless) {
    const [program = ''] = tool.split(':')
    test.skipIf(isMissing(program))(`${tool} ${JSON.stringify(input)}`, async () => {
      const trap = await openTrap(program)
      await prepare(program, trap)
      await spring(trap, tool, input)
    })
  }
})

describe('what can do anything is not done without a person', () => {
  test.each([
    ['sed', { script: '1e ./evil.sh', files: ['victim'] }],
    ['sed', { script: 'w canary', files: ['victim'] }],
    ['curl', { url: 'http://127.0.0.1:1/', header: ['@secret'] }],
    ['curl', { url: 'file:///dev/null', output: 'canary' }],
    ['sort', { files: ['secret'], output: 'canary' }],
    ['find', { name: 'victim', delete: true }],
    ['npm:run', { script: 'evil' }],
    ['docker:run', { image: 'debian', command: ['touch', 'canary'] }],
  ])('%s %j', async (tool, input) => {
    const trap = await openTrap(tool.split(':')[0] ?? '', 'nobody')
    expect(await spring(trap, tool, input)).toMatchObject({ ok: false, code: 'approval-needed' })
  })
})

/** One tool of each program that takes a text from outside, with the text in it. */
const texts: readonly (readonly [tool: string, input: (text: string) => object])[] = [
  ['git:log', (text) => ({ grep: text, revision: text })],
  ['git:commit', (text) => ({ message: text, allowEmpty: true })],
  ['ls', (text) => ({ paths: [text] })],
  ['cat', (text) => ({ files: [text] })],
  ['grep', (text) => ({ pattern: text, paths: ['victim'] })],
  ['find', (text) => ({ name: text, paths: [text] })],
  ['jq', (text) => ({ filter: text, nullInput: true })],
  ['tar:list', (text) => ({ file: text, members: [text] })],
  ['curl', (text) => ({ url: `http://127.0.0.1:1/${text}`, userAgent: text })],
  ['sed:sandbox', (text) => ({ script: text, files: [text] })],
  ['head', (text) => ({ files: [text] })],
  ['sort', (text) => ({ files: [text] })],
  ['wc', (text) => ({ files: [text] })],
  ['diff', (text) => ({ from: text, to: 'victim' })],
]

const shellTexts = [
  '$(touch canary)',
  '`touch canary`',
  '; touch canary',
  '| ./evil.sh',
  '&& ./evil.sh',
  '\n./evil.sh\n',
  '${IFS}',
  '\'"',
  '> canary',
]

describe('no shell reads what is given', () => {
  for (const [tool, input] of texts) {
    const [program = ''] = tool.split(':')
    test.skipIf(isMissing(program))(`${tool}, and NUL is refused`, async () => {
      const trap = await openTrap(program)
      await prepare(program, trap)
      for (const text of shellTexts) await spring(trap, tool, input(text))
      expect(await spring(trap, tool, input('victim\0--output=canary'))).toMatchObject({ code: 'invalid-input' })
    })
  }
})

describeProgram('curl', () => {
  test('sends no file that only a value names', async () => {
    const server = await startLoopback(() => ({ body: 'ok' }))
    const trap = await openTrap('curl')
    const url = `${server.address}/`
    await spring(trap, 'curl', { url, data: '@secret' })
    await spring(trap, 'curl', { url, formString: ['a=@secret', 'b=<secret'] })
    await spring(trap, 'curl', { url, userAgent: '@secret', referer: '@secret', bearer: '@secret' })
    expect(server.asked).toHaveLength(3)
    expect(JSON.stringify(server.asked)).not.toContain(secret)
  })
})

const dashed = ['--help', '-x', '--output=canary', '-oProxyCommand=x', '-c core.pager=x', '--upload-pack=x', '-\n']

describe.each(shipped)('every value of every command of %s', (program) => {
  test('stands behind its own flag, behind the end of the options, or nowhere', async () => {
    const checked = await parseMetadata(metadataText(program))
    if (!checked.ok) throw new Error(checked.faults.join('\n'))
    const legwork = await openPrograms(temporaryFolder(), [program])
    const tools = await legwork.tools()
    for (const [at, { tool, command }] of commandsOf(checked.metadata).entries()) {
      const { positionals, options, globals } = parametersOf({ tool, command })
      const needed = [...positionals.filter(isNeeded), ...options.filter(({ required }) => required)]
      const plain = Object.fromEntries(needed.map((parameter) => [parameter.name, plainValue(parameter)]))
      const id = tools[at]?.id ?? ''
      expect(await legwork.why({ tool: id, input: plain }), id).toMatchObject({ ok: true })
      for (const parameter of [...positionals, ...options, ...globals].filter(({ type }) => isText(type))) {
        for (const text of dashed) {
          const input = { ...plain, [parameter.name]: isList(parameter) ? [text] : text }
          const why = await legwork.why({ tool: id, input })
          if (why.ok) expect(isHeld(why.argv ?? [], text, parameter), `${why.argv?.join(' ')}`).toBe(true)
          else expect(why.code).toBe('invalid-input')
        }
      }
    }
  })
})

const isNeeded = ({ required }: AtipParameter) => required !== false

const isText = (type: AtipParameter['type']) => !['integer', 'number', 'boolean', 'enum'].includes(type)

function plainValue(parameter: AtipParameter): unknown {
  const value =
    { integer: 1, number: 1, url: 'http://127.0.0.1:1/', enum: parameter.enum?.[0] }[String(parameter.type)] ?? 'a'
  return isList(parameter) ? [value] : value
}

function isHeld(argv: readonly string[], text: string, parameter: AtipParameter): boolean {
  const { flags } = parameter as Partial<AtipOption>
  const end = argv.indexOf('--')
  const stands = (at: number) => (flags ? flags.includes(argv[at - 1] ?? '') : end !== -1 && at > end)
  return argv.every((word, at) => word !== text || stands(at))
}
