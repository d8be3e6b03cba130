// `legwork audit`: shows the journal, checks it, exports it, shortens it. It needs none of the tools.

import { existsSync } from 'node:fs'
import { grouped } from '../base/text.ts'
import type { Journal } from '../journal/journal.ts'
import { openJournal } from '../journal/open.ts'
import { type Entry, type Level, levels } from '../model/entry.ts'
import { JournalError } from '../model/errors.ts'
import { type OutcomeCode, outcomeCodes } from '../model/outcome.ts'
import { type ToolKind, toolKinds } from '../model/tool.ts'
import { journalOptions, readConfiguration } from '../settings.ts'
import { moment, oneOf } from './audit-words.ts'
import { columns, paint, print, printAside, printJson, printPainted } from './print.ts'
import type { Globals } from './program.ts'
import { type Say, withProgress } from './progress.ts'
import { UsageError } from './usage.ts'

interface AuditOptions extends Globals {
  readonly tool?: string
  readonly kind?: string
  readonly call?: string
  readonly caller?: string
  readonly code?: string
  readonly level?: string
  readonly since?: string
  readonly until?: string
  readonly limit?: number
}

const colours = { info: 'reset', warning: 'yellow', error: 'red' } as const

export async function auditVerb(word: string | undefined, options: AuditOptions): Promise<number> {
  if (word !== undefined) oneOf('verb', word, ['verify', 'export', 'prune'])
  const filter = {
    tool: options.tool,
    callId: options.call,
    caller: options.caller,
    kind: oneOf<ToolKind>('kind', options.kind, toolKinds),
    code: oneOf<OutcomeCode>('code', options.code, outcomeCodes),
    level: oneOf<Level>('level', options.level, levels),
    since: moment(options.since),
    until: moment(options.until),
    limit: options.limit,
  }
  return withJournal(options, [], async (journal) => {
    const entries = journal.read(filter)
    if (options.json) printJson(entries)
    else if (entries.length === 0) print('The journal has no such entries.')
    else printEntries(entries.toReversed(), openCalls(journal, entries))
    return 0
  })
}

export async function verifyVerb(options: Globals & { readonly head?: string }): Promise<number> {
  if (options.head !== undefined) await mustExist(options)
  return withJournal(options, { ok: true, entries: 0, faults: [] }, async (journal) => {
    const verification = await withProgress('Looking at every entry', options, async (say) =>
      journal.verify({ head: options.head, onEntries: counting('Looking at every entry', say) }),
    )
    if (options.json) printJson(verification)
    else if (verification.ok)
      print(
        `${entriesText(verification.entries)} from number ${verification.start.seq + 1} on, every one as it was written. Head ${verification.head.hash}`,
      )
    else for (const { seq, message } of verification.faults) printPainted(paint('red', `Entry ${seq}: ${message}`))
    return verification.ok ? 0 : 1
  })
}

export async function exportVerb(options: Globals): Promise<number> {
  return withJournal(options, { head: undefined, entries: [] }, async (journal) => {
    const head = journal.head()
    if (options.json) printJson({ head, entries: [...journal.pages()].flat() })
    else {
      await withProgress('Writing every entry', options, async (say) => printPages(journal, say))
      printAside(`head ${head.hash}`)
    }
    return 0
  })
}

export async function pruneVerb(
  options: Globals & { readonly before?: string; readonly keep?: number },
): Promise<number> {
  const before = moment(options.before)
  if ((before === undefined) === (options.keep === undefined))
    throw new UsageError('Say either --before TIME or --keep N.')
  const { path } = journalOptions(await readConfiguration(options.config))
  const journal = openJournal({ path })
  try {
    const choice = before ? { before } : { keep: options.keep ?? 0 }
    const pruned = await withProgress('Removing the oldest entries', options, (say) =>
      journal.prune({ ...choice, onEntries: counting('Removing the oldest entries', say) }),
    )
    const head = journal.head()
    if (options.json) printJson({ ...pruned, head })
    else print(`Removed ${entriesText(pruned.entries)}.${pruned.entries > 0 ? ` Head ${head.hash}` : ''}`)
    return 0
  } finally {
    journal.close()
  }
}

/** Whoever has a head knows that there was a journal. */
async function mustExist({ config }: Globals): Promise<void> {
  const { path } = journalOptions(await readConfiguration(config))
  if (existsSync(path)) return
  throw new JournalError(
    path,
    `There is no journal at "${path}", although an entry of it was named. It was moved or removed.`,
  )
}

/** Where there is no journal yet, that is no fault: nothing has been called. */
async function withJournal(
  options: Globals,
  nothing: unknown,
  work: (journal: Journal) => Promise<number>,
): Promise<number> {
  const { path } = journalOptions(await readConfiguration(options.config))
  if (!existsSync(path)) {
    if (options.json) printJson(nothing)
    else print(`There is no journal at ${path} yet. The first call makes it.`)
    return 0
  }
  const journal = openJournal({ path, readOnly: true })
  try {
    return await work(journal)
  } finally {
    journal.close()
  }
}

function printPages(journal: Journal, say: Say): void {
  const tell = counting('Writing every entry', say)
  let written = 0
  for (const page of journal.pages()) {
    for (const entry of page) process.stdout.write(`${JSON.stringify(entry)}\n`)
    written += page.length
    tell(written)
  }
}

function counting(what: string, say: Say): (entries: number) => void {
  return (entries) => say(what, entriesText(entries))
}

/** The calls among these that have no end; nothing older than them is looked at. */
function openCalls(journal: Journal, entries: readonly Entry[]): ReadonlySet<string> {
  const after = (entries.at(-1)?.seq ?? 1) - 1
  return new Set(journal.interrupted({ after, limit: entries.length }).map(({ callId }) => callId))
}

function entriesText(amount: number): string {
  return amount === 1 ? '1 entry' : `${grouped(amount)} entries`
}

function printEntries(entries: readonly Entry[], open: ReadonlySet<string>): void {
  const rows = entries.map((entry) => [
    String(entry.seq),
    entry.at.slice(0, 19).replace('T', ' '),
    entry.phase,
    entry.tool,
    entry.caller,
    ending(entry, open),
  ])
  const lines = columns(rows)
  for (const [at, { level }] of entries.entries()) printPainted(paint(colours[level], lines[at] ?? ''))
}

function ending(
  { phase, callId, code, durationMs = 0, message, decision, input }: Entry,
  open: ReadonlySet<string>,
): string {
  if (phase === 'start')
    return `${open.has(callId) ? 'interrupted or running ' : ''}${decision?.verdict ?? ''} ${input ?? ''}`.trim()
  return [code ?? 'ok', `${durationMs} ms`, shownMessage(message)].join(' ').trim()
}

/** A record of a run may be long: it is for --json and `export`. */
function shownMessage(message = ''): string {
  return message.length > mostShown ? `${message.slice(0, mostShown)}…` : message
}

const mostShown = 1_000
