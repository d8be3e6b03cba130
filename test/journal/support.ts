// What the tests of the journal share: entries, journals that are closed afterwards, and other processes that use one.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished } from 'vitest'
import type { Journal, JournalOptions } from '../../src/journal/journal.ts'
import { openJournal } from '../../src/journal/open.ts'
import type { EntryFields } from '../../src/model/entry.ts'
import { JournalError } from '../../src/model/errors.ts'
import { temporaryFolder } from '../support/temporary.ts'

export const isRoot = process.getuid?.() === 0

/** Skips what needs root on a user's machine; in CI it has to be there. */
export const withoutRoot = !isRoot && !process.env.CI

export function start(callId: string, fields: Partial<EntryFields> = {}): EntryFields {
  const at = '2026-01-02T03:04:05.678Z'
  return { at, phase: 'start', callId, caller: 'library', tool: 'demo:echo', level: 'info', ...fields }
}

export function end(callId: string, fields: Partial<EntryFields> = {}): EntryFields {
  return start(callId, { phase: 'end', durationMs: 1.5, ...fields })
}

export function temporaryPath(): string {
  return join(temporaryFolder(), '.legwork', 'legwork.db')
}

export function openTemporary(options: Partial<JournalOptions> = {}): Journal & { readonly path: string } {
  const path = options.path ?? temporaryPath()
  const journal = openJournal({ ...options, path })
  onTestFinished(() => journal.close())
  return { ...journal, path }
}

/** The JournalError that the work throws or rejects with. */
export async function failureOf(work: () => unknown): Promise<JournalError> {
  try {
    await work()
  } catch (error) {
    if (error instanceof JournalError) return error
    throw error
  }
  return expect.unreachable('A JournalError was expected.')
}

/** Changes the file as another program would. */
export function tamper(path: string, sql: string): void {
  const database = new DatabaseSync(path, { timeout: 5000 })
  database.exec(sql)
  database.close()
}

export interface Helper {
  readonly child: ChildProcess
  /** What it has printed so far. */
  readonly lines: () => string[]
  readonly ended: Promise<unknown>
}

/** Runs one of the programs in test/fixtures/journal. */
export function runFixture(name: string, ...args: readonly string[]): Helper {
  const file = join(import.meta.dirname, '..', 'fixtures', 'journal', name)
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  // Only whole lines: a process that is killed may have written half of one.
  return { child, lines: () => output.split('\n').slice(0, -1), ended: once(child, 'close') }
}

/** The one line of JSON that a program prints. */
export async function answerOf(helper: Helper): Promise<unknown> {
  await helper.ended
  return JSON.parse(helper.lines().join('\n'))
}

/** Waits until it has printed so many lines. */
export async function printed({ lines, ended, child }: Helper, amount: number): Promise<void> {
  while (lines().length < amount) {
    if (child.exitCode !== null) throw new Error(`The program ended with ${child.exitCode} too early.`)
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 5))])
  }
}
