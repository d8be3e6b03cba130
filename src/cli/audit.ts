// `legwork audit`: shows the journal, checks it, exports it, shortens it. It needs none of the tools.

import { existsSync } from 'node:fs'
import { didYouMean, nearest } from '../base/text.ts'
import type { Journal } from '../journal/journal.ts'
import { openJournal } from '../journal/open.ts'
import { type Entry, type Level, levels } from '../model/entry.ts'
import { JournalError } from '../model/errors.ts'
import { type OutcomeCode, outcomeCodes } from '../model/outcome.ts'
import { type ToolKind, toolKinds } from '../model/tool.ts'
import { journalOptions, readConfiguration } from '../settings.ts'
import { columns, paint, print, printAside, printJson, printPainted } from './print.ts'
import type { Globals } from './program.ts'
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
  return withJournal(options, [], (journal) => {
    const entries = journal.read(filter)
    if (options.json) printJson(entries)
    else if (entries.length === 0) print('The journal has no such entries.')
    else printEntries(entries.toReversed(), openCalls(journal, entries))
    return 0
  })
}

export async function verifyVerb(options: Globals & { readonly head?: string }): Promise<number> {
  if (options.head !== undefined) await mustExist(options)
  return withJournal(options, { ok: true, entries: 0, faults: [] }, (journal) => {
    const verification = journal.verify({ head: options.head })
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
  return withJournal(options, { head: undefined, entries: [] }, (journal) => {
    const head = journal.head()
    if (options.json) printJson({ head, entries: [...journal.pages()].flat() })
    else {
      for (const page of journal.pages()) for (const entry of page) process.stdout.write(`${JSON.stringify(entry)}\n`)
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
    const pruned = await journal.prune(before ? { before } : { keep: options.keep ?? 0 })
    if (options.json) printJson(pruned)
    else print(`Removed ${entriesText(pruned.entries)}.`)
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
async function withJournal(options: Globals, nothing: unknown, work: (journal: Journal) => number): Promise<number> {
  const { path } = journalOptions(await readConfiguration(options.config))
  if (!existsSync(path)) {
    if (options.json) printJson(nothing)
    else print(`There is no journal at ${path} yet. The first call makes it.`)
    return 0
  }
  const journal = openJournal({ path, readOnly: true })
  try {
    return work(journal)
  } finally {
    journal.close()
  }
}

/** The calls among these that have no end; nothing older than them is looked at. */
function openCalls(journal: Journal, entries: readonly Entry[]): ReadonlySet<string> {
  const after = (entries.at(-1)?.seq ?? 1) - 1
  return new Set(journal.interrupted({ after, limit: entries.length }).map(({ callId }) => callId))
}

function entriesText(amount: number): string {
  return amount === 1 ? '1 entry' : `${amount.toLocaleString('en-GB')} entries`
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
  return [code ?? 'ok', `${durationMs} ms`, message ?? ''].join(' ').trim()
}

function oneOf<T extends string>(name: string, given: string | undefined, choices: readonly T[]): T | undefined {
  if (given === undefined) return undefined
  const found = choices.find((choice) => choice === given)
  if (found) return found
  throw new UsageError(
    `The ${name} is "${given}".${didYouMean(nearest(given, choices)) || ` Write one of ${choices.join(', ')}.`}`,
  )
}

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** A date, or how long ago. */
function moment(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const ago = /^(\d+)([smhd])$/.exec(text)
  const date = ago ? new Date(Date.now() - Number(ago[1]) * units[ago[2] as keyof typeof units]) : new Date(text)
  if (Number.isNaN(date.getTime()))
    throw new UsageError(`"${text}" is no time. Write 2026-01-31, 2026-01-31T12:00:00Z, or 10m, 2h, 7d.`)
  return date
}
