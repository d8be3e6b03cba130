// The questions that wait for a person, as rows beside the entries: asked by one process, answered by another, used once.

import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../base/clock.ts'
import type { Answered, NewQuestion, PendingApproval, PendingApprovals } from '../model/approval.ts'
import { readApproval } from './approval-row.ts'

export interface ApprovalsDoor {
  readonly read: <T>(work: () => T) => T
  /** In one transaction that holds the write lock. */
  readonly change: (work: () => void) => Promise<void>
}

/** So many wait at most; a caller that asks for ever cannot fill the file, nor the list that a person reads. */
const maxWaiting = 1_000
const maxWaitingOfAsker = 100
const maxRequestLength = 262_144
/** For so long after its deadline a question can still be named, to say that an answer comes too late. */
const keptMs = 24 * 3_600_000

export function createApprovals(
  database: DatabaseSync,
  clock: Clock,
  { read, change }: ApprovalsDoor,
): PendingApprovals {
  const find = (id: string): PendingApproval | undefined => {
    const row = database.prepare('SELECT * FROM approvals WHERE id = ?').get(id)
    return row && readApproval(row)
  }
  const isOver = ({ deadline }: PendingApproval) => deadline <= clock.now()

  const findOpen = ({ key }: NewQuestion): PendingApproval | undefined => {
    const row = database
      .prepare(
        `SELECT * FROM approvals WHERE key = ? AND state <> 'used' AND deadline > ? ORDER BY asked_at DESC LIMIT 1`,
      )
      .get(key, clock.now())
    return row && readApproval(row)
  }
  const countWaiting = (asker: string): { readonly all: number; readonly own: number } => {
    const counted = database
      .prepare(
        `SELECT count(*) AS everyone, count(*) FILTER (WHERE asker = ?) AS own FROM approvals
        WHERE state = 'waiting' AND deadline > ?`,
      )
      .get(asker, clock.now())
    return { all: Number(counted?.everyone), own: Number(counted?.own) }
  }
  const insert = (question: NewQuestion, request: string): string => {
    const { key, asker, caller, timeoutMs } = question
    const id = unusedId(() => clock.id(), find)
    const now = Math.floor(clock.now())
    database
      .prepare(
        `INSERT INTO approvals (id, key, asker, caller, request, state, asked_at, deadline)
        VALUES (?, ?, ?, ?, ?, 'waiting', ?, ?)`,
      )
      .run(id, key, asker, caller, request, now, now + timeoutMs)
    return id
  }

  return {
    async ask(question) {
      const known = read(() => findOpen(question))
      if (known) return known
      const request = JSON.stringify(question.request)
      if (request.length > maxRequestLength) return 'too-large'
      let asked: PendingApproval | undefined
      await change(() => {
        database.prepare('DELETE FROM approvals WHERE deadline <= ?').run(Math.floor(clock.now()) - keptMs)
        // Another process may have been faster.
        asked = findOpen(question)
        if (asked) return
        const { all, own } = countWaiting(question.asker)
        if (all < maxWaiting && own < maxWaitingOfAsker) asked = find(insert(question, request))
      })
      return asked ?? 'full'
    },
    read: (id) => read(() => find(id)),
    waiting: () =>
      read(() =>
        database
          .prepare(`SELECT * FROM approvals WHERE state = 'waiting' AND deadline > ? ORDER BY asked_at, id`)
          .all(clock.now())
          .map(readApproval),
      ),
    async answer(id, { approved, reason }) {
      let answered: Answered = { ok: false, code: 'unknown' }
      await change(() => {
        const approval = find(id)
        if (!approval) return
        answered = { ok: false, code: approval.state === 'waiting' ? 'too-late' : 'answered', approval }
        if (approval.state !== 'waiting' || isOver(approval)) return
        const state = approved ? 'approved' : 'refused'
        database.prepare('UPDATE approvals SET state = ?, reason = ? WHERE id = ?').run(state, reason ?? null, id)
        answered = { ok: true, approval: { ...approval, state, ...(reason !== undefined && { reason }) } }
      })
      return answered
    },
    async use(id) {
      let isUsed = false
      await change(() => {
        const taken = database
          .prepare(`UPDATE approvals SET state = 'used' WHERE id = ? AND state = 'approved' AND deadline > ?`)
          .run(id, clock.now())
        isUsed = taken.changes === 1
      })
      return isUsed
    },
  }
}

/** Short, because a person types it. It need not be unguessable: whoever can answer can list all of them. */
function unusedId(makeId: () => string, find: (id: string) => unknown): string {
  for (;;) {
    const id = makeId().slice(-8)
    if (find(id) === undefined) return id
  }
}
