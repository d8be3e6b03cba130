// `legwork approve`: lists the questions that wait, shows one as the terminal would, and answers it. It needs none of the tools.

import { existsSync } from 'node:fs'
import { didYouMean, nearest } from '../base/text.ts'
import { openJournal } from '../journal/open.ts'
import type { Answered, PendingApproval, PendingApprovals } from '../model/approval.ts'
import { journalOptions, readConfiguration } from '../settings.ts'
import { describeRequest } from './ask.ts'
import { columns, print, printAside, printJson, printPainted } from './print.ts'
import type { Globals } from './program.ts'
import { withProgress } from './progress.ts'
import { UsageError } from './usage.ts'

interface ApproveOptions extends Globals {
  readonly no?: boolean
  readonly yes?: boolean
  readonly reason?: string
}

export async function approveVerb(id: string | undefined, options: ApproveOptions): Promise<number> {
  if (options.yes && options.no) throw new UsageError('--yes and --no cannot both be said.')
  const journalPlace = journalOptions(await readConfiguration(options.config))
  if (!existsSync(journalPlace.path)) return id === undefined ? list([], options) : unknown(id, [])
  const journal = openJournal(journalPlace)
  try {
    const { approvals } = journal
    return id === undefined ? list(approvals.waiting(), options) : await answer(approvals, id, options)
  } finally {
    journal.close()
  }
}

function list(waiting: readonly PendingApproval[], { json }: ApproveOptions): number {
  if (json) printJson(waiting.map(asJson))
  else if (waiting.length === 0) print('No question waits for an answer.')
  else {
    const rows = waiting.map((approval) => {
      const { tool, reasons } = approval.request
      return [approval.id, tool, approval.caller, leftOf(approval), reasons[0] ?? '']
    })
    for (const line of columns(rows)) print(line)
    print('"legwork approve ID" shows one and asks; --no refuses it.')
  }
  return 0
}

async function answer(approvals: PendingApprovals, id: string, options: ApproveOptions): Promise<number> {
  const approval = approvals.read(id)
  if (!approval) return unknown(id, approvals.waiting())
  if (!options.json) show(approval)
  const approved = options.no ? false : options.yes || (await isYes(approval, options))
  if (approved === undefined) {
    printAside('It still waits.')
    return 4
  }
  const { reason } = options
  const answered = await withProgress('Waiting for the journal', options, async () =>
    approvals.answer(id, { approved, ...(reason !== undefined && { reason }) }),
  )
  const message = messageOf(id, answered)
  if (options.json) {
    printJson(answered.ok ? { ok: true, ...asJson(answered.approval) } : { ok: false, code: answered.code, message })
  } else if (answered.ok) print(message)
  else printAside(message)
  return answered.ok ? 0 : 1
}

function show({ request, caller, state, deadline }: PendingApproval): void {
  printPainted(describeRequest(request), process.stderr)
  printAside(`  for ${caller}, until ${new Date(deadline).toISOString()}; ${state}`)
}

/** At a terminal, whoever answers sees first what they say yes to; elsewhere a yes has to be said. Undefined: neither yes nor no. */
async function isYes({ state, deadline }: PendingApproval, { json }: ApproveOptions): Promise<boolean | undefined> {
  // One that is answered, or too late, is told so whatever is said.
  if (state !== 'waiting' || deadline <= Date.now()) return true
  if (json || !process.stdin.isTTY || !process.stderr.isTTY) {
    throw new UsageError('There is no terminal to ask at. Say yes with --yes, or no with --no.')
  }
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const said = (await lines.question('Run it? [y/n] ')).trim()
    return /^y(es)?$/i.test(said) ? true : /^no?$/i.test(said) ? false : undefined
  } finally {
    lines.close()
  }
}

function messageOf(id: string, answered: Answered): string {
  if (answered.ok && answered.approval.state === 'approved') {
    return `Approved. The same call of ${answered.approval.caller} runs once, until ${untilOf(answered.approval)}.`
  }
  if (answered.ok) return 'Refused. The same call is denied until its question ends.'
  switch (answered.code) {
    case 'unknown':
      return `There is no question "${id}".`
    case 'answered':
      return `The question "${id}" has its answer already: ${answered.approval?.state}. Nothing was changed.`
    case 'too-late':
      return `The question "${id}" ended at ${answered.approval && untilOf(answered.approval)}; no answer was a no. Make the call again to be asked again.`
    default:
      return answered.code satisfies never
  }
}

function unknown(id: string, waiting: readonly PendingApproval[]): never {
  const near = nearest(
    id,
    waiting.map((approval) => approval.id),
  )
  const hint = didYouMean(near) || ' "legwork approve" lists those that wait.'
  throw new UsageError(`There is no question "${id}".${hint}`)
}

/** What a program reads of a question. */
function asJson(approval: PendingApproval) {
  const { id, caller, state, reason, request, askedAt } = approval
  return {
    id,
    state,
    caller,
    ...request,
    ...(reason !== undefined && { reason }),
    askedAt: new Date(askedAt).toISOString(),
    until: untilOf(approval),
  }
}

function untilOf({ deadline }: PendingApproval): string {
  return new Date(deadline).toISOString()
}

function leftOf({ deadline }: PendingApproval): string {
  const seconds = Math.max(0, Math.round((deadline - Date.now()) / 1_000))
  return seconds < 120 ? `${seconds} s left` : `${Math.round(seconds / 60)} min left`
}
