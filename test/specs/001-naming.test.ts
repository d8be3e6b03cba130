import { expect, test } from 'vitest'
import { defineTool, fromAzureName, toAzureName } from '../../src/index.ts'
import { idPattern } from '../../src/model/name.ts'

const tool = (name: string) => defineTool({ name, description: '', run: () => 1 })

test('001/Tool naming: module:function, the module optional', () => {
  expect(tool('demo:echo').name).toBe('demo:echo')
  expect(tool('echo').name).toBe('echo')
})

test('001/JavaScript identifiers only: both parts', () => {
  for (const name of ['demo:echo', 'ai:analyzeText', 'search:findDocuments', 'webhook:githubPush', 'processData'])
    tool(name)
  for (const name of ['ai:analyze-text', 'data:process-csv']) expect(() => tool(name)).toThrow(/Write "\w+:\w+"/)
})

test('001/Grammar enforcement: the pattern of the spec, letter for letter', () => {
  expect(idPattern.source).toBe('^([a-zA-Z_$][a-zA-Z0-9_$]*:)?[a-zA-Z_$][a-zA-Z0-9_$]*$')
})

test('001/Azure demo:echo', () => expect(toAzureName('demo:echo')).toBe('demo--echo'))
test('001/Azure ai:analyzeText', () => expect(toAzureName('ai:analyzeText')).toBe('ai--analyzeText'))
test('001/Azure echo needs no transformation', () => expect(toAzureName('echo')).toBe('echo'))

test('001/Azure transformation is reversible', () => {
  for (const id of ['demo:echo', 'ai:analyzeText', 'echo', '$:_']) expect(fromAzureName(toAzureName(id))).toBe(id)
})

test('001/Azure separator is no identifier character: no name can hold it', () => {
  expect(() => tool('demo--echo')).toThrow('JavaScript identifiers')
})

test('001/Azure double hyphen: instead of the colon, and nothing else changes', () => {
  expect(toAzureName('search:findDocuments')).toBe('search--findDocuments')
})

test('001/Azure separates module from function: each is whole on its side', () => {
  expect(toAzureName('my_module:my_function').split('--')).toEqual(['my_module', 'my_function'])
})

test('001/Grammar ensures: no two names have the same Azure name', () => {
  const names = ['a:b', 'a_b', 'a__b', 'a$b', 'ab', 'a:_b', 'a_:b']
  expect(new Set(names.map((name) => toAzureName(name))).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(idPattern)
})
