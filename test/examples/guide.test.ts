// The README and the pages of the guide: each is worked through from top to bottom in an empty folder, with what the page shows and
// nothing else. A named snippet is written into its file, or has to be what is in it already; commands run; what is shown as text is
// what the commands before it print.

import { spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandFile, resultOf } from '../support/command.ts'
import { type Finished, temporaryFolder } from '../support/temporary.ts'
import { readPage, root, type Snippet, snippetsOf } from './page.ts'

const pages = [...globSync('docs/guide/*.md', { cwd: root }), 'README.md'].sort()

test('every link between pages leads somewhere', () => {
  const all = [...globSync('docs/**/*.md', { cwd: root }), 'README.md', 'plugins/claude-code/README.md']
  const broken = all.flatMap((page) => {
    const targets = [...readPage(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)/g)].map(
      ([, target = '']) => target,
    )
    return targets.filter((target) => !existsSync(join(root, page, '..', target))).map((target) => `${page}: ${target}`)
  })
  expect(broken).toEqual([])
})

test.each(pages)('every snippet of %s is worked through, or is a file of the examples, letter by letter', (page) => {
  const snippets = snippetsOf(page)
  expect(snippets.length).toBeGreaterThan(0)
  for (const { file, note, language, text, line } of snippets) {
    if (note?.startsWith('examples/')) expect({ line, text }).toEqual({ line, text: readPage(note) })
    else
      expect({ line, isRead: file !== undefined || language === 'sh' || language === 'text' }).toMatchObject({
        isRead: true,
      })
  }
})

interface Place {
  readonly folder: string
  readonly bin: string
  readonly home: string
}

/** An empty folder where Legwork is installed, and an npx that runs it. */
function emptyFolder(finished?: Finished): Place {
  const folder = temporaryFolder(finished)
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/legwork'))
  const bin = temporaryFolder(finished)
  const npx = `#!/bin/sh\n[ "$1" = legwork ] && shift && exec "${process.execPath}" "${commandFile}" "$@"\n`
  writeFileSync(join(bin, 'npx'), npx)
  chmodSync(join(bin, 'npx'), 0o755)
  symlinkSync(process.execPath, join(bin, 'node'))
  return { folder, bin, home: temporaryFolder(finished) }
}

function run({ folder, bin, home }: Place, program: string, words: readonly string[]) {
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home, NO_COLOR: '1' }
  return resultOf(spawn(program, words, { cwd: folder, env }), '')
}

/** `…` stands for anything within a line; a line of its own for any lines. */
function asPrinted(text: string): RegExp {
  const lines = text
    .split('\n')
    .map((line) => (line === '…' ? '(?:.*\n)*' : `${line.split('…').map(literally).join('.*')}\n`))
  return new RegExp(`^${lines.slice(0, -1).join('')}$`)
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}

async function workThrough(snippets: readonly Snippet[], place: Place): Promise<void> {
  let printed = ''
  for (const { page, line, language, text, file } of snippets) {
    if (file !== undefined) putOrCompare(join(place.folder, file), text)
    else if (language === 'sh') {
      const { exitCode, stdout, stderr } = await run(place, 'bash', ['-ec', text])
      expect(exitCode, `${page}:${line}\n${stdout}${stderr}`).toBe(0)
      printed = stdout
    } else if (language === 'text') expect(printed, `${page}:${line}`).toMatch(asPrinted(text))
  }
}

/** What the commands have made is compared; what is not there yet is what the reader writes. */
function putOrCompare(path: string, text: string): void {
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  } else if (path.endsWith('.json')) expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(JSON.parse(text))
  else expect(readFileSync(path, 'utf8')).toBe(text)
}

const withCommands = pages.filter((page) => snippetsOf(page).some(({ language, file }) => language === 'sh' && !file))

describe.concurrent('what a page shows is all that it needs', () => {
  test.for(withCommands)('%s', async (page, { onTestFinished }) =>
    workThrough(snippetsOf(page), emptyFolder(onTestFinished)),
  )
})

test('most pages of the guide are worked through', () => {
  expect(withCommands.length).toBeGreaterThan(7)
})

describe('the programs of each page run', () => {
  test.for(['ai-sdk', 'langchain', 'anthropic', 'openai-agents'])('%s', async (name) => {
    const place = emptyFolder()
    const folder = join(place.folder, name)
    cpSync(join(root, 'examples/guide', name), folder, { recursive: true })
    // The SDKs are those of this repository.
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(root, join(folder, 'node_modules/legwork'))
    rmSync(join(place.folder, 'node_modules'), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(place.folder, 'node_modules'))
    const { exitCode, stdout, stderr } = await run({ ...place, folder }, process.execPath, ['try.ts'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toContain('2 notes.md')
  })
})
