import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runLegwork } from '../support/command.ts'
import { makeProject } from '../support/project.ts'
import { compile } from '../toolscript/declarations-compile.ts'

const script = `import { tools } from "toolscript"
await tools.demo.echo({ message: "hi" })
await tools.sh({ file: "hello.sh" })
tools.demo.echo({ mesage: "hi" })
`

test('types writes what an editor needs, and writes it again', async () => {
  const cwd = makeProject()
  const first = await runLegwork(['types'], { cwd })
  expect(first).toMatchObject({ exitCode: 0, stdout: 'Wrote legwork.d.ts: 7 tools.\n', stderr: '' })
  const text = readFileSync(join(cwd, 'legwork.d.ts'), 'utf8')
  expect(text).toMatch(/^\/\/ Made by "legwork types"/)
  expect(await compile({ 'legwork.d.ts': text, 'script.ts': script })).toEqual([
    expect.stringMatching(/^script\.ts\(4,\d+\): error TS2561/),
  ])
  const again = await runLegwork(['types', 'legwork.d.ts', '--json'], { cwd })
  expect(JSON.parse(again.stdout)).toEqual({ file: join(cwd, 'legwork.d.ts'), tools: 7 })
  expect(readFileSync(join(cwd, 'legwork.d.ts'), 'utf8')).toBe(text)
  expect(readdirSync(cwd).filter((name) => name.includes('legwork.d.ts'))).toEqual(['legwork.d.ts'])
})

test('types leaves a file alone that it did not make, unless it is told to', async () => {
  const cwd = makeProject({ 'mine.d.ts': 'export {}\n' })
  const refused = await runLegwork(['types', 'mine.d.ts'], { cwd })
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--force') })
  expect(readFileSync(join(cwd, 'mine.d.ts'), 'utf8')).toBe('export {}\n')
  const forced = await runLegwork(['types', 'mine.d.ts', '--force'], { cwd })
  expect(forced).toMatchObject({ exitCode: 0, stdout: 'Wrote mine.d.ts: 7 tools.\n' })
  expect(readFileSync(join(cwd, 'mine.d.ts'), 'utf8')).toContain('declare module "toolscript"')
})

test('types says what is wrong with a place, and prints to no place', async () => {
  const cwd = makeProject()
  mkdirSync(join(cwd, 'folder'))
  writeFileSync(join(cwd, 'file'), '')
  for (const file of ['folder', 'nowhere/types.d.ts', 'file/types.d.ts']) {
    const failed = await runLegwork(['types', file], { cwd })
    expect(failed).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(`^"${file}" (cannot|could not) be [^\\n]*\\n$`),
    })
  }
  const printed = await runLegwork(['types', '-'], { cwd })
  expect(printed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('declare module "toolscript"') })
})
