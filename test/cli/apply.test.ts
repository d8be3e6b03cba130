import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runLegwork } from '../support/command.ts'
import { temporaryFolder } from '../support/temporary.ts'

const text = '<document>\n  <p id="a">One</p>\n</document>\n'

function folderWith(diff: string) {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'report.xml'), text)
  writeFileSync(join(cwd, 'diff.xml'), diff)
  return { cwd, file: () => readFileSync(join(cwd, 'report.xml'), 'utf8') }
}

const good = '<diff><edit:content block-id="a">Two</edit:content></diff>'

test('apply prints the changed document, and writes it when asked to', async () => {
  const { cwd, file } = folderWith(good)
  const changed = text.replace('One', 'Two')
  expect(await runLegwork(['apply', 'diff.xml', 'report.xml'], { cwd })).toMatchObject({ exitCode: 0, stdout: changed })
  expect(file()).toBe(text)
  expect(await runLegwork(['apply', 'diff.xml', 'report.xml', '--write'], { cwd })).toMatchObject({
    exitCode: 0,
    stdout: '',
  })
  expect(file()).toBe(changed)
})

test('apply changes nothing when one operation cannot be done, and names the block and the place', async () => {
  const { cwd, file } = folderWith('<diff>\n<delete block-id="a"/>\n<delete block-id="b"/>\n</diff>')
  const refused = await runLegwork(['apply', 'diff.xml', 'report.xml', '--write'], { cwd })
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' })
  expect(refused.stderr).toContain('diff.xml:3:1 UNKNOWN_BLOCK\nThere is no block "b".')
  expect(file()).toBe(text)
})

test('apply --json prints one value', async () => {
  const { cwd } = folderWith(good)
  const { stdout } = await runLegwork(['apply', 'diff.xml', 'report.xml', '--json'], { cwd })
  expect(JSON.parse(stdout)).toEqual({ ok: true, file: 'report.xml', written: false, text: text.replace('One', 'Two') })
  const missing = await runLegwork(['apply', 'no.xml', 'report.xml', '--json'], { cwd })
  expect(missing.exitCode).toBe(2)
  expect(JSON.parse(missing.stdout)).toMatchObject({ ok: false, code: 'usage' })
})
