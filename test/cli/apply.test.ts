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
  expect(JSON.parse(stdout)).toEqual({
    ok: true,
    file: 'report.xml',
    written: false,
    text: text.replace('One', 'Two'),
    warnings: [],
  })
  const missing = await runLegwork(['apply', 'no.xml', 'report.xml', '--json'], { cwd })
  expect(missing.exitCode).toBe(2)
  expect(JSON.parse(missing.stdout)).toMatchObject({ ok: false, code: 'usage' })
})

test('apply reads only what is UTF-8', async () => {
  const { cwd, file } = folderWith('')
  writeFileSync(
    join(cwd, 'diff.xml'),
    Buffer.from('<diff><edit:content block-id="a">\xe4</edit:content></diff>', 'latin1'),
  )
  const refused = await runLegwork(['apply', 'diff.xml', 'report.xml', '--write'], { cwd })
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' })
  expect(refused.stderr).toContain('UTF-8')
  expect(refused.stderr).toContain('diff.xml')
  expect(file()).toBe(text)
})

test('apply shows what is odd in the diff', async () => {
  const { cwd } = folderWith('<diff><delete block-id="a" after="b"/></diff>')
  const applied = await runLegwork(['apply', 'diff.xml', 'report.xml'], { cwd })
  expect(applied).toMatchObject({ exitCode: 0, stdout: '<document>\n</document>\n' })
  expect(applied.stderr).toContain('diff.xml:1:7 UNKNOWN_ATTRIBUTE')
  const { stdout } = await runLegwork(['apply', 'diff.xml', 'report.xml', '--json'], { cwd })
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, warnings: [{ code: 'UNKNOWN_ATTRIBUTE' }] })
})

test('a diff whose outcome is no document is told at its place in the diff', async () => {
  const { cwd } = folderWith(
    '<diff>\n  <insert at-end="true"><p>x</p></insert>\n  <insert at-end="true"><fncall fn="a"/></insert>\n  <edit:attr block-id="a" name="level" value="x"/>\n</diff>',
  )
  expect((await runLegwork(['apply', 'diff.xml', 'report.xml'], { cwd })).exitCode).toBe(0)
  writeFileSync(join(cwd, 'report.xml'), '<document><fncall id="a" fn="b"/></document>')
  writeFileSync(join(cwd, 'diff.xml'), '<diff>\n\n<edit:attr block-id="a" name="fn" value="x-y"/></diff>')
  const refused = await runLegwork(['apply', 'diff.xml', 'report.xml'], { cwd })
  expect(refused.stderr).toContain('diff.xml:3:1 INVALID_FUNCTION\nWith the diff applied')
})
