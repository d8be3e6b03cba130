// The tour: what Legwork does with a call, shown on small tools. It needs no network and ends by itself.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApprovalRequest, createLegwork } from 'legwork'
import { chapter, closing, say, show, showEntries, showQuestion, title } from './print.ts'
import { tools } from './tools.ts'

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
  programs: { wc: { metadata: './wc.json', trust: 'vendor' } },
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
say('Started without a shell, in a process group of its own, with a short list of variables.')
await show(legwork.call({ tool: 'wc', input: { file: 'main.ts' } }))
await show(legwork.call({ tool: 'wc', input: { file: '--files0-from=/etc/passwd' } }))

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

chapter('Everything is written down')
showEntries(legwork.journal.read({ limit: 1_000, phase: 'end' }).toReversed())
const { ok, entries } = legwork.journal.verify()
say(`${entries} entries, each with the hash of the one before: the chain is ${ok ? 'whole' : 'broken'}.`)

await legwork.close()
await rm(folder, { recursive: true, force: true })
closing()
