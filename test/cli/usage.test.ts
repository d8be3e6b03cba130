// What a person reads who wrote the command line wrongly.

import { expect, test } from 'vitest'
import { runLegwork } from '../support/command.ts'
import { makeProject } from '../support/project.ts'
import { temporaryFolder } from '../support/temporary.ts'

test.each<[string, readonly string[], string]>([
  [
    'an argument that is missing',
    ['call'],
    `missing required argument 'tool'
Usage: legwork call [options] <tool> [input]
Run "legwork call --help" for its options.
`,
  ],
  [
    'an argument of a verb below a verb',
    ['policy', 'why'],
    `missing required argument 'tool'
Usage: legwork policy why [options] <tool> [input]
Run "legwork policy why --help" for its options.
`,
  ],
  [
    'an option that there is not',
    ['audit', 'verify', '--haed', 'x'],
    `unknown option '--haed'
(Did you mean --head?)
Usage: legwork audit verify [options]
Run "legwork audit verify --help" for its options.
`,
  ],
  [
    'a verb that there is not',
    ['tool'],
    `unknown command 'tool'
(Did you mean tools?)
Run "legwork --help" for what there is.
`,
  ],
])('%s is answered with how it is written', async (_, words, stderr) => {
  expect(await runLegwork(words, { cwd: temporaryFolder() })).toEqual({ exitCode: 2, stdout: '', stderr })
})

test.each<[string, readonly string[], RegExp]>([
  ['a file that is not there', ['run', 'nope.ts'], /^There is no file "nope\.ts"\.\n$/],
  ['a file that cannot be read', ['run', '/', '--as', 'toolscript'], /^"\/" cannot be read: [^\n]*\n$/],
  ['an answer to no question', ['approve', 'abc'], /^There is no question "abc"\.[^\n]*\n$/],
])('%s is no reason to read the help', async (_, words, stderr) => {
  const printed = await runLegwork(words, { cwd: temporaryFolder() })
  expect(printed).toEqual({ exitCode: 2, stdout: '', stderr: expect.stringMatching(stderr) })
})

test.each([
  [['--json', 'tools', 'demo:echo']],
  [['--config', 'legwork.jsonc', '--json', 'tools', 'demo:echo']],
  [['--config=legwork.jsonc', 'tools', 'demo:echo', '--json']],
  [['--json', 'policy', 'why', 'demo:echo']],
  [['--json', '--config', 'legwork.jsonc', 'audit', 'verify']],
])('what every verb takes may stand before it: %s', async (words) => {
  const { exitCode, stdout, stderr } = await runLegwork(words, { cwd: makeProject() })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(() => JSON.parse(stdout)).not.toThrow()
})

test('a tool that there is not is answered with the verb that lists them', async () => {
  const { exitCode, stderr } = await runLegwork(['call', 'qqqq'], { cwd: makeProject() })
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: 'There is no tool "qqqq". "legwork tools" lists them all.\n',
  })
})
