// An outcome as text for a model.

import type { Json } from '../base/json.ts'
import type { Issue } from '../model/schema.ts'
import { textWithoutBytes } from './bytes.ts'
import type { Ending } from './finish.ts'

/** What a process printed with its exit code below, and first that it was stopped; else the value; else what went wrong and where. */
export function render(ending: Ending, maxOutputBytes: number): string {
  if (ending.process && ending.valueApart) return lines(renderOutput(ending, maxOutputBytes), renderValue(ending))
  if (ending.process) return renderProcess(ending, maxOutputBytes)
  return renderValue(ending)
}

function renderValue(ending: Ending): string {
  if (ending.ok) return typeof ending.value === 'string' ? ending.value : textWithoutBytes(ending.value as Json)
  if (ending.code === 'invalid-input') return lines(ending.message, ...ending.issues.map(describeIssue))
  return ending.message
}

function renderOutput({ process }: Ending, maxOutputBytes: number): string {
  const { stdout = '', stderr = '', truncated } = process ?? {}
  return lines(stdout, stderr, truncated ? `[TRUNCATED - output exceeded ${size(maxOutputBytes)}]` : '')
}

function renderProcess(ending: Ending, maxOutputBytes: number): string {
  const { stdout = '', stderr = '', exitCode, signal, truncated } = ending.process ?? {}
  if (!ending.ok && ending.code === 'timed-out') {
    return lines(ending.message, stdout, stderr, `[TIMEOUT after ${seconds(ending.afterMs)}]`)
  }
  const why = !ending.ok && ending.code === 'cancelled' ? ending.message : ''
  const shown = ending.ok ? [stdout, stderr] : [why, stderr, stdout]
  const cut = truncated ? `[TRUNCATED - output exceeded ${size(maxOutputBytes)}]` : ''
  const how = signal ? `[Signal: ${signal}]` : `[Exit code: ${exitCode}]`
  return lines(...shown, cut, how)
}

function describeIssue({ path, message }: Issue): string {
  return path ? `- ${path}: ${message}` : `- ${message}`
}

function seconds(ms: number): string {
  return `${ms / 1000}s`
}

function size(bytes: number): string {
  if (bytes % 1_048_576 === 0) return `${bytes / 1_048_576}MB`
  return bytes % 1024 === 0 ? `${bytes / 1024}KB` : `${bytes} bytes`
}

/** Joins what is not empty, each part on lines of its own. */
function lines(...parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .map((part) => part.replace(/\n$/, ''))
    .join('\n')
}
