import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runLegwork } from '../support/command.ts'
import { makeSkill } from '../support/skill.ts'
import { temporaryFolder } from '../support/temporary.ts'

function project(): string {
  const cwd = temporaryFolder()
  const configuration = { skills: [{ path: './skills', trust: 'org' }], journal: { path: './journal.db' } }
  writeFileSync(join(cwd, 'legwork.jsonc'), JSON.stringify(configuration))
  writeFileSync(join(cwd, 'a.pdf'), 'some text')
  const extract = '# Extracts the text of a file.\n# Usage: extract.sh <file_path>\ncat "$1"; echo'
  makeSkill({ 'scripts/extract.sh': extract, 'scripts/lib.py': 'X = 1\n' }, { root: join(cwd, 'skills') })
  return cwd
}

test('skills are listed and called by the specification’s own names', async () => {
  const cwd = project()
  const listed = await runLegwork(['tools', '--kind', 'skill', '--json'], { cwd })
  const tools = JSON.parse(listed.stdout)
  expect(tools.map(({ id }: { id: string }) => id)).toEqual(['pdfExtractor', 'pdfExtractor:extract'])
  expect(tools[1].spellings.skill).toBe('pdf-extractor.extract')
  const called = await runLegwork(['call', 'pdf-extractor.extract', '{"file_path":"a.pdf"}'], { cwd })
  expect(called).toMatchObject({ exitCode: 0, stdout: 'some text\n' })
  const traversal = await runLegwork(['call', 'pdf-extractor.../../x', '{}', '--json'], { cwd })
  expect(JSON.parse(traversal.stdout)).toMatchObject({ ok: false, code: 'unknown-tool' })
})

test('refusals and failures have their exit codes', async () => {
  const cwd = project()
  makeSkill({ 'a.sh': 'echo 1' }, { name: 'closed', root: join(cwd, 'skills'), head: 'allowed-tools: Read' })
  makeSkill({ 'a.sh': 'exit 7', 'b.sh': 'sleep 20' }, { name: 'failing', root: join(cwd, 'skills') })
  expect(await runLegwork(['call', 'closed.a'], { cwd })).toMatchObject({ exitCode: 3 })
  expect(await runLegwork(['call', 'failing.a'], { cwd })).toMatchObject({ exitCode: 1 })
  expect(await runLegwork(['call', 'failing.b', '--timeout', '300'], { cwd })).toMatchObject({ exitCode: 124 })
  const audit = await runLegwork(['audit', '--level', 'warning', '--json'], { cwd })
  expect(JSON.parse(audit.stdout)).toHaveLength(3)
})

test('doctor checks every skill strictly and shows its libraries', async () => {
  const cwd = project()
  const good = await runLegwork(['doctor', '--json'], { cwd })
  const findings = JSON.parse(good.stdout).findings as { name: string; status: string; message: string }[]
  expect(findings.find(({ name }) => name === 'skill pdf-extractor')).toMatchObject({
    status: 'ok',
    message: expect.stringContaining('scripts/lib.py'),
  })
  const { base } = makeSkill({}, { name: 'bad', root: join(cwd, 'skills') })
  writeFileSync(join(base, 'SKILL.md'), '---\nname: Bad Name\n---\n')
  const bad = await runLegwork(['doctor'], { cwd })
  expect(bad.exitCode).toBe(1)
  expect(bad.stdout).toContain('It has no description')
})
