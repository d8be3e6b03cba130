// `legwork call` with tools that documents define.

import { expect, test } from 'vitest'
import { runLegwork } from '../support/command.ts'
import { exampleConfiguration, makeProject } from '../support/project.ts'

const variable = '<variable name="topic" prompt="What about"/>'
const documentText = `<document>
<tool title="Say It Twice"><tool:definition>
<fncall id="a" fn="demo:echo"><params>{"message": "one"}</params><content>${variable}</content></fncall>
<fncall id="b" fn="demo:echo"><params>{"message": "two"}</params></fncall>
</tool:definition></tool>
<tool title="Break"><tool:definition><fncall id="a" fn="demo:nobody"/></tool:definition></tool>
</document>`

const project = () =>
  makeProject({ 'docs/a.xml': documentText }, { ...exampleConfiguration, documents: ['docs/*.xml'] })

test('a tool is called by its title with words or values; people see its answer, programs all of it', async () => {
  const cwd = project()
  const said = await runLegwork(['call', 'say it twice', '--content', 'topic: AI'], { cwd })
  expect(said).toMatchObject({ exitCode: 0, stdout: '{"message":"two"}\n' })
  const given = await runLegwork(['call', 'custom:sayItTwice', '--var', 'topic=a=b', '--json'], { cwd })
  expect(JSON.parse(given.stdout)).toMatchObject({
    ok: true,
    title: 'Say It Twice',
    value: {
      variables: [['topic', 'a=b']],
      metadata: { blocksExecuted: 2 },
      toolDefinition: { title: 'Say It Twice' },
    },
  })
})

test('--dry shows the values, and nothing runs', async () => {
  const cwd = project()
  const { exitCode, stdout } = await runLegwork(['call', 'Say It Twice', '--content', 'topic: AI', '--dry'], { cwd })
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'topic  AI\n' })
  const audit = await runLegwork(['audit', '--json'], { cwd })
  expect(audit.stdout).not.toContain('demo:echo"')
})

test('--dry says what was not loaded', async () => {
  const isolated = documentText.replace('<tool title="Say It Twice">', '<tool title="Say It Twice" isolated="true">')
  const configuration = { ...exampleConfiguration, documents: ['docs/*.xml'] }
  const cwd = makeProject({ 'docs/a.xml': isolated }, configuration)
  const mentions = Array.from({ length: 40 }, (_, at) => `<mention:document id="${at}">this</mention:document>`)
  const content = `topic: AI, ${mentions.join('')}`
  const { exitCode, stderr } = await runLegwork(['call', 'Say It Twice', '--content', content, '--dry'], { cwd })
  expect(exitCode).toBe(0)
  expect(stderr).toContain('Warning: 40 mentions are too many')
})

test.each([
  ['a variable that nothing resolves', ['Say It Twice'], 2, '"topic" (What about) has no value'],
  ['a variable that nobody knows', ['Say It Twice', '--var', 'other=x'], 2, 'other'],
  ['a value without a name', ['Say It Twice', '--var', 'topic'], 2, 'Write --var name=value'],
  ['a block that fails', ['Break'], 1, 'demo:nobody'],
  ['another kind of tool', ['demo:echo', '--dry'], 2, 'no tool that a document defines'],
  ['a title that is no tool', ['Say It Thrice And More', '--dry'], 2, 'There is no tool'],
])('%s', async (_, words, exitCode, message) => {
  const result = await runLegwork(['call', ...words], { cwd: project() })
  expect(result.exitCode).toBe(exitCode)
  expect(result.stderr).toContain(message)
})
