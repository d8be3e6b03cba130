import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoTools } from '../support/script-tools.ts'
import { type Opened, openToolscripts, type RunOptions, withoutDeno } from '../support/toolscripts.ts'

describe.skipIf(withoutDeno)('a script in its project', () => {
  const root = mkdtempSync(join(tmpdir(), 'legwork-test-'))
  const workspace = join(root, 'a project')
  const secret = join(root, 'secret.ts')
  let opened: Opened
  const write = (name: string, text: string) => writeFileSync(join(workspace, name), text)
  const run = (source: string, options: RunOptions = {}) => opened.run(source, { name: 'main.ts', ...options })
  const issues = async (source: string, options?: RunOptions) => {
    const outcome = await run(source, options)
    return !outcome.ok && outcome.code === 'invalid-input' ? outcome.issues : outcome
  }

  beforeAll(async () => {
    mkdirSync(join(workspace, 'lib'), { recursive: true })
    writeFileSync(secret, 'export const KEY = "s3cret-canary"\n')
    symlinkSync(secret, join(workspace, 'linked.ts'))
    opened = await openToolscripts({ functions: demoTools, workspace })
  })
  afterAll(async () => {
    await opened?.close()
    rmSync(root, { recursive: true })
  })

  test.each([
    ['a path upwards', '../secret.ts'],
    ['a link that leads outside', './linked.ts'],
    ['a path through a folder that is not there', './no/../../secret.ts'],
    ['a folder', './lib'],
  ])('%s is not imported, and its text is in no message', async (_, specifier) => {
    const found = await issues(`import { KEY } from "${specifier}"\nconst n: 1 = KEY`)
    expect(found).toMatchObject([
      { path: 'main.ts:1:21', message: expect.stringContaining('no such file in this project') },
    ])
    expect(JSON.stringify(found)).not.toContain('s3cret')
  })

  test.each([
    ['a hidden file', '.env', './.env', ''],
    ['a hidden file of code', '.env.ts', './.env', ''],
    ['a hidden file of JSON', '.env.json', './.env.json', ''],
    ['a file in a hidden folder', '.git/config.ts', './.git/config.ts', ''],
    ['the configuration', 'legwork.json', './legwork.json', ''],
    ['the configuration with comments', 'legwork.jsonc', './legwork.jsonc', ''],
    ['the lock file', 'legwork.lock', './legwork.lock', ''],
    ['a file that is no code', 'notes.txt', './notes.txt', ''],
    ['a link to a hidden file', '.hidden.ts', './shown.ts', 'shown.ts'],
  ])('%s is not imported', async (_, file, specifier, link) => {
    mkdirSync(join(workspace, file, '..'), { recursive: true })
    write(file, 'export const KEY = "s3cret-canary"\n')
    if (link) symlinkSync(join(workspace, file), join(workspace, link))
    const found = await issues(`import { KEY } from "${specifier}"\nconst n: 1 = KEY`)
    expect(found).toMatchObject([{ path: 'main.ts:1:21', message: expect.stringContaining('no such file') }])
    expect(JSON.stringify(found)).not.toContain('s3cret')
  })

  test.each([
    ['require of a file that is there', 'if (one > 100) require("/etc/passwd")'],
    ['require of a file that is not', 'if (one > 100) require("/etc/nothing-there")'],
    ['an import in brackets', 'if (one > 100) await import(("/etc/passwd"))'],
    ['an import in brackets of what is not', 'if (one > 100) await import(("/etc/nothing-there"))'],
    ['an import of a relative path in brackets', 'if (one > 100) await import(("../secret.ts"))'],
  ])('%s: the disk is not looked at, and the script runs', async (_, statement) => {
    write('lib/one.ts', 'export const one: number = 1\n')
    const source = `import { one } from "./lib/one.ts"\ndeclare const require: (name: string) => unknown\n${statement}\nreturn one`
    expect(await run(source)).toMatchObject({ ok: true, value: 1 })
  })

  test('JSON that is none, and files that are too many or too large, are told with their places', async () => {
    write('bad.json', '{"a": 1,}')
    expect(await issues('import x from "./bad.json" with { type: "json" }\nreturn x')).toMatchObject([
      { path: 'bad.json:1:1', code: 'INVALID_FORMAT', message: expect.stringContaining('no JSON') },
    ])
    write('big.json', JSON.stringify('x'.repeat(9_000_000)))
    expect(await issues('import x from "./big.json" with { type: "json" }\nreturn x')).toMatchObject([
      {
        path: 'main.ts:1:15',
        code: 'TOO_LARGE',
        message: expect.stringContaining('"big.json" has 9000002 characters'),
      },
    ])
    mkdirSync(join(workspace, 'many'))
    for (let at = 0; at < 510; at++) write(`many/f${at}.ts`, `import "./f${at + 1}.ts"\n`)
    write('many/f510.ts', '')
    expect(await issues('import "./many/f0.ts"')).toMatchObject([
      { path: 'many/f499.ts:1:8', code: 'TOO_LARGE', message: expect.stringContaining('more than 500 files') },
    ])
  })

  test.each([
    ['a reference to a path', '/// <reference path="../secret.ts" />\nconst n: 1 = KEY'],
    ['a reference to types', '/// <reference types="node" />\nconst n: 1 = KEY'],
    ['an import type', 'const n: 1 = 0 as unknown as import("../secret.ts").KEY'],
    ['a typeof import', `const n: 1 = null! as typeof import("${secret}").KEY`],
    ['a require', `import fs = require("${secret}")\nconst n: 1 = fs.KEY`],
  ])('%s does not show a file outside', async (_, source) => {
    const found = await issues(source)
    expect(found).not.toHaveLength(0)
    expect(JSON.stringify(found)).not.toContain('s3cret')
  })

  test('files import files, in a circle too, and the stack names each', async () => {
    write(
      'lib/a.ts',
      'import { b } from "./b.ts"\nexport type Size = number\nexport function a(n: Size): number {\n  return n > 2 ? b(n) : n\n}\n',
    )
    write(
      'lib/b.ts',
      'import { a } from "./a"\n\nexport const b = (n: number): number => {\n  if (n > 9) throw new RangeError(`too much: ${n}`)\n  return a(n - 1)\n}\n',
    )
    expect(await run('import { a } from "./lib/a.ts"\nreturn a(5)')).toMatchObject({ ok: true, value: 2 })
    const outcome = await run('import { a } from "./lib/a.ts"\n\nconst n = 10\nreturn a(n)')
    expect(outcome.text).toMatch(
      /RangeError: too much: 10\n[\s\S]*> 4 \|[\s\S]*at b \(lib\/b\.ts:4:20\)\n.*at a \(lib\/a\.ts:4:18\)\n.*at .*main\.ts:4:8/,
    )
  })

  test('a dynamic import of an own file', async () => {
    write('lib/late.ts', 'export const late: string = "here"\n')
    expect(await run('const { late } = await import("./lib/late.ts")\nreturn late')).toMatchObject({
      ok: true,
      value: 'here',
    })
  })

  test('a file that has changed is checked and run as it is now', async () => {
    write('lib/size.ts', 'export const size: number = 1\n')
    const source = 'import { size } from "./lib/size.ts"\nconst n: number = size\nexport default n'
    expect(await run(source)).toMatchObject({ ok: true, value: 1 })
    write('lib/size.ts', 'export const size: string = "two"\n')
    expect(await issues(source)).toMatchObject([{ path: 'main.ts:2:7' }])
    write('lib/size.ts', 'export const size: number = 3\n')
    expect(await run(source)).toMatchObject({ ok: true, value: 3 })
  })

  test('a fault in an imported file is told with its own place', async () => {
    write('lib/bad.ts', 'export const x = 1\nexport const bad: number = "x"\n')
    expect(await issues('import { bad } from "./lib/bad.ts"\nreturn bad')).toMatchObject([{ path: 'lib/bad.ts:2:14' }])
    write('lib/worse.ts', 'export * from "npm:x"\n')
    expect(await issues('import "./lib/worse.ts"')).toMatchObject([{ path: 'lib/worse.ts:1:15' }])
  })

  test('an imported file may call tools', async () => {
    write(
      'lib/say.ts',
      'import { tools } from "toolscript"\nexport const say = (message: string) => tools.demo.echo({ message })\n',
    )
    const source = 'import { say } from "./lib/say.ts"\nreturn await say("x")'
    expect(await run(source)).toMatchObject({ ok: true, value: { message: 'x' } })
    const dry = await opened.toolscripts.dry(source, { name: 'main.ts' })
    expect(dry.ok && dry.tools.map(({ id }) => id)).toEqual(['demo:echo'])
  })

  test('JavaScript is checked as JavaScript', async () => {
    expect(
      await run('const o = {}\no.x = 1\nfunction f(a) { return a }\nreturn f(o)', { name: 'main.js' }),
    ).toMatchObject({ ok: true, value: { x: 1 } })
    expect(await issues('import { tools } from "toolscript"\ntools.demo.ecko({})', { name: 'main.js' })).toMatchObject([
      { path: 'main.js:2:12' },
    ])
  })

  test('a first line for the system, a byte order mark and Windows line ends do no harm', async () => {
    expect(await run('#!/usr/bin/env legwork\nconst a: number = 1\nreturn a')).toMatchObject({ ok: true, value: 1 })
    expect(await run('\ufeffconst a: number = 1\r\nreturn a\r\n')).toMatchObject({ ok: true, value: 1 })
    expect(await issues('#!/usr/bin/env legwork\nconst é = 1; const a: string = é')).toMatchObject([
      { path: 'main.ts:2:20' },
    ])
  })

  test('exports beside a return, and an import over several lines', async () => {
    const source =
      'import {\n  tools,\n} from "toolscript"\nexport const a = 1\nexport function f() { return a }\nexport class C {}\nconst b = 2\nexport { b }\nvoid tools\nreturn [f(), typeof C, b]'
    expect(await run(source)).toMatchObject({ ok: true, value: [1, 'function', 2] })
  })

  test('a checker that is killed is replaced', async () => {
    expect(await run('return 1')).toMatchObject({ ok: true })
    const killed = checkers().map((pid) => process.kill(pid, 'SIGKILL'))
    expect(killed.length).toBeGreaterThan(0)
    expect(await run('return 2')).toMatchObject({ ok: true, value: 2 })
  })
})

/** The type checkers that this process has started. */
function checkers(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const [, parent] = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
        return Number(parent) === process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--api')
      } catch {
        return false
      }
    })
    .map(Number)
}
