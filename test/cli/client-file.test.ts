import { assert, asyncProperty, constantFrom, dictionary, integer, record, shuffledSubarray, string } from 'fast-check'
import { parse } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { readServers, withEntry, withoutEntry } from '../../src/cli/clients/client-file.ts'
import { type Client, clients } from '../../src/cli/clients/known.ts'

const clientOf = (id: Client['id']) => {
  const client = clients.find((each) => each.id === id)
  if (!client) throw new Error(id)
  return client
}
const codex = clientOf('codex')
const claude = clientOf('claude-code')
const entry = { command: 'npx', args: ['-y', 'legwork', 'serve', '--stdio'] }
const add = (client: Client, text: string) => withEntry(client, 'f', text, 'legwork', entry)
const remove = (client: Client, text: string) => withoutEntry(client, 'f', text, 'legwork')

describe('TOML', () => {
  const ours = '[mcp_servers.legwork]\ncommand = "npx"\nargs = ["x"]\n'

  test.each<[string, string, string]>([
    ['blanks in the header', 'a = 1\n\n[ mcp_servers . legwork ]\ncommand = "npx"\n', 'a = 1\n'],
    ['quotes in the header', 'a = 1\n[mcp_servers."legwork"]\ncommand = "npx"\n', 'a = 1\n'],
    ['single quotes', "a = 1\n['mcp_servers'.'legwork']\ncommand = 'npx'\n", 'a = 1\n'],
    ['an escape in the header', 'a = 1\n[mcp_servers."leg\\u0077ork"]\ncommand = "npx"\n', 'a = 1\n'],
    ['a remark behind the header', 'a = 1\n[mcp_servers.legwork] # by link\ncommand = "npx"\n', 'a = 1\n'],
    ['a value in line', '[mcp_servers]\nlegwork = { command = "npx" } # x\nb = {}\n', '[mcp_servers]\nb = {}\n'],
    [
      'dotted keys',
      'mcp_servers.legwork.command = "npx"\nmcp_servers.b.command = "y"\n',
      'mcp_servers.b.command = "y"\n',
    ],
    ['a table below it', `${ours}\n# of ours\n[mcp_servers.legwork.env]\nA = "b"\n\n[p]\na = 1\n`, '\n[p]\na = 1\n'],
    ['a table below it, elsewhere', `${ours}[p]\na = 1\n[mcp_servers.legwork.env]\nA = "b"\n`, '[p]\na = 1\n'],
    ['a remark on the next table', `${ours}\n# about p\n[p]\na = 1\n`, '\n# about p\n[p]\na = 1\n'],
    [
      'a text that looks like it',
      `t = """\n[mcp_servers.legwork]\n"""\n${ours}`,
      't = """\n[mcp_servers.legwork]\n"""\n',
    ],
    [
      'a literal text that looks like it',
      `t = '''\n[mcp_servers.legwork]\n'''\n${ours}`,
      "t = '''\n[mcp_servers.legwork]\n'''\n",
    ],
    ['a text of its own over lines', `${ours}note = """\n[x]\n"""\n[p]\na = 1\n`, '[p]\na = 1\n'],
    ['a list over lines', `${ours}more = [\n  "[x]", # [y]\n]\n[p]\na = 1\n`, '[p]\na = 1\n'],
    ['carriage returns', 'a = 1\r\n\r\n[mcp_servers.legwork]\r\ncommand = "npx"\r\n[p]\r\n', 'a = 1\r\n[p]\r\n'],
    ['no line end', 'a = 1\n[mcp_servers.legwork]\ncommand = "npx"', 'a = 1\n'],
    [
      'a longer name beside it',
      `[mcp_servers.legworks]\ncommand = "x"\n${ours}`,
      '[mcp_servers.legworks]\ncommand = "x"\n',
    ],
  ])('is taken out of a file with %s', async (_, text, left) => {
    expect(await remove(codex, text)).toBe(left)
  })

  test.each<[string, string, string]>([
    ['an inline table', 'mcp_servers = { a = { command = "x" } }\n', 'by hand:\n  legwork = { command = "npx"'],
    ['a number', 'mcp_servers = 5\n', 'is no table'],
    ['a list of tables', '[[mcp_servers]]\nx = 1\n', 'is no table'],
    ['faults', 'a = = 1', 'is not TOML'],
  ])('is not put into a file with %s', async (_, text, words) => {
    await expect(add(codex, text)).rejects.toThrow(words)
  })

  test('is not taken out of an inline table, and that is said', async () => {
    const text = 'mcp_servers = { legwork = { command = "npx" }, b = { command = "x" } }\n'
    await expect(remove(codex, text)).rejects.toThrow('Take "legwork" out of "mcp_servers" by hand')
  })

  const pieces = [
    'a = 1 # [mcp_servers.legwork]\n',
    'when = 2026-01-31T10:00:00Z\n',
    't = """\n[mcp_servers.legwork]\n\\"""\n"""\n',
    "s = '''\n'''''\n",
    'list = [\n  [1, 2], # ]\n  ["]"],\n]\n',
  ]
  const tables = [
    '# about mem\n[mcp_servers.mem]\ncommand = "x"\n',
    '[mcp_servers.mem.env]\n"a.b" = "c"\n',
    '\n[[items]]\n# first\nx = { y = "}" }\n',
    '[[items]]\n\n',
    '[p."q r"]\nz = [{ a = 1 }, { a = 2 }]\n# end\n',
  ]
  test('whatever else stands in a file, it stands there afterwards', async () => {
    const texts = record({
      keys: shuffledSubarray(pieces),
      below: shuffledSubarray(tables),
      after: shuffledSubarray(tables),
    })
    await assert(
      asyncProperty(texts, async ({ keys, below, after }) => {
        const before = [...keys, ...below].join('')
        const later = after.filter((table) => !below.includes(table)).join('')
        const linked = (await add(codex, before)) + later
        if (!isToml(linked)) return
        expect(await remove(codex, linked)).toBe(before + later)
      }),
      { numRuns: 60 },
    )
  })
})

function isToml(text: string): boolean {
  try {
    return Boolean(parseToml(text))
  } catch {
    return false
  }
}

describe('JSON', () => {
  const line = '"legwork": {"command": "npx"}'

  test.each<[string, string, string]>([
    [
      'a remark on the one before',
      `{"mcpServers": {\n  "a": {}, // about a\n  ${line}\n}}`,
      '{"mcpServers": {\n  "a": {} // about a\n}}',
    ],
    [
      'a remark on the one after',
      `{"mcpServers": {\n  ${line},\n  // about b\n  "b": {} // b\n}}`,
      '{"mcpServers": {\n  // about b\n  "b": {} // b\n}}',
    ],
    [
      'a remark behind it',
      `{"mcpServers": {\n  "a": {},\n  ${line} // mine\n}}`,
      '{"mcpServers": {\n  "a": {}\n  // mine\n}}',
    ],
    ['a remark before its comma', `{"mcpServers": {${line} /* x */, "b": {}}}`, '{"mcpServers": { /* x */ "b": {}}}'],
    ['a comma on the next line', `{"mcpServers": {\n  "a": {}\n  , ${line}\n}}`, '{"mcpServers": {\n  "a": {}\n  \n}}'],
    ['a trailing comma', `{"mcpServers": {\n  "a": {},\n  ${line},\n}}`, '{"mcpServers": {\n  "a": {},\n}}'],
    ['one line', `{"mcpServers": {"a": {}, ${line}}}`, '{"mcpServers": {"a": {}}}'],
    ['nothing else', `{"mcpServers": {${line}}}`, '{"mcpServers": {}}'],
    [
      'many lines',
      '{\r\n "mcpServers": {\r\n  "legwork": {\r\n   "command": "npx"\r\n  }\r\n }\r\n}',
      '{\r\n "mcpServers": {\r\n }\r\n}',
    ],
  ])('is taken out of a file with %s', async (_, text, left) => {
    expect(await remove(claude, text)).toBe(left)
  })

  test('the same key twice is nobody’s meaning among the servers, and nothing of ours elsewhere', async () => {
    await expect(readServers(claude, 'f', '{"mcpServers": {"a": {}, "a": {}}}')).rejects.toThrow('stands twice')
    await expect(readServers(claude, 'f', '{"mcpServers": {}, "mcpServers": {}}')).rejects.toThrow('stands twice')
    expect(await readServers(claude, 'f', '{"x": 1, "x": 2, "mcpServers": {"a": {}}}')).toEqual({ a: {} })
  })

  test('blanks without end are no reason to wait', async () => {
    const text = `{"mcpServers": {${' '.repeat(400_000)}"a": {},${' '.repeat(400_000)}${line}}}`
    expect(await remove(claude, text)).toContain('"a": {}}}')
  })

  /** JSON as people write it: with remarks anywhere, and trailing commas. */
  const written = (value: unknown, indent: string | number, remark: string, comma: string): string =>
    JSON.stringify(value, null, indent)
      .replaceAll(/"(?:[^"\\]|\\.)*"|[{}[\],]/g, (token) => (/^[{[,]$/.test(token) ? `${token}${remark}` : token))
      .replaceAll(/(?<=["\d}\]])(?=\n\s*\})/g, comma)

  test('whatever else stands in a file, it stands there afterwards', async () => {
    const values = record({
      others: dictionary(string({ maxLength: 5 }), integer(), { maxKeys: 3 }),
      servers: dictionary(string({ maxLength: 5 }), constantFrom({}, { command: 'x' }, { args: [1, 'a,}'] }), {
        maxKeys: 3,
      }),
      hasServers: constantFrom(true, false),
      indent: constantFrom(0, 2, '\t'),
      remark: constantFrom('', ' /* , } " */', ' // , } "\n'),
      comma: constantFrom('', ','),
      eol: constantFrom('\n', '\r\n'),
    })
    await assert(
      asyncProperty(values, async ({ others, servers, hasServers, indent, remark, comma, eol }) => {
        const { mcpServers: _, ...rest } = others
        const { legwork: __, ...named } = servers
        const value = { ...rest, ...(hasServers && { mcpServers: named }) }
        const text = written(value, indent, remark, comma).replaceAll('\n', eol)
        const linked = await add(claude, text)
        const left = await remove(claude, linked)
        expect(parse(left, [], { allowTrailingComma: true })).toEqual(hasServers ? value : { ...value, mcpServers: {} })
        const remarks = (from: string) => from.split(remark.trim() || 'none').length
        expect([remarks(linked), remarks(left)]).toEqual([remarks(text), remarks(text)])
      }),
      { numRuns: 150 },
    )
  })
})
