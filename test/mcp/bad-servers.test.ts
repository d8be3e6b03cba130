import { describe, expect, test } from 'vitest'
import { openServer, warningsOf } from './support.ts'

describe('a server that cannot be used leaves a sentence and no tools', () => {
  test.each([
    ['hangs on start', 'hang', 'It did not answer within 0.6 s of its start.'],
    ['ends at once', 'exit', 'It ended with exit code 3. It said: first line | The licence has run out.'],
    ['plays with the terminal as it ends', 'odd-exit', 'It ended with exit code 3. It said: <U+202E>abc'],
    ['never ends its first line', 'endless-line', 'It sent a message of more than 4194304 bytes and was stopped.'],
    ['does not list its tools', 'list-hang', 'It did not list its tools within 0.5 s.'],
    ['refuses to list its tools', 'list-error', 'It refused to list its tools: The list is on strike'],
    ['lists its tools as something else', 'list-nonsense', 'Its list of tools is no list.'],
    ['offers no tools', 'no-tools', 'It offers no tools.'],
  ])('one that %s', async (_, mode, why) => {
    const connectMs = mode === 'hang' ? 600 : 10_000
    const bounds = { connectMs, probeMs: 300, listMs: 500, maxMessageBytes: 4_194_304 }
    const { catalogue } = await openServer(mode, { bounds })
    expect(await catalogue.list()).toEqual([])
    expect(warningsOf(catalogue)).toEqual([`server x: ${why}`])
  })

  test.each([
    ['is not on the path', 'no-such-program-4711', 'The program "no-such-program-4711" was not found on the PATH.'],
    ['is a path to nothing', './missing/server', 'The program "./missing/server" does not exist at'],
    ['is a folder', '/usr', '"/usr" is not a file that can be run.'],
  ])('one whose program %s', async (_, command, why) => {
    const { catalogue } = await openServer('plain', { command })
    expect(await catalogue.list()).toEqual([])
    expect(warningsOf(catalogue)[0]).toContain(`server x: ${why}`)
  })

  test('one whose folder does not exist', async () => {
    const { catalogue } = await openServer('plain', { cwd: 'nowhere/at/all' })
    expect(await catalogue.list()).toEqual([])
    expect(warningsOf(catalogue)[0]).toContain('The working directory "/tmp/nowhere/at/all" does not exist.')
  })
})

test('a server that does not list its tools is started anew the next time', async () => {
  const { catalogue, record } = await openServer('list-hang', { bounds: { listMs: 200 } })
  await catalogue.list()
  await new Promise((settle) => setTimeout(settle, 1_100))
  await catalogue.list()
  expect(record().filter((line) => line.startsWith('start'))).toHaveLength(2)
})

describe('a server that is only odd works', () => {
  test.each([
    ['prints garbage before its first message', 'garbage'],
    ['floods its standard error', 'flood'],
    ['ends itself at a question that it does not know', 'exit-on-probe'],
    ['does not answer a question that it does not know', 'silent-on-probe'],
  ])('one that %s', async (_, mode) => {
    const { catalogue, call } = await openServer(mode)
    expect((await catalogue.list()).length).toBeGreaterThan(20)
    expect(await call('echo', { a: 1 })).toEqual({ ok: true, value: { a: 1 } })
    expect(warningsOf(catalogue)).toEqual([])
  })

  test('one that ended itself at the question is not asked it a second time', async () => {
    const { call, record } = await openServer('exit-on-probe')
    await call('echo')
    await call('die')
    await call('echo')
    expect(record().filter((line) => line.startsWith('start'))).toHaveLength(3)
  })

  test('one with 10,000 tools on a hundred pages', async () => {
    const { catalogue, call } = await openServer('many')
    expect(await catalogue.list()).toHaveLength(10_000)
    expect(await call('tool9999')).toEqual({ ok: true, value: 'tool_9999' })
  })

  test('one whose list never ends: the first pages count', async () => {
    const { catalogue } = await openServer('pages-for-ever', { bounds: { maxPages: 50 } })
    expect(await catalogue.list()).toHaveLength(50)
    const why = 'server x: Its list of tools does not end: what came in the first 50 pages is taken.'
    expect(warningsOf(catalogue)).toEqual([why])
  })

  test('one whose list leads in circles: each tool is there once', async () => {
    const { catalogue } = await openServer('pages-in-circles')
    expect((await catalogue.list()).map(({ id }) => id)).toEqual(['x:page0', 'x:page1', 'x:page2'])
    expect(warningsOf(catalogue)[0]).toContain('leads back to a page that was there before')
  })

  test('one with more tools than anybody needs: the first count', async () => {
    const { catalogue } = await openServer('many', { bounds: { maxTools: 150 } })
    expect(await catalogue.list()).toHaveLength(150)
    expect(warningsOf(catalogue)[0]).toContain('Only the first 150 tools of its list are taken')
  })

  test('a description that is larger than it may be takes out its tool alone', async () => {
    const { catalogue } = await openServer('plain', { bounds: { maxToolBytes: 90 } })
    expect((await catalogue.list()).map(({ id }) => id)).not.toContain('x:echo')
    expect((await catalogue.list()).map(({ id }) => id)).toContain('x:text')
    expect(warningsOf(catalogue)[0]).toBe('server x: Left out because of a description that is too large: "echo".')
  })

  test('a schema that is bottomless takes out its tool alone', async () => {
    const { catalogue, call } = await openServer('deep')
    expect((await catalogue.list()).map(({ id }) => id)).toEqual(['x:good'])
    const why = 'server x: Left out because of a description that is nested too deeply: "deep".'
    expect(warningsOf(catalogue)).toEqual([why])
    expect(await call('good')).toEqual({ ok: true, value: 'good' })
  })

  test('a tool that is listed twice counts once', async () => {
    const { catalogue } = await openServer('twice')
    expect((await catalogue.list()).map(({ description }) => description)).toEqual(['first'])
    expect(warningsOf(catalogue)).toEqual(['server x: Listed twice, so that the first one counts: "echo".'])
  })

  test('names that are no identifiers, or that every object has, are found and lead to their own tools', async () => {
    const { catalogue } = await openServer('names')
    const tools = await catalogue.list()
    expect(tools.map(({ name }) => name.path[0])).toEqual([
      'constructor',
      'a-b',
      'a_b',
      '日本',
      'delete',
      '__proto__',
      'toString',
      '',
      ' ',
      '*/',
    ])
    for (const tool of tools) {
      expect(tool.id).toMatch(/^x:[a-zA-Z_$][\w$]*$/)
      expect(tool.spellings.provider).toMatch(/^[\w-]{1,64}$/)
      for (const spelling of [tool.id, tool.spellings.script, tool.spellings.wire, tool.spellings.provider]) {
        expect((await catalogue.resolve(spelling))?.name.path).toEqual(tool.name.path)
      }
    }
    const called = await catalogue.resolve('x:constructor')
    expect(called?.description).toBe('Called constructor')
  })

  test('a description passes through as it is', async () => {
    const { catalogue } = await openServer('plain')
    expect((await catalogue.resolve('x:echo'))?.description).toBe('Gives back what it gets. */ `${x}` -->')
  })

  test('a schema that is none leaves its tool there, for any input', async () => {
    const { catalogue, call } = await openServer('schemas')
    const tools = await catalogue.list()
    expect(tools).toHaveLength(11)
    const open = tools.filter(({ input }) => input.type === 'json' && input.schema === true)
    expect(open.map(({ name }) => name.path[0])).toEqual(['no_schema', 'number_schema', 'list_schema', 'null_schema'])
    expect(warningsOf(catalogue)).toEqual([
      'server x: Left out because they are no tools: 2 items of its list.',
      'server x: Without a usable input schema, so that any input is passed on: "no_schema", "number_schema", "list_schema", "null_schema".',
    ])
    expect(await call('noSchema', [1])).toMatchObject({ ok: false, code: 'invalid-input' })
  })
})
