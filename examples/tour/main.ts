// The tour: what Legwork does with a call, shown on small tools. It needs no network and ends by itself.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ApprovalRequest, createLegwork } from 'legwork'
import { providers } from 'legwork/toolcall'
import { contract } from './contract.ts'
import { chapter, closing, say, show, showEntries, showQuestion, showReply, title } from './print.ts'
import { tools } from './tools.ts'

const filesServer = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'))
const folder = await mkdtemp(join(tmpdir(), 'legwork-tour-'))

/** Stands in for the person who would be asked: yes to emptying the draft, no to everything else. */
const person = (request: ApprovalRequest) => {
  const yes = (request.input as { file?: string }).file === 'draft.txt'
  showQuestion(request, yes)
  return { approved: yes, reason: yes ? 'it is only a draft' : 'we still need that one' }
}

const legwork = await createLegwork({
  workspace: import.meta.dirname,
  functions: tools,
  programs: { wc: {} },
  skills: [{ path: '../skills', trust: 'org' }],
  mcpServers: { files: { command: process.execPath, args: [filesServer, '.'], legwork: { trust: 'org', pin: 'off' } } },
  policy: { deny: ['effect:billable'] },
  redact: { values: ['correct-horse-battery-staple'] },
  journal: { path: join(folder, 'legwork.db') },
  approve: person,
})

title(
  'Legwork',
  'A model asks for something to be done. Legwork finds the tool, checks the request, asks a person',
  'where it should, runs it somewhere safe, and writes down what happened.',
)

chapter('A function is a tool')
await show(legwork.call({ tool: 'demo:echo', input: { message: 'hello' } }))

say('The same tool by the names that scripts and model providers use:')
await show(legwork.call({ tool: 'tools.demo.echo', input: { message: 'hello from a script' } }))
await show(legwork.call({ tool: 'demo--echo', input: { message: 'hello from a model' } }))

chapter('A request is checked before anything runs')
await show(legwork.call({ tool: 'demo:ehco', input: {} }))
await show(legwork.call({ tool: 'demo:echo', input: { mesage: 7 } }))

chapter('A program is a tool')
say('One line of configuration: Legwork knows what wc takes and what it does. No shell is involved.')
await show(legwork.call({ tool: 'wc', input: { files: ['main.ts'], lines: true } }))
await show(legwork.call({ tool: 'wc', input: { files: ['main.ts'], lines: 'perhaps' } }))

chapter('A skill is a folder of tools')
say('Scripts found in examples/skills, each with what it says of itself; they run shut in, where bubblewrap works.')
await show(legwork.call({ tool: 'greeting.greet', input: { name: 'Ada' } }))
await show(legwork.call({ tool: 'outline.outline', input: { file: 'notes.md' } }))
await show(legwork.call({ tool: 'table-sums.sum', input: { file: 'prices.csv', column: 'price' } }))

chapter('An MCP server is a set of tools')
say('It is started when one of its tools is wanted, and ended like every other process.')
await show(legwork.call({ tool: 'files:readTextFile', input: { path: 'notes.md', head: 2 } }))

chapter('A script calls them all')
say('TypeScript, checked against the tools’ types before anything runs, then shut in with nothing but its calls.')
const script = await readFile(join(import.meta.dirname, '../scripts/morning.ts'), 'utf8')
await show(legwork.script(script, { name: 'morning.ts' }))
await show(legwork.script(script.replace('tools.wc(', 'tools.wcc('), { name: 'morning.ts' }))

chapter('A contract calls them from its sandbox')
await show(legwork.contract(contract))
await show(legwork.contract({ source: '() => { while (true) {} }', timeoutMs: 100 }))

chapter('A document calls them from its blocks')
const { outcome, document, state } = await legwork.document(
  await readFile(join(import.meta.dirname, 'morning.xml'), 'utf8'),
)
await show(Promise.resolve(outcome))
say('With the results in place, and not one other byte changed:')
console.log(document?.withResults(state))

chapter('A rule denies')
say('The configuration says: deny "effect:billable".')
await show(legwork.call({ tool: 'shop:buy', input: { item: 'a very large printer' } }))

chapter('A person is asked')
await show(legwork.call({ tool: 'notes:empty', input: { file: 'draft.txt' } }))
await show(legwork.call({ tool: 'notes:empty', input: { file: 'thesis.txt' } }))

chapter('Time runs out')
await show(legwork.call({ tool: 'demo:sleep', input: { ms: 60_000 }, timeoutMs: 250 }))

chapter('Secrets stay inside')
say('This tool prints a password that the configuration names, and a token whose shape is known.')
await show(legwork.call({ tool: 'demo:leak' }))

chapter('A model asks')
say(
  'A recorded reply of each provider goes in, the messages to send back come out. What it wants destroyed is asked about.',
)
for (const provider of providers) {
  const reply = JSON.parse(await readFile(join(import.meta.dirname, '../models', `${provider}.json`), 'utf8'))
  const { messages, results } = await legwork.handle(provider, reply)
  showReply(provider, results, messages)
}

chapter('Everything is written down')
showEntries(legwork.journal.read({ limit: 1_000, phase: 'end' }).toReversed())
const { ok, entries } = legwork.journal.verify()
say(`${entries} entries, each with the hash of the one before: the chain is ${ok ? 'whole' : 'broken'}.`)

await legwork.close()
await rm(folder, { recursive: true, force: true })
closing()
