// The pages of the guide: every snippet is a file, and every file runs as a person would run it, in a copy of the examples.

import { spawn } from 'node:child_process'
import { chmodSync, cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandFile } from '../support/command.ts'
import { temporaryFolder } from '../support/temporary.ts'

const root = join(import.meta.dirname, '../..')
const pages = [...globSync('docs/guide/*.md', { cwd: root }), 'README.md'].sort()
const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Snippet {
  readonly file: string | undefined
  readonly text: string
}

function snippetsOf(page: string): Snippet[] {
  const blocks = read(page).matchAll(/(?:<!-- (\S+) -->\n)?^```\w+\n(.*?)^```$/gms)
  return [...blocks].map(([, file, text = '']) => ({ file, text }))
}

test.each(pages)('every snippet of %s is a file of the examples, letter by letter', (page) => {
  const snippets = snippetsOf(page)
  expect(snippets.length).toBeGreaterThan(0)
  for (const { file, text } of snippets) expect({ file, text }).toEqual({ file, text: read(file ?? 'package.json') })
})

test('every link between pages leads somewhere', () => {
  const all = [...globSync('docs/**/*.md', { cwd: root }), 'README.md', 'plugins/claude-code/README.md']
  const broken = all.flatMap((page) => {
    const targets = [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)/g)].map(
      ([, target = '']) => target,
    )
    return targets.filter((target) => !existsSync(join(root, page, '..', target))).map((target) => `${page}: ${target}`)
  })
  expect(broken).toEqual([])
})

/** The examples in a folder of their own, with an npx that runs the built command. */
function copyOfExamples() {
  const folder = temporaryFolder()
  cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const modules = join(folder, 'examples/node_modules')
  mkdirSync(modules)
  symlinkSync(root, join(modules, 'legwork'))
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(
    join(bin, 'npx'),
    `#!/bin/sh\n[ "$1" = legwork ] && shift && exec "${process.execPath}" "${commandFile}" "$@"\n`,
  )
  chmodSync(join(bin, 'npx'), 0o755)
  return { folder: join(folder, 'examples'), bin, home: temporaryFolder() }
}

function run(place: ReturnType<typeof copyOfExamples>, cwd: string, program: string, words: readonly string[]) {
  const env = { PATH: `${place.bin}:${process.env.PATH}`, HOME: place.home, NO_COLOR: '1' }
  return new Promise<{ exitCode: number | null; stdout: string; stderr: string }>((resolve, reject) => {
    const child = spawn(program, words, { cwd: join(place.folder, cwd), env, stdio: ['ignore', 'pipe', 'pipe'] })
    const output = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output.stderr += text
    })
    child.on('error', reject)
    child.on('close', (exitCode) => resolve({ exitCode, ...output }))
  })
}

describe('the commands of each page run', () => {
  test.for<[string, readonly (string | RegExp)[]]>([
    ['guide/first-steps', ['demo:greet', 'Hello, Ada', 'allow', 'Everything that is configured works']],
    ['scripts', ['tools.wc(', /wc .*allow/, 'counted 2 files', '"north.csv"']],
    ['guide/wrap-a-program', ['program greet', 'In capitals', 'Hello, Ada\n', 'HELLO, ADA']],
    ['guide/add-a-skill', ['skill word-count', 'wordCount:count', '"longest": "afternoon."']],
    ['guide/write-a-document', ['2 orders.csv', 'fresh']],
    ['guide/set-a-policy', ['ask "notes:delete"', '"thesis"', 'exit code 3', 'exit code 4', 'notes:delete']],
    ['guide/read-the-journal', ['2 notes.md', 'invalid-input', '"level":"warning"', 'every one as it was written']],
    ['guide/claude-code', ['.mcp.json is linked']],
    ['guide/cursor', ['.cursor/mcp.json is linked']],
  ])('%s', async ([cwd, expected]) => {
    const place = copyOfExamples()
    const { exitCode, stdout, stderr } = await run(place, cwd, 'bash', ['-e', 'commands.sh'])
    expect(exitCode, stdout + stderr).toBe(0)
    for (const part of expected) expect(stdout).toMatch(part)
    const linked = { 'guide/claude-code': '.mcp.json', 'guide/cursor': '.cursor/mcp.json' }[cwd]
    if (linked) {
      const [made, shown] = [linked, 'mcp.json'].map((name) => readFileSync(join(place.folder, cwd, name), 'utf8'))
      expect(JSON.parse(made ?? '')).toEqual(JSON.parse(shown ?? ''))
    }
  })
})

describe('the programs of each page run', () => {
  test.for(['ai-sdk', 'langchain', 'anthropic', 'openai-agents'])('%s', async (name) => {
    const { exitCode, stdout, stderr } = await run(copyOfExamples(), `guide/${name}`, process.execPath, ['try.ts'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toContain('2 notes.md')
  })
})
