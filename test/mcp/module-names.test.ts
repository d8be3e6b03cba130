import fc from 'fast-check'
import { expect, test } from 'vitest'
import { moduleNames } from '../../src/mcp/module-names.ts'
import { allSpellings, spell } from '../../src/model/name.ts'
import { openLegwork } from '../support/legwork.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { serverFile } from './support.ts'

test('servers keep their names where no tool of one can be spelt like a tool of another', () => {
  const names = ['github', 'files', 'my-server', 'tools', '日本', 'a', 'ab', 'a_c', 'a-d', 'x'.repeat(60)]
  expect([...moduleNames(names).values()]).toEqual(names)
})

test.each([
  ['a-b', 'a_b'],
  ['a_b', 'a-b'],
  ['a_b', 'a_b__c'],
  ['a_b__c', 'a_b'],
  ['a', 'a_'],
  ['GitHub', 'gitHub'],
  [`${'x'.repeat(60)}1`, `${'x'.repeat(60)}2`],
])('of "%s" and "%s" the first keeps its name', (first, second) => {
  const modules = moduleNames([first, second])
  expect(modules.get(first)).toBe(first)
  expect(modules.get(second)).toMatch(/^\w+_[0-9a-f]{4,12}$/)
})

const name = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '_', '-', '.', '1', 'é'), minLength: 1, maxLength: 6 })

test('no two tools of two servers share a spelling, whatever they are called', () => {
  const servers = fc.uniqueArray(name, { minLength: 2, maxLength: 6 })
  fc.assert(
    fc.property(servers, fc.uniqueArray(name, { minLength: 1, maxLength: 8 }), (all, tools) => {
      const modules = moduleNames(all)
      const owners = new Map<string, string>()
      for (const server of all) {
        const own = new Set<string>()
        for (const tool of tools) {
          const { spellings } = spell('mcp', { module: modules.get(server) ?? '', path: [tool] }, (text) =>
            own.has(text),
          )
          for (const spelling of allSpellings(spellings)) own.add(spelling)
        }
        for (const spelling of own) {
          expect(owners.get(spelling) ?? server).toBe(server)
          owners.set(spelling, server)
        }
      }
    }),
  )
})

test('which of two servers is asked first does not decide what their tools are called', async () => {
  const server = { command: process.execPath, args: [serverFile, 'plain'] }
  const ids: string[][] = []
  for (const order of [
    ['a-b__text', 'a_b_45e1__text'],
    ['a_b_45e1__text', 'a-b__text'],
  ]) {
    const legwork = await openLegwork({ workspace: temporaryFolder(), mcpServers: { 'a-b': server, a_b: server } })
    for (const tool of order) await legwork.call({ tool })
    const tools = await legwork.tools()
    ids.push(tools.map(({ id, source }) => `${source} ${id}`))
    const warnings = legwork.sources().flatMap((source) => source.warnings)
    expect(warnings).toEqual([expect.stringContaining('server a_b: Another server has the plain name')])
  }
  expect(ids[0]).toEqual(ids[1])
  expect(ids[0]).toContain('server a-b aB:text')
})
