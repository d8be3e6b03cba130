// The reference pages: configurations fit the schema, TypeScript type-checks, commands are understood by the command's own parser,
// documents and contracts parse. What is no whole is marked as a fragment, and what a snippet takes for granted is given beside it, both
// in a comment that readers do not see.

import { execFile } from 'node:child_process'
import { globSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ParseError, parse as parseJsonc } from 'jsonc-parser'
import { describe, expect, test, vi } from 'vitest'
import { runCommand } from '../../src/cli/program.ts'
import { checkConfiguration } from '../../src/configuration/load.ts'
import { readContractText } from '../../src/contract/compose-file.ts'
import { parseDocument } from '../../src/document/parse.ts'
import { ruleFault } from '../../src/settings.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { root, type Snippet, snippetsOf } from './page.ts'

const made = ['docs/configuration-reference.md', 'docs/specs.md']
const pages = globSync('docs/*.md', { cwd: root })
  .filter((page) => !made.includes(page))
  .sort()
const all = [...pages, ...globSync('docs/guide/*.md', { cwd: root }), 'README.md'].flatMap(snippetsOf)
const whole = all.filter(({ note }) => note !== 'fragment')
const placeOf = ({ page, line }: Snippet) => `${page}:${line}`
const of = (...languages: readonly string[]) =>
  whole.filter(({ language }) => languages.includes(language)).map((snippet) => [placeOf(snippet), snippet] as const)

test('every snippet says what it is', () => {
  const known = ['jsonc', 'json', 'ts', 'js', 'sh', 'xml', 'yaml', 'text', 'csv', 'md', 'python']
  expect(all.filter(({ language }) => !known.includes(language)).map(placeOf)).toEqual([])
  expect(whole.length).toBeGreaterThan(60)
})

test.each(of('jsonc'))('the configuration at %s fits the schema', async (_, { text }) => {
  const faults: ParseError[] = []
  const value = parseJsonc(text, faults, { allowTrailingComma: false })
  expect(faults).toEqual([])
  const names = [...text.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => [name, 'a-value-for-it'])
  const { warnings } = await checkConfiguration(value, root, Object.fromEntries(names), [], ruleFault)
  expect(warnings).toEqual([])
})

test.each(of('json'))('the JSON at %s can be read', (_, { text }) => {
  expect(() => JSON.parse(text)).not.toThrow()
})

describe('commands', () => {
  const lines = of('sh')
    .filter(([, { file }]) => file === undefined)
    .flatMap(([place, { text }]) => commandsOf(text).map((words) => [place, words] as const))

  test('there are many', () => {
    expect(lines.length).toBeGreaterThan(60)
  })

  test.each(lines)('at %s: %j', async (_, words) => {
    const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    try {
      const exitCode = await runCommand(words, '0', async () => 0)
      expect({ exitCode, told: told.mock.calls }).toEqual({ exitCode: 0, told: [] })
    } finally {
      told.mockRestore()
    }
  })
})

/** The words after `legwork`, for each time that it is called. */
function commandsOf(script: string): string[][] {
  return script.split('\n').flatMap((line) => {
    const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(#.*|\|\||[|<>]|&&)|([^\s'"#|<>&]+)/g)].map(
      ([, single, double, operator, plain]) => ({ word: single ?? double ?? plain ?? '', operator }),
    )
    const found: string[][] = []
    let current: string[] | undefined
    for (const { word, operator } of words) {
      if (operator !== undefined) current = undefined
      else if (current) current.push(word)
      else if (word === 'legwork') {
        current = []
        found.push(current)
      }
    }
    return found
  })
}

test.each(of('xml'))('the document at %s parses', (_, { text }) => {
  const parsed = parseDocument(text)
  expect(parsed.ok ? [] : parsed.faults).toEqual([])
})

test.each(of('yaml'))('the contract at %s can be read', async (_, { text }) => {
  expect(await readContractText(text)).toMatchObject({ type: expect.any(String) })
})

test('the TypeScript of all pages type-checks', async () => {
  const outside = temporaryFolder()
  const folder = join(outside, 'pages')
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  symlinkSync(root, join(folder, 'node_modules/legwork'))
  symlinkSync(join(root, 'node_modules'), join(outside, 'node_modules'))
  const snippets = of('ts', 'js').filter(([, { note }]) => !note?.startsWith('examples/'))
  expect(snippets.length).toBeGreaterThan(10)
  for (const [place, { text, note }] of snippets) {
    const given = note?.startsWith('given: ') ? note.slice(7) : ''
    // Kept on one line, so that lines are the page's own.
    writeFileSync(join(folder, `${place.replaceAll(/[^\w]/g, '-')}.mts`), `export {};${given}\n${text}`)
  }
  writeFileSync(join(folder, 'toolscript.d.ts'), toolscript)
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  const run = promisify(execFile)
  const printed = await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder]).catch((error) => error)
  // A script returns its value.
  const faults = String(printed.stdout)
    .split('\n')
    .filter((line) => line !== '' && !line.includes('TS1108'))
  expect(faults).toEqual([])
})

/** Which tools there are depends on the reader. */
const toolscript = `declare module 'toolscript' {
  interface Tools { <T = any>(input?: object): Promise<T>; readonly [name: string]: Tools }
  export const tools: Tools
  export class ToolError extends Error {}
}`

const settings = {
  compilerOptions: {
    target: 'esnext',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  },
  include: ['*.mts', '*.d.ts'],
}
