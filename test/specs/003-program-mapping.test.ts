import { expect, test } from 'vitest'
import {
  type AtipTool,
  buildCommandArray,
  findCommand,
  getAvailableCommands,
  mapToCommand,
  UnknownCommandError,
  unflattenName,
} from '../../src/doors/program.ts'
import { makeExecutor } from '../support/executor.ts'

const create = { description: 'Opens a pull request', arguments: [{ name: 'title', type: 'string' }] } as const
const gh: AtipTool = { name: 'gh', commands: { pr: { commands: { create } }, repo_view: { description: 'Shows' } } }
const tools = [{ name: 'git', commands: { status: {} } }, gh]

test('003/Mapping names: flattened tool names lead back to command arrays', () => {
  const { toolName, path } = mapToCommand('gh_pr_create', tools)
  expect(buildCommandArray(toolName, path)).toEqual(['gh', 'pr', 'create'])
})

test('003/Flattening and its inverse', () => {
  for (const name of getAvailableCommands(tools)) expect(mapToCommand(name, tools).name).toBe(name)
  expect(getAvailableCommands(tools)).toEqual(['git_status', 'gh_pr_create', 'gh_repo_view'])
})

test('003/mapToCommand', () => {
  expect(mapToCommand('gh_pr_create', tools)).toMatchObject({ toolName: 'gh', path: ['pr', 'create'], command: create })
  expect(() => mapToCommand('gh_pr_creat', tools)).toThrow(UnknownCommandError)
})

test('003/unflattenName: by the index, a name that has an underscore of its own stays whole', () => {
  expect(unflattenName('gh_pr_create', '_')).toEqual(['gh', 'pr', 'create'])
  expect(unflattenName('gh_repo_view', tools)).toEqual(['gh', 'repo_view'])
})

test('003/findCommand: walks the command tree to the leaf', () => {
  expect(findCommand(gh, ['pr', 'create'])).toEqual(create)
  expect(findCommand(gh, ['pr', 'merge'])).toBeUndefined()
})

test('003/buildCommandArray from a path', () => {
  expect(buildCommandArray('gh', ['pr', 'create'])).toEqual(['gh', 'pr', 'create'])
})

test('003/Step 1 of mapping: the parts of the name', () => {
  expect(unflattenName('gh_pr_create', tools)).toEqual(['gh', 'pr', 'create'])
})
test('003/Step 2 of mapping: the tool name', () => expect(mapToCommand('gh_pr_create', tools).toolName).toBe('gh'))
test('003/Step 3 of mapping: the command path', () => {
  expect(mapToCommand('gh_pr_create', tools).path).toEqual(['pr', 'create'])
})
test('003/Step 4 of mapping: the tool among the tools', () => {
  expect(mapToCommand('gh_pr_create', tools).tool.name).toBe('gh')
})
test('003/Step 5 of mapping: the command tree is walked', () => {
  expect(mapToCommand('gh_pr_create', tools).command).toBe(findCommand(gh, ['pr', 'create']))
})
test('003/Step 6 of mapping: a mapping with the resolved command', () => {
  expect(mapToCommand('gh_pr_create', tools)).toMatchObject({ name: 'gh_pr_create', command: create })
})

test('003/Underscore separator, with optional override', () => {
  expect(mapToCommand('gh_pr_create', tools).path).toEqual(mapToCommand('gh.pr.create', tools, '.').path)
})

test('003/Separator is configurable', async () => {
  const { executor } = makeExecutor({
    separator: '.',
    tools: [{ name: 'show', commands: { a: { commands: { b: {} } } } }],
  })
  expect(executor.commands()).toEqual(['show.a.b'])
  expect(await executor.execute({ name: 'show.a.b' })).toMatchObject({ stdout: 'a\nb\n' })
})

test('003/Separator is not detected: a name in another spelling is no name', () => {
  expect(() => mapToCommand('gh.pr.create', tools)).toThrow(UnknownCommandError)
  expect(() => mapToCommand('gh-pr-create', tools)).toThrow(UnknownCommandError)
})
