// What the journal's last entry of a call says about how it ended.

import type { Json } from '../base/json.ts'
import type { Decision } from '../model/decision.ts'
import type { EntryFields, Level } from '../model/entry.ts'
import type { Outcome, ProcessReport } from '../model/outcome.ts'

/** `record` is all there is to know of the run, where the tool says so; it is kept whole, up to a megabyte. */
export function endFields(outcome: Outcome, record?: Json): Partial<EntryFields> {
  const { process, durationMs } = outcome
  return {
    durationMs,
    level: levelOf(outcome),
    ...(!outcome.ok && { code: outcome.code, message: failure(outcome.message, record) }),
    ...(outcome.ok && process?.truncated && { message: truncation(process) }),
    ...(outcome.ok && record !== undefined && { message: shortened(JSON.stringify(record), keptRecord) }),
    ...(process && { process: withoutOutput(process) }),
  }
}

function failure(message: string, record: Json | undefined): string {
  const short = shortened(message)
  return record === undefined ? short : shortened(`${short}\n${JSON.stringify(record)}`, keptRecord)
}

function levelOf(outcome: Outcome): Level {
  if (outcome.process?.signal && !outcome.ok && outcome.code === 'tool-failed') return 'error'
  if (outcome.ok) return outcome.process?.truncated ? 'warning' : 'info'
  switch (outcome.code) {
    case 'denied':
    case 'not-runnable':
      return 'error'
    case 'cancelled':
      return 'info'
    default:
      return 'warning'
  }
}

function truncation({ stdoutBytes, stderrBytes }: ProcessReport): string {
  return `The output was cut: it had ${stdoutBytes} bytes on stdout and ${stderrBytes} on stderr.`
}

function withoutOutput({ argv, exitCode, signal, stdoutBytes, stderrBytes, truncated }: ProcessReport) {
  return { argv: shortenedList(argv), exitCode, signal, stdoutBytes, stderrBytes, truncated }
}

export function inEntry({ verdict, rule, reasons }: Decision): NonNullable<EntryFields['decision']> {
  return { verdict, rule, reasons }
}

/** The journal keeps what helps to understand a call, not everything that a call can be made to hold. */
const keptLength = 4_096
const keptWords = 256
const keptRecord = 1_048_576

export function shortened(text: string, most = keptLength): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}

function shortenedList(words: readonly string[]): readonly string[] {
  const kept = words.slice(0, keptWords).map((word) => shortened(word, keptLength / 4))
  return words.length > keptWords ? [...kept, '…'] : kept
}
