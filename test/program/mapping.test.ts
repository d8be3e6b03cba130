import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type AtipTool,
  findCommand,
  getAvailableCommands,
  mapToCommand,
  UnknownCommandError,
  unflattenName,
} from '../../src/doors/program.ts'

const leaf = { description: 'Does it' }
const gh: AtipTool = {
  name: 'gh',
  commands: { '': leaf, pr: { commands: { create: leaf, 'list-all': leaf } }, my_cmd: leaf },
}

test('a name leads to the command it was made of', () => {
  expect(mapToCommand('gh_pr_create', [gh])).toMatchObject({ toolName: 'gh', path: ['pr', 'create'], command: leaf })
  expect(mapToCommand('gh', [gh])).toMatchObject({ toolName: 'gh', path: [] })
  expect(mapToCommand('gh_my_cmd', [gh]).path).toEqual(['my_cmd'])
  expect(mapToCommand('gh.pr.list-all', [gh], '.').path).toEqual(['pr', 'list-all'])
})

test('a group is no command, and an unknown name has near ones', () => {
  expect(() => mapToCommand('gh_pr', [gh])).toThrow(UnknownCommandError)
  expect(() => mapToCommand('gh_pr_creat', [gh])).toThrow(
    'There is no command "gh_pr_creat". Did you mean "gh_pr_create"?',
  )
  expect(() => mapToCommand('constructor', [gh])).toThrow(UnknownCommandError)
})

test('names that would be the same are both there, the same way whatever the order', () => {
  const one: AtipTool = { name: 'my', commands: { tool: { commands: { run: leaf } }, tool_run: leaf } }
  const two: AtipTool = { name: 'my_tool', commands: { run: leaf } }
  const names = getAvailableCommands([one, two])
  expect(new Set(names).size).toBe(3)
  expect(names).toContain('my_tool_run')
  const pathOf = (tools: AtipTool[]) =>
    Object.fromEntries(getAvailableCommands(tools).map((name) => [name, unflattenName(name, tools)]))
  expect(pathOf([two, one])).toEqual(pathOf([one, two]))
})

test('names are such as model providers accept', () => {
  const odd: AtipTool = { name: 'odd', commands: { 'docker:build now': leaf, ['x'.repeat(90)]: leaf } }
  for (const name of getAvailableCommands(odd)) expect(name).toMatch(/^[\w-]{1,64}$/)
})

test('splitting by a separator is not the same as looking it up', () => {
  expect(unflattenName('gh_my_cmd')).toEqual(['gh', 'my', 'cmd'])
  expect(unflattenName('gh_my_cmd', [gh])).toEqual(['gh', 'my_cmd'])
  expect(unflattenName('gh.pr.create', '.')).toEqual(['gh', 'pr', 'create'])
  expect(unflattenName('nothing', [gh])).toBeUndefined()
})

test('a command is found by its words, groups and the program itself included', () => {
  expect(findCommand(gh, ['pr', 'create'])).toBe(leaf)
  expect(findCommand(gh, ['pr'])).toHaveProperty('commands')
  expect(findCommand(gh, [])).toBe(leaf)
  expect(findCommand(gh, ['pr', 'nothing'])).toBeUndefined()
  expect(findCommand(gh, ['toString'])).toBeUndefined()
})

test('tools that are not valid have no commands, and the others have theirs', () => {
  const bad = { name: 'bad', commands: { x: 1 } } as unknown as AtipTool
  expect(getAvailableCommands([bad, gh])).toEqual(['gh', 'gh_pr_create', 'gh_pr_list-all', 'gh_my_cmd'])
  expect(findCommand(bad, ['x'])).toBeUndefined()
})

test('a list that grows has the new names too', () => {
  const tools = [gh]
  expect(() => mapToCommand('other', tools)).toThrow(UnknownCommandError)
  tools.push({ name: 'other' })
  expect(mapToCommand('other', tools).toolName).toBe('other')
})

test('every command is found by exactly one name, and each name leads back to its words', () => {
  const word = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => !/__proto__|[\0-\x1f\x7f]/.test(text))
  const commands = fc.dictionary(word, fc.constant(leaf), { maxKeys: 8 })
  fc.assert(
    fc.property(commands, commands, (direct, nested) => {
      const tool: AtipTool = { name: 'p', commands: { ...direct, group: { commands: nested } } }
      const names = getAvailableCommands(tool)
      const expected = Object.keys(direct).filter((name) => name !== 'group').length + Object.keys(nested).length
      expect(names.length).toBe(expected)
      for (const name of names) {
        const { path } = mapToCommand(name, [tool])
        expect(findCommand(tool, path)).toBe(leaf)
      }
    }),
  )
})
