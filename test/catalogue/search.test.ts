import { describe, expect, test } from 'vitest'
import { Catalogue } from '../../src/catalogue/catalogue.ts'
import { createSearch, type Search } from '../../src/catalogue/search.ts'
import { queryWords, wordsOf } from '../../src/catalogue/words.ts'
import type { Tool } from '../../src/model/tool.ts'

type Row = readonly [id: string, description: string, parameters?: Readonly<Record<string, string>>]

function toolOf([id, description, parameters = {}]: Row): Tool {
  const properties = Object.entries(parameters).map(([name, about]) => [name, { type: 'string', description: about }])
  const schema = { type: 'object', properties: Object.fromEntries(properties) }
  return {
    id,
    source: 'test',
    name: { path: [id] },
    kind: 'mcp',
    description,
    input: { type: 'json', schema },
    effects: {},
    trust: 'community',
    spellings: { id, script: `tools.${id}`, wire: id, provider: id },
    run: async () => ({ ok: true, value: null }),
  }
}

const searchIn = (...rows: readonly Row[]) => createSearch(rows.map(toolOf))
const ids = (search: Search, query: string, most = 20) => search(query, most).map(({ id }) => id)

const rows: readonly Row[] = [
  ['github:createIssue', 'Opens a new issue in a repository', { title: 'What it is about', body: 'Markdown' }],
  ['github:listIssues', 'Lists the issues of a repository', { labels: 'Only with these labels' }],
  ['github:mergePullRequest', 'Merges a pull request into its base branch'],
  ['github:searchRepositories', 'Finds repositories by name, topic or language'],
  ['files:readFile', 'Reads a file; will issue a warning when it is large', { encoding: 'How the text is written' }],
  ['files:writeFile', 'Writes a file and replaces what was in it'],
  ['files:moveFile', 'Renames a file or a folder'],
  ['slack:postMessage', 'Sends a message to a channel', { channel: 'Where to', thread: 'Which thread to answer in' }],
  ['mail:send', 'Sends an e-mail to one or more people', { attachments: 'Files to send with it' }],
  ['calendar:createEvent', 'Adds an appointment to a calendar'],
  ['git:status', 'Shows what has changed in the working tree'],
  ['weather:forecast', 'What the weather will be like'],
  ['translate:text', '将文本翻译成另一种语言'],
]

describe('a search', () => {
  test.each([
    ['create issue', 'github:createIssue'],
    ['createIssue', 'github:createIssue'],
    ['github:createIssue', 'github:createIssue'],
    ['I want to open a new issue, please', 'github:createIssue'],
    ['creating issues', 'github:createIssue'],
    ['list issues', 'github:listIssues'],
    ['issue', 'github:createIssue'],
    ['merge PR pull request', 'github:mergePullRequest'],
    ['repos', 'github:searchRepositories'],
    ['find a repository by topic', 'github:searchRepositories'],
    ['write', 'files:writeFile'],
    ['rename a folder', 'files:moveFile'],
    ['raed file', 'files:readFile'],
    ['repositry serach', 'github:searchRepositories'],
    ['wheather', 'weather:forecast'],
    ['message a channel', 'slack:postMessage'],
    ['email', 'mail:send'],
    ['attachment', 'mail:send'],
    ['encoding', 'files:readFile'],
    ['appointments', 'calendar:createEvent'],
    ['what changed', 'git:status'],
    ['翻译', 'translate:text'],
    ['FILES', 'files:readFile'],
  ])('for "%s" finds %s first', async (query, id) => {
    expect(ids(await searchIn(...rows), query)[0]).toBe(id)
  })

  test.each(['zebra', '', '   ', '!?*', '\u0000', 'q'])('for "%s" finds nothing', async (query) => {
    expect(ids(await searchIn(...rows), query)).toEqual([])
  })

  test('puts a name before a description before a parameter', async () => {
    const search = await searchIn(
      ['c:three', 'Does three', { invoice: 'Which' }],
      ['b:two', 'Pays an invoice'],
      ['a:payInvoice', 'Does one'],
      ['d:invoice', 'Does four'],
    )
    expect(ids(search, 'invoice')).toEqual(['d:invoice', 'a:payInvoice', 'b:two', 'c:three'])
  })

  test('puts what has more of the words first, and a rare word before a common one', async () => {
    const common = Array.from({ length: 50 }, (_, at): Row => [`s${at}:do`, 'Updates a record of a customer'])
    const search = await searchIn(
      ...common,
      ['x:one', 'Updates a record with a voucher'],
      ['y:two', 'Prints a voucher'],
    )
    expect(ids(search, 'update voucher').slice(0, 2)).toEqual(['x:one', 'y:two'])
  })

  test('prefers the word itself to a longer one that begins with it', async () => {
    const search = await searchIn(['a:format', 'x'], ['a:formatter', 'x'], ['a:form', 'x'])
    expect(ids(search, 'form')).toEqual(['a:form', 'a:format', 'a:formatter'])
  })

  test('gives as many as were asked for, in the order of the list where they are equal', async () => {
    const search = await searchIn(['a:same', 'x'], ['b:same', 'x'], ['c:same', 'x'])
    expect(ids(search, 'same', 2)).toEqual(['a:same', 'b:same'])
    expect(ids(search, 'same', 0)).toEqual([])
    expect(ids(search, 'same', -1)).toEqual([])
  })

  test('without any tool finds nothing', async () => {
    expect(ids(await searchIn(), 'anything')).toEqual([])
  })
})

describe('words', () => {
  test.each([
    ['issues', 'issue'],
    ['repositories', 'repository'],
    ['branches', 'branch'],
    ['creating', 'create'],
    ['created', 'creates'],
    ['stopping', 'stop'],
    ['files', 'filing'],
    ['café', 'cafe'],
  ])('%s and %s are the same', (one, other) => expect(wordsOf(one, 100)).toEqual(wordsOf(other, 100)))

  test.each([
    ['status', 'stat'],
    ['class', 'clas'],
    ['bus', 'bu'],
  ])('%s and %s are not', (one, other) => expect(wordsOf(one, 100)).not.toEqual(wordsOf(other, 100)))

  test('of a question are the telling ones, unless it has none', () => {
    expect(queryWords('How do I send this to them?')).toEqual(['send'])
    expect(queryWords('to do')).toEqual(['to', 'do'])
  })
})

describe('hostile texts', () => {
  test.each([
    ['one word of a million letters', 'a'.repeat(1_000_000)],
    ['a million words', 'ab '.repeat(1_000_000)],
    ['a thousand different words', Array.from({ length: 1_000 }, (_, at) => `w${at}x`).join(' ')],
    ['marks without end', `e${'\u0301'.repeat(100_000)}`],
    ['only separators', '-'.repeat(1_000_000)],
    ['words of objects', '__proto__ constructor hasOwnProperty toString'],
  ])('%s may be asked for, and stand in a description', async (_, text) => {
    const search = await searchIn(...rows, ['evil:one', text, { [text.slice(0, 50_000)]: text }])
    expect(ids(search, text).length).toBeLessThan(20)
    expect(ids(search, 'create issue')[0]).toBe('github:createIssue')
  })

  test('a question is cut to so many words', () => {
    expect(queryWords(Array.from({ length: 1_000 }, (_, at) => `word${at}`).join(' '))).toHaveLength(16)
  })
})

test('tools that change while the index is built are found by the next search', async () => {
  const catalogue = new Catalogue()
  const rowsOf = (name: string) => [toolOf([name, 'Counts things'])]
  let tools = rowsOf('early')
  await catalogue.add({ name: 'changing', load: () => ({ tools }) })
  const first = catalogue.search('things')
  tools = rowsOf('late')
  await catalogue.refresh('changing')
  await first
  expect((await catalogue.search('things')).map(({ id }) => id)).toEqual(['late'])
})
