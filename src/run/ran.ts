// What a process did, as what a tool's run gives back.

import { parseJson, toJson } from '../base/json.ts'
import type { Ran } from '../model/tool.ts'
import type { ProcessResult } from './process.ts'

/** Exit code 0 is success; its value is what it printed. */
export function ranFromProcess(result: ProcessResult): Ran {
  if (!result.started) return { ok: false, code: 'not-runnable', message: result.message, reason: result.reason }
  const { report: process, notes: warnings } = result
  if (process.exitCode === 0) return { ok: true, value: processValue(process.stdout), process, warnings }
  const message = failure(process.exitCode, process.signal, process.stderr)
  return { ok: false, code: 'tool-failed', message, process, warnings }
}

/** Parsed when the whole of it is a JSON object or array of a sane depth, else the text without its last newline. */
export function processValue(stdout: string): unknown {
  if (/^\s*[[{]/.test(stdout)) {
    const parsed = parseJson(stdout)
    if (parsed.ok && toJson(parsed.value).ok) return parsed.value
  }
  return stdout.replace(/\r?\n$/, '')
}

function failure(exitCode: number | null, signal: string | null, stderr: string): string {
  const how = signal ? `The program was ended by ${signal}.` : `The program ended with exit code ${exitCode}.`
  const last = stderr.trimEnd().split('\n').at(-1)
  return last ? `${how} It said: ${last}` : how
}
