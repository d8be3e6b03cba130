// What could not be read: told at the start where that is known, and to whoever calls what would have been in it.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defineTool } from '../../src/index.ts'
import { openLegwork } from '../support/legwork.ts'
import { temporaryFolder } from '../support/temporary.ts'

const functions = ['bat', 't1', 'nosuchh'].map((name) => defineTool({ name, description: 'Is near', run: () => 1 }))

async function openBroken() {
  const workspace = temporaryFolder()
  mkdirSync(join(workspace, 'broken'))
  writeFileSync(join(workspace, 'broken', 'bad.yaml'), 'compose: [[[\n')
  writeFileSync(join(workspace, 'broken', 'bad.xml'), '<document><tool title="T2"><tool:definition><fncall')
  return openLegwork({
    workspace,
    functions,
    skills: ['./no-skills'],
    contracts: ['./broken/*.yaml', './gone.yaml'],
    documents: ['./broken/*.xml', './gone.xml'],
    programs: { nosuch: {} },
  })
}

test('what is not there is a warning from the start; what has to be read for it, once it was', async () => {
  const legwork = await openBroken()
  expect(legwork.warnings).toEqual([
    expect.stringContaining('There is no metadata for the program "nosuch"'),
    expect.stringContaining('"nosuch"'),
    expect.stringMatching(/no-skills" of skills does not exist/),
    'No file fits "./gone.yaml" of "contracts".',
    'No file fits "./gone.xml" of "documents".',
  ])
  await legwork.tools()
  const warnings = legwork.sources().flatMap((source) => source.warnings)
  expect(warnings.filter((warning) => warning.includes('is not loaded'))).toHaveLength(2)
  expect(warnings.filter((warning) => warning.includes('gone'))).toHaveLength(2)
})

test.each([
  ['contract:bad', 'The contract "broken/bad.yaml" is not loaded.'],
  ['contract__bad', 'The contract "broken/bad.yaml" is not loaded.'],
  ['custom:t2', 'The document "broken/bad.xml" is not loaded.'],
  ['Some Title', 'The document "broken/bad.xml" is not loaded.'],
  ['nosuch', 'There is no metadata for the program "nosuch".'],
  ['nosuch:list', 'There is no metadata for the program "nosuch".'],
])('%s is answered with what is wrong, and with no guess', async (tool, fault) => {
  const legwork = await openBroken()
  const outcome = await legwork.call({ tool })
  expect(outcome).toMatchObject({ ok: false, code: 'unknown-tool', message: expect.stringContaining(fault) })
  expect(outcome).toMatchObject({ message: expect.not.stringContaining('Did you mean') })
})

test('a name of something else is answered as ever', async () => {
  const legwork = await openBroken()
  for (const tool of ['baat', 'demo:x'])
    expect(await legwork.call({ tool })).toMatchObject({ message: expect.not.stringContaining('is not loaded') })
})
