import { expect, test } from 'vitest'
import { Catalogue } from '../../src/catalogue/catalogue.ts'
import { DuplicateToolError } from '../../src/model/errors.ts'
import { anySchema } from '../../src/model/schema.ts'
import type { Source, ToolDefinition, ToolKind } from '../../src/model/tool.ts'

function definition(kind: ToolKind, module: string | undefined, path: string[], description = ''): ToolDefinition {
  return {
    name: { ...(module !== undefined && { module }), path },
    kind,
    description,
    input: anySchema,
    effects: {},
    trust: 'native',
    run: async () => ({ ok: true, value: null }),
  }
}

const source = (name: string, tools: readonly ToolDefinition[], more: Partial<Source> = {}): Source => {
  return { name, load: () => ({ tools }), ...more }
}

test('a tool is found by every one of its spellings', async () => {
  const catalogue = new Catalogue()
  await catalogue.add(source('gh', [definition('program', 'gh', ['pr', 'create'])]))
  for (const spelling of [
    'gh:prCreate',
    'gh.prCreate',
    'tools.gh.prCreate',
    'gh__pr_create',
    'gh_pr_create',
    'gh--prCreate',
  ]) {
    expect((await catalogue.resolve(spelling))?.id, spelling).toBe('gh:prCreate')
  }
  expect(await catalogue.resolve('gh pr create')).toBeUndefined()
})

test('names that every object has are not found by accident', async () => {
  const catalogue = new Catalogue()
  for (const name of ['constructor', '__proto__', 'toString', '']) expect(await catalogue.resolve(name)).toBeUndefined()
})

test('two MCP tools whose names differ by a separator are both there, with a warning', async () => {
  const catalogue = new Catalogue()
  await catalogue.add(source('x', [definition('mcp', 'x', ['a_b']), definition('mcp', 'x', ['a-b'])]))
  const ids = (await catalogue.list()).map((tool) => tool.id)
  expect(new Set(ids).size).toBe(2)
  expect(catalogue.status()[0]?.warnings[0]).toContain('another tool has the plain name')
})

test('the names do not depend on the order in which a source lists its tools', async () => {
  const tools = ['a_b', 'a-b', 'a.b', 'aB'].map((name) => definition('mcp', 'x', [name]))
  const idsOf = async (list: ToolDefinition[]) => {
    const catalogue = new Catalogue()
    await catalogue.add(source('x', list))
    return new Map((await catalogue.list()).map((tool) => [tool.name.path.join(), tool.id]))
  }
  expect(await idsOf(tools)).toEqual(await idsOf(tools.toReversed()))
})

test('a tool that a source lists twice counts once', async () => {
  const catalogue = new Catalogue()
  await catalogue.add(source('x', [definition('mcp', 'x', ['a'], 'first'), definition('mcp', 'x', ['a'], 'second')]))
  expect((await catalogue.list()).map((tool) => tool.description)).toEqual(['first'])
  expect(catalogue.status()[0]?.warnings).toEqual(['x lists "a" twice; the first one counts.'])
})

test('two functions of one name are refused, and the first stays', async () => {
  const catalogue = new Catalogue()
  await catalogue.add(source('one', [definition('function', 'demo', ['echo'], 'first')]))
  const second = catalogue.add(source('two', [definition('function', 'demo', ['echo'], 'second')]))
  await expect(second).rejects.toThrow(DuplicateToolError)
  await expect(second).rejects.toThrow('The tool "demo:echo" of "two" is already given by "one".')
  expect((await catalogue.resolve('demo:echo'))?.description).toBe('first')
})

test('two functions that would have one spelling are named, with the spelling', async () => {
  const catalogue = new Catalogue()
  const given = catalogue.add(
    source('functions', [definition('function', 'a', ['b__c']), definition('function', 'a__b', ['c'])]),
  )
  await expect(given).rejects.toThrow(
    'The tools "a__b:c" of "functions" and "a:b__c" of "functions" would both be called "a__b__c". Rename one of them.',
  )
})

test('a program and a server of one name are told apart', async () => {
  const catalogue = new Catalogue()
  await catalogue.add(source('program gh', [definition('program', 'gh', ['pr', 'create'])]))
  await catalogue.add(source('mcp gh', [definition('mcp', 'gh', ['pr_create'])]))
  expect((await catalogue.resolve('gh:prCreate'))?.kind).toBe('program')
  const [, other] = await catalogue.list()
  expect(other?.kind).toBe('mcp')
  expect((await catalogue.resolve(other?.spellings.wire ?? ''))?.kind).toBe('mcp')
})

test('a source is refreshed in one go, and removed with its tools', async () => {
  const catalogue = new Catalogue()
  let tools = [definition('mcp', 'x', ['old'])]
  let closed = false
  let changes = 0
  const close = () => {
    closed = true
  }
  catalogue.onChange(() => changes++)
  await catalogue.add({ name: 'x', load: () => ({ tools }), close })
  tools = [definition('mcp', 'x', ['new'])]
  await catalogue.refresh('x')
  expect([await catalogue.resolve('x:old'), (await catalogue.resolve('x:new'))?.id]).toEqual([undefined, 'x:new'])
  await catalogue.remove('x')
  expect([await catalogue.resolve('x:new'), closed, changes]).toEqual([undefined, true, 3])
  await expect(catalogue.refresh('x')).rejects.toThrow('There is no source "x".')
})

test('a lazy source is asked when a name is not found, once, and a broken one does not stop the rest', async () => {
  const catalogue = new Catalogue()
  let asked = 0
  const lazy = source('lazy', [definition('skill', 'pdf', ['extract'])])
  const load = () => {
    asked++
    return lazy.load()
  }
  await catalogue.add({ ...lazy, lazy: true, load })
  await catalogue.add({ name: 'broken', lazy: true, load: () => Promise.reject(new Error('no such server')) })
  await catalogue.add(source('eager', [definition('function', 'demo', ['echo'])]))
  await catalogue.resolve('demo:echo')
  expect(asked).toBe(0)
  const found = await Promise.all([catalogue.resolve('pdf.extract'), catalogue.resolve('pdf:extract')])
  expect(found.map((tool) => tool?.id)).toEqual(['pdf:extract', 'pdf:extract'])
  expect(asked).toBe(1)
  expect(catalogue.status().find((status) => status.source === 'broken')?.warnings).toEqual(['broken: no such server'])
})

test('an unknown name answers with the nearest ones', async () => {
  const catalogue = new Catalogue()
  await catalogue.add(
    source('x', [definition('mcp', 'github', ['create_issue']), definition('mcp', 'github', ['list_issues'])]),
  )
  expect(catalogue.nearest('tools.github.createIsue')).toEqual(['github:createIssue'])
})

test('search finds by what a tool does, best first', async () => {
  const catalogue = new Catalogue()
  await catalogue.add(
    source('x', [
      definition('mcp', 'github', ['create_issue'], 'Opens a new issue in a repository'),
      definition('mcp', 'files', ['read_file'], 'Reads a file; issue a warning when it is large'),
      definition('mcp', 'files', ['write_file'], 'Writes a file'),
    ]),
  )
  const ids = async (words: string) => (await catalogue.search(words)).map((tool) => tool.id)
  expect((await ids('create issue'))[0]).toBe('github:createIssue')
  expect((await ids('write'))[0]).toBe('files:writeFile')
  expect(await ids('zebra')).toEqual([])
})

test('10,000 tools load and each is found', async () => {
  const catalogue = new Catalogue()
  const tools = Array.from({ length: 10_000 }, (_, at) =>
    definition('mcp', `server${at % 10}`, [`tool_number_${at}`], `Does ${at}`),
  )
  await catalogue.add(source('many', tools))
  expect((await catalogue.list()).length).toBe(10_000)
  expect((await catalogue.resolve('server7__tool_number_7'))?.id).toBe('server7:toolNumber7')
})

test('a refresh that fails leaves the old tools', async () => {
  const catalogue = new Catalogue()
  await catalogue.add(source('one', [definition('function', 'demo', ['echo'])]))
  let tools = [definition('function', 'other', ['tool'])]
  await catalogue.add({ name: 'two', load: () => ({ tools }) })
  tools = [definition('function', 'demo', ['echo'])]
  await expect(catalogue.refresh('two')).rejects.toThrow(DuplicateToolError)
  expect((await catalogue.resolve('other:tool'))?.source).toBe('two')
})

test('a refresh that fails leaves none of the new tools', async () => {
  const catalogue = new Catalogue()
  await catalogue.add(source('one', [definition('function', 'demo', ['taken'])]))
  let tools = [definition('function', 'demo', ['old'])]
  await catalogue.add({ name: 'two', load: () => ({ tools }) })
  tools = [definition('function', 'demo', ['fresh']), definition('function', 'demo', ['taken'])]
  await expect(catalogue.refresh('two')).rejects.toThrow(DuplicateToolError)
  expect(await catalogue.resolve('demo:fresh')).toBeUndefined()
  expect((await catalogue.list()).map(({ id }) => id)).toEqual(['demo:taken', 'demo:old'])
})

test('a name is asked only of the lazy sources that may have it, and of those that they lead to', async () => {
  const asked: string[] = []
  const skill = (name: string): Source => ({
    name: `skill ${name}`,
    lazy: true,
    mayHave: (spelling) => spelling.includes(name),
    load: () => {
      asked.push(name)
      return { tools: [definition('skill', name, ['run'])] }
    },
  })
  const catalogue = new Catalogue()
  await catalogue.add({
    name: 'skills',
    lazy: true,
    load: () => ({ tools: [], sources: [skill('one'), skill('two')] }),
  })
  expect(catalogue.hasUnasked()).toBe(true)
  expect((await catalogue.resolve('one:run'))?.id).toBe('one:run')
  expect(asked).toEqual(['one'])
  expect(await catalogue.resolve('three:run')).toBeUndefined()
  expect(asked).toEqual(['one'])
  expect(catalogue.listLoaded().map(({ id }) => id)).toEqual(['one:run'])
  expect((await catalogue.list()).map(({ id }) => id)).toEqual(['one:run', 'two:run'])
  expect(catalogue.hasUnasked()).toBe(false)
})

test('sources that a source leads to come and go with it', async () => {
  let names = ['one', 'two']
  const child = (name: string) => source(name, [definition('mcp', name, ['run'])])
  const catalogue = new Catalogue()
  await catalogue.add({ name: 'all', load: () => ({ tools: [], sources: names.map(child) }) })
  expect((await catalogue.list()).map(({ id }) => id)).toEqual(['one:run', 'two:run'])
  names = ['two', 'three']
  await catalogue.refresh('all')
  expect((await catalogue.list()).map(({ id }) => id)).toEqual(['two:run', 'three:run'])
  await catalogue.remove('all')
  expect(await catalogue.list()).toEqual([])
})

test('a skill gives way to a program of its name, whichever comes first', async () => {
  const skill = source('skill git', [definition('skill', 'git', ['push']), definition('skill', undefined, ['git'])])
  const program = source('program git', [definition('program', 'git', ['status'])])
  for (const order of [
    [skill, program],
    [program, skill],
  ]) {
    const catalogue = new Catalogue()
    for (const one of order) await catalogue.add(one)
    const ids = (await catalogue.list()).map(({ id }) => id)
    expect(ids.toSorted()).toEqual(['git:status', 'skillGit', 'skillGit:push'])
    expect(await catalogue.resolve('git:push')).toBeUndefined()
    expect((await catalogue.resolve('skill-git.push'))?.kind).toBe('skill')
  }
})

test('a lazy source that failed is asked again later, each time after a longer pause', async () => {
  let now = 0
  let asked = 0
  let works = false
  const catalogue = new Catalogue({ elapsed: () => now })
  const load = () => {
    asked++
    if (!works) throw new Error('It is down.')
    return { tools: [definition('mcp', 'x', ['a'])] }
  }
  await catalogue.add({ name: 'x', lazy: true, mayHave: (spelling) => spelling.startsWith('x:'), load })
  const ask = async (at: number) => {
    now = at
    await catalogue.resolve('x:a')
    return asked
  }
  expect([await ask(0), await ask(999), await ask(1_000), await ask(2_999), await ask(3_000)]).toEqual([1, 1, 2, 2, 3])
  expect(catalogue.status()[0]?.warnings).toEqual(['x: It is down.'])
  expect(catalogue.faultsOf('x:a')).toEqual(['x: It is down.'])
  expect(catalogue.faultsOf('y:a')).toEqual([])
  works = true
  now = 100_000
  expect((await catalogue.resolve('x:a'))?.id).toBe('x:a')
  expect(catalogue.status()[0]?.warnings).toEqual([])
  expect(catalogue.faultsOf('x:a')).toEqual([])
  expect(catalogue.hasUnasked()).toBe(false)
})

test('a source that says that its tools changed is asked again, once however often it says so', async () => {
  let changed = () => {}
  let tools = [definition('mcp', 'x', ['a'])]
  let asked = 0
  const load = async () => {
    asked++
    const given = tools
    await new Promise(setImmediate)
    return { tools: given }
  }
  const watch = (listener: () => void) => {
    changed = listener
  }
  const catalogue = new Catalogue()
  await catalogue.add({ name: 'x', lazy: true, load, watch })
  changed()
  await new Promise(setImmediate)
  expect(asked).toBe(0)
  await catalogue.list()
  const ids: string[][] = []
  catalogue.onChange(() => ids.push(catalogue.listLoaded().map(({ id }) => id)))
  tools = [definition('mcp', 'x', ['b'])]
  for (let times = 0; times < 100; times++) changed()
  await new Promise((settle) => setTimeout(settle, 50))
  expect(ids).toEqual([['x:b']])
  expect(asked).toBe(2)
})

test('a change that is told while the source is asked is not lost', async () => {
  let changed = () => {}
  const lists = [[definition('mcp', 'x', ['a'])], [definition('mcp', 'x', ['b'])]]
  const load = async () => {
    const tools = lists.shift() ?? []
    if (lists.length === 1) changed()
    await new Promise(setImmediate)
    return { tools }
  }
  const catalogue = new Catalogue()
  await catalogue.add({
    name: 'x',
    lazy: true,
    load,
    watch: (listener) => {
      changed = listener
    },
  })
  await catalogue.list()
  await new Promise((settle) => setTimeout(settle, 50))
  expect(catalogue.listLoaded().map(({ id }) => id)).toEqual(['x:b'])
})

test('tools stay when a source that has changed cannot be read, and it says why', async () => {
  let changed = () => {}
  let works = true
  const load = () => {
    if (!works) throw new Error('It is down.')
    return { tools: [definition('mcp', 'x', ['a'])] }
  }
  const catalogue = new Catalogue()
  await catalogue.add({
    name: 'x',
    load,
    watch: (listener) => {
      changed = listener
    },
  })
  works = false
  changed()
  await new Promise((settle) => setTimeout(settle, 20))
  expect(catalogue.status()).toEqual([{ source: 'x', tools: 1, warnings: ['x: It is down.'] }])
})
