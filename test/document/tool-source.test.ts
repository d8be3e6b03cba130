// The tools of documents in the catalogue: their names, how they are found by title, and what a fault takes out.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Catalogue } from '../../src/catalogue/catalogue.ts'
import { defineTool } from '../../src/function/define-tool.ts'
import { anySchema } from '../../src/model/schema.ts'
import type { ToolDefinition } from '../../src/model/tool.ts'
import { openLegwork } from '../support/legwork.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { harmless } from './engine.ts'

const say = defineTool({
  name: 'say',
  description: 'Says its content',
  effects: harmless,
  run: (_, { content }) => content,
})

const tool = (title: string, blocks = '<fncall fn="say"><content>said</content></fncall>') =>
  `<tool title="${title}"><tool:description>About ${title}</tool:description><tool:definition>${blocks}</tool:definition></tool>`

async function opened(files: Readonly<Record<string, string>>, documents = ['docs/*.xml']) {
  const workspace = temporaryFolder()
  mkdirSync(join(workspace, 'docs'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(workspace, 'docs', name), text)
  return openLegwork({ workspace, documents, functions: [say], journal: { path: ':memory:' } })
}

const documentOf = (...tools: string[]) => `<document><p>Prose</p>${tools.join('\n')}</document>`

describe('in the catalogue', () => {
  test('a tool has its names from its title, and says nothing of its definition', async () => {
    const blocks = '<fncall fn="say"><content><variable name="query" prompt="What for"/></content></fncall>'
    const legwork = await opened({ 'a.xml': documentOf(tool('Search The Web', blocks)) })
    const found = await legwork.tool('Search The Web')
    expect(found).toMatchObject({
      id: 'custom:searchTheWeb',
      title: 'Search The Web',
      kind: 'document',
      description: 'About Search The Web',
      spellings: { wire: 'custom__search_the_web', script: 'tools.custom.searchTheWeb' },
    })
    expect(JSON.stringify(found)).toContain('What for')
    expect(JSON.stringify(found)).not.toContain('fncall')
    expect(JSON.stringify(found)).not.toContain('"say"')
    expect((await legwork.tools()).map(({ id }) => id)).toContain('custom:searchTheWeb')
  })

  test.each([
    ['custom:searchTheWeb'],
    ['tools.custom.searchTheWeb'],
    ['custom__search_the_web'],
    ['Search The Web'],
    ['search-the-web!'],
    ['SEARCH  the web'],
    ['Serch The Wep'],
    ['Search Teh Web'],
  ])('%j leads to it, and the outcome has its real title', async (spelling) => {
    const legwork = await opened({ 'a.xml': documentOf(tool('Search The Web'), tool('Go')) })
    expect(await legwork.call({ tool: spelling })).toMatchObject({ ok: true, title: 'Search The Web', text: 'said' })
  })

  test.each([['Serch Teh Wep'], ['Searching The Web'], ['custom:serchTheWeb'], ['web:search'], ['No'], ['say it']])(
    '%j leads nowhere',
    async (spelling) => {
      const legwork = await opened({ 'a.xml': documentOf(tool('Search The Web'), tool('Go')) })
      expect(await legwork.call({ tool: spelling })).toMatchObject({ ok: false, code: 'unknown-tool' })
    },
  )

  test('two that are equally near are both listed, and none runs', async () => {
    const legwork = await opened({ 'a.xml': documentOf(tool('Fetch Page A'), tool('Fetch Page B')) })
    const outcome = await legwork.call({ tool: 'Fetch Page C' })
    expect(outcome).toMatchObject({ code: 'unknown-tool', nearest: ['custom:fetchPageA', 'custom:fetchPageB'] })
    expect(await legwork.call({ tool: 'fetch page a' })).toMatchObject({ ok: true, title: 'Fetch Page A' })
  })

  test('two of one title have names from their documents, and the title alone is refused', async () => {
    const legwork = await opened({ 'a.xml': documentOf(tool('Same')), 'b.xml': documentOf(tool('same!')) })
    const ids = (await legwork.tools()).filter(({ kind }) => kind === 'document').map(({ id }) => id)
    expect(ids).toEqual(['custom:sameA', 'custom:sameB'])
    expect(await legwork.call({ tool: 'Same' })).toMatchObject({ code: 'unknown-tool', nearest: ids })
    const [{ warnings } = { warnings: [] }] = legwork.sources().filter(({ source }) => source === 'documents')
    expect(warnings.join()).toContain('Several tools are called "Same"')
  })

  test('a name of another module does not make the documents be read', async () => {
    const legwork = await opened({ 'a.xml': documentOf(tool('Search')) })
    await legwork.call({ tool: 'github:createIssue' })
    expect(legwork.sources().find(({ source }) => source === 'documents')?.tools).toBe(0)
    await legwork.call({ tool: 'custom:search' })
    expect(legwork.sources().find(({ source }) => source === 'documents')?.tools).toBe(1)
  })
})

describe('a title', () => {
  const bad =
    '<fncall fn="say"><content><variable name="a" prompt="x"/><variable name="a" prompt="y"/></content></fncall>'
  const deletes = (what: string) => `<fncall fn="say"><content>deleted ${what}</content></fncall>`

  test.each(['Delete Old Files', 'delete old files', 'Delete Old File'])(
    'of a tool that is left out leads to its fault, and to no other tool: %j',
    async (title) => {
      const text = documentOf(tool('Delete All Files', deletes('all')), tool('Delete Old Files', bad))
      const legwork = await opened({ 'a.xml': text })
      expect(await legwork.call({ tool: title })).toMatchObject({
        code: 'unknown-tool',
        text: expect.stringContaining('DUPLICATE_VARIABLE'),
      })
      expect(await legwork.call({ tool: 'Delete All File' })).toMatchObject({ ok: true, text: 'deleted all' })
    },
  )

  test('that is as near to a tool as to one that is left out leads to neither', async () => {
    const text = documentOf(tool('Fetch Page A'), tool('Fetch Page B', bad))
    const legwork = await opened({ 'a.xml': text })
    expect(await legwork.call({ tool: 'Fetch Page C' })).toMatchObject({ code: 'unknown-tool' })
  })

  const names = [
    'files:wipe',
    'files.wipe',
    'files__wipe',
    'files--wipe',
    'tools.files.wipe',
    'lcod://demo/thing@1',
    'gh_pr_create',
  ]

  test.each(names)('that looks like a name takes it from nobody: %s', async (title) => {
    const legwork = await opened({ 'a.xml': documentOf(tool(title), tool('Other')) })
    await legwork.tools()
    expect(await legwork.call({ tool: title })).toMatchObject({ code: 'unknown-tool' })
    const { warnings = [] } = legwork.sources().find(({ source }) => source === 'documents') ?? {}
    expect(warnings.join()).toContain(`"${title}" looks like a name`)
  })

  test('takes no spelling from a tool that comes later, and no rule goes past', async () => {
    const catalogue = new Catalogue()
    const definition = (module: string, name: string, title?: string): ToolDefinition => ({
      name: { module, path: [name] },
      ...(title !== undefined && { title }),
      kind: module === 'custom' ? 'document' : 'mcp',
      description: '',
      input: anySchema,
      effects: {},
      trust: 'native',
      run: async () => ({ ok: true, value: title ?? name }),
    })
    for (const title of names) {
      await catalogue.add({
        name: title,
        load: () => ({ tools: [definition('custom', `t${names.indexOf(title)}`, title)] }),
      })
    }
    await catalogue.add({ name: 'files', load: () => ({ tools: [definition('files', 'wipe')] }) })
    expect((await catalogue.list()).map(({ id }) => id)).toContain('files:wipe')
    for (const name of names.slice(0, 5)) expect(await catalogue.resolve(name)).toMatchObject({ source: 'files' })
    await catalogue.close()
  })

  test('does not stand in for a tool whose own source cannot be read', async () => {
    const catalogue = new Catalogue()
    const titled: ToolDefinition = {
      name: { module: 'custom', path: ['tree'] },
      title: 'Tree',
      kind: 'document',
      description: '',
      input: anySchema,
      effects: {},
      trust: 'native',
      run: async () => ({ ok: true, value: 1 }),
    }
    const fails = () => Promise.reject(new Error('not installed'))
    await catalogue.add({ name: 'documents', load: () => ({ tools: [titled] }) })
    await catalogue.add({ name: 'program tree', lazy: true, mayHave: (name) => name === 'tree', load: fails })
    expect(await catalogue.resolve('tree')).toBeUndefined()
    expect(await catalogue.resolve('Tree')).toMatchObject({ id: 'custom:tree' })
    await catalogue.close()
  })

  test('is no name of the tool: only what is made of it is', async () => {
    const legwork = await opened({ 'a.xml': documentOf(tool('Search The Web')) })
    expect((await legwork.tool('custom:searchTheWeb'))?.spellings.aliases).toBeUndefined()
  })
})

describe('a fault', () => {
  test('in one tool takes that one out; calling it gives the fault with both places', async () => {
    const twice =
      '<fncall fn="say"><content><variable name="a" prompt="x"/><variable name="a" prompt="y"/></content></fncall>'
    const legwork = await opened({ 'a.xml': documentOf(tool('Good'), tool('Bad', twice)) })
    expect(await legwork.call({ tool: 'Good' })).toMatchObject({ ok: true })
    for (const name of ['Bad', 'custom:bad', 'tools.custom.bad']) {
      const outcome = await legwork.call({ tool: name })
      expect(outcome).toMatchObject({
        code: 'unknown-tool',
        text: expect.stringMatching(/\d+:\d+ DUPLICATE_VARIABLE.*The other place is \d+:\d+/),
      })
    }
    expect((await legwork.tools()).map(({ id }) => id)).not.toContain('custom:bad')
  })

  test.each([
    ['not well-formed', '<document><tool title="Good">', 'UNCLOSED_ELEMENT'],
    ['no document', '<html/>', 'UNKNOWN_ROOT'],
    ['empty', '', ''],
  ])('in a whole document is a warning, and the other documents are there: %s', async (_, text, code) => {
    const legwork = await opened({ 'a.xml': text, 'b.xml': documentOf(tool('Other')) })
    expect(await legwork.call({ tool: 'Other' })).toMatchObject({ ok: true })
    const { warnings = [] } = legwork.sources().find(({ source }) => source === 'documents') ?? {}
    expect(warnings.join()).toContain('"docs/a.xml" is not loaded')
    expect(warnings.join()).toContain(code)
  })

  test('outside of the tools leaves them alone', async () => {
    const legwork = await opened({ 'a.xml': `<document><fncall fn="not-a-name"/>${tool('Good')}</document>` })
    expect(await legwork.call({ tool: 'Good' })).toMatchObject({ ok: true })
  })

  test.each([
    ['no letters', tool('🔍'), '🔍', 'no letter'],
    ['blocks of one id', tool('Twins', '<fncall id="a" fn="say"/><fncall id="a" fn="say"/>'), 'Twins', 'same id'],
  ])('of its own: %s', async (_, text, title, why) => {
    const legwork = await opened({ 'a.xml': documentOf(text, tool('Good')) })
    expect(await legwork.call({ tool: 'Good' })).toMatchObject({ ok: true })
    expect((await legwork.call({ tool: title })).text).toContain(why)
  })

  test('a pattern that fits nothing is a warning', async () => {
    const legwork = await opened({}, ['nowhere/*.xml'])
    await legwork.tools()
    expect(JSON.stringify(legwork.sources())).toContain('No file fits')
  })
})

describe('whoever calls', () => {
  test('a caller that may only look is not let in', async () => {
    const legwork = await opened({ 'a.xml': documentOf(tool('Good')) })
    const outcome = await legwork.call({ tool: 'Good', caller: { front: 'mcp', readOnly: true } })
    expect(outcome).toMatchObject({ ok: false, code: 'denied' })
  })

  test('a model gets the last result by its tool call, and never the definition', async () => {
    const legwork = await opened({ 'a.xml': documentOf(tool('Good')) })
    const reply = {
      choices: [{ message: { tool_calls: [{ id: '1', function: { name: 'custom__good', arguments: '{}' } }] } }],
    }
    const { messages } = await legwork.handle('openai', reply)
    expect(JSON.stringify(messages)).toContain('said')
    expect(JSON.stringify(messages)).not.toContain('toolDefinition')
  })

  test.each(['toolscript', 'contract', 'mcp', 'gateway', 'toolcall', 'document', 'agent'] as const)(
    'the front %s gets the result alone',
    async (front) => {
      const legwork = await opened({ 'a.xml': documentOf(tool('Good')) })
      const outcome = await legwork.call({ tool: 'Good', caller: { front } })
      expect(outcome).toMatchObject({ ok: true, value: 'said' })
    },
  )

  test('a person who is asked sees the real title', async () => {
    const workspace = temporaryFolder()
    writeFileSync(join(workspace, 'a.xml'), documentOf(tool('Search The Web')))
    const asked: (string | undefined)[] = []
    const legwork = await openLegwork({
      workspace,
      documents: ['a.xml'],
      functions: [say],
      policy: { ask: ['custom:*'] },
      approve: ({ title }) => {
        asked.push(title)
        return true
      },
      journal: { path: ':memory:' },
    })
    expect(await legwork.call({ tool: 'serch the web' })).toMatchObject({ ok: true })
    expect(asked).toEqual(['Search The Web'])
  })

  test('every provider can be told of it', async () => {
    const blocks = '<fncall fn="say"><content><variable name="a b"/></content></fncall>'
    const legwork = await opened({ 'a.xml': documentOf(tool('Good', blocks)) })
    for (const provider of ['openai', 'anthropic', 'gemini'] as const) {
      const text = JSON.stringify(await legwork.tools(provider))
      expect(text).toContain('custom__good')
      expect(text).not.toContain('fncall')
    }
  })

  test('every field that is not in the schema is refused', async () => {
    const legwork = await opened({ 'a.xml': documentOf(tool('Good')) })
    expect(await legwork.call({ tool: 'Good', input: { other: 1 } })).toMatchObject({ code: 'invalid-input' })
    const wrong = { variables: { nobody: 'x' } }
    expect(await legwork.call({ tool: 'Good', input: wrong })).toMatchObject({ code: 'invalid-input' })
  })
})
