// What became of a run: what the guest said at its end, and how its process ended, as what a tool's run gives back.

import { fileURLToPath } from 'node:url'
import { isObject, parseJson } from '../base/json.ts'
import { endedBy, innerFailure } from '../model/inner-failure.ts'
import type { Failure, ProcessReport } from '../model/outcome.ts'
import type { Ran } from '../model/tool.ts'
import { unreachableExitCode } from '../sandbox/deno-boot.ts'
import type { OutputListener } from '../sandbox/deno-box.ts'
import type { ModuleGraph } from './imports.ts'
import { frame, shownPath } from './script.ts'

export interface Said {
  readonly how: 'value' | 'error'
  readonly body: string
}

export interface Circumstances {
  readonly report: ProcessReport
  readonly graph: ModuleGraph
  readonly workspace: string
  readonly memoryMb: number
  /** The run's own address, which is nobody else's business. */
  readonly url: string
  readonly warnings: readonly string[]
  /** The calls of the run that failed. */
  readonly failures: readonly Failure[]
}

export function ranFrom(said: Said | undefined, circumstances: Circumstances): Ran {
  return { ...ended(said, circumstances), valueApart: true }
}

function ended(said: Said | undefined, circumstances: Circumstances): Ran {
  const { report, warnings } = circumstances
  if (!said) return endedByItself(circumstances)
  const exitCode = said.how === 'value' ? 0 : 1
  // However the process was ended after that means nothing.
  const process = { ...report, exitCode, signal: null }
  if (said.how === 'error') return { ...thrown(said.body, circumstances), process, warnings }
  const parsed = parseJson(said.body || 'null')
  if (parsed.ok) return { ok: true, value: parsed.value, process, warnings }
  const message = `The script's value came back as something that is no JSON: ${parsed.message}`
  return { ok: false, code: 'tool-failed', message, process, warnings }
}

const neverSettles = /(?<=^|\n)error: Top-level await promise never resolved[\s\S]*$/
const outOfMemory = /(?<=^|\n)(?:\n?<--- Last few GCs --->|\n*#\n# Fatal|memory allocation of \d+ bytes failed)[\s\S]*$/
/** What Deno prints as it goes, of our own module or of its memory, is nobody's output. */
const lastWords =
  /(?<=^|\n)(?:error: Top-level await promise never resolved|\n?<--- Last few GCs --->|\n*#\n# Fatal|memory allocation of \d+ bytes failed)/

/** The output of a script as it comes, without that. */
export function withoutLastWords(tell: OutputListener): OutputListener {
  let isOver = false
  return (stream, text) => {
    if (stream === 'stdout') return tell(stream, text)
    const at = isOver ? 0 : text.search(lastWords)
    isOver ||= at >= 0
    const shown = at < 0 ? text : text.slice(0, at)
    return shown === '' ? undefined : tell(stream, shown)
  }
}

const memoryExitCodes: readonly (number | null)[] = [132, 133, 134, 139]

/** It said nothing before it went. */
function endedByItself({ report, memoryMb, warnings }: Circumstances): Ran {
  const { exitCode, signal, stderr } = report
  const failed = (message: string, process = report): Ran => {
    return { ok: false, code: 'tool-failed', message, process, warnings }
  }
  if (exitCode === 0) return { ok: true, value: null, process: report, warnings }
  if (memoryExitCodes.includes(exitCode) || outOfMemory.test(stderr)) {
    const message = `The script ran out of memory: it may use ${memoryMb} MB. Let it hold less at once, or give it more with memoryMb.`
    return failed(message, { ...report, stderr: stderr.replace(outOfMemory, '') })
  }
  if (neverSettles.test(stderr)) {
    const message = 'The script waits for a promise that never settles: nothing is left that could settle it.'
    return failed(message, { ...report, stderr: stderr.replace(neverSettles, '') })
  }
  if (exitCode === unreachableExitCode)
    return failed('The gateway stopped, or shut this run out, while the script ran.')
  if (exitCode === null || signal) return failed(`The script's process was ended by ${signal ?? 'the system'}.`)
  return failed(`The script ended itself with exit code ${exitCode}.`)
}

function thrown(body: string, circumstances: Circumstances): Extract<Ran, { ok: false }> {
  const parsed = parseJson(body)
  const told = parsed.ok && isObject(parsed.value) ? parsed.value : {}
  const text = (value: unknown) => (typeof value === 'string' ? cleaned(value, circumstances) : undefined)
  const failed = (message: string, value: unknown) => endedBy(undefined, message, value)
  const late = told.where === 'rejection' ? 'A promise was rejected and nothing handled it. ' : ''
  if (typeof told.thrown === 'string') {
    const value = text(told.thrown) ?? ''
    return failed(`${late}The script threw ${JSON.stringify(value)}, which is no Error.`, { thrown: value })
  }
  const { name = 'Error', message = '' } = { name: text(told.name), message: text(told.message) }
  if (told.where === 'value') return failed(`The script's value cannot be returned. ${message}`, { name, message })
  const frames = userFrames(text(told.stack) ?? '', circumstances)
  const shown = [
    `${late}${name}: ${message}`,
    frameOf(frames[0], circumstances),
    ...frames.map(({ line }) => `    ${line}`),
  ]
  const value = { name, message, stack: frames.map(({ line }) => line), tool: text(told.tool), code: text(told.code) }
  const inner = innerFailure(circumstances.failures, told.message)
  return endedBy(inner, shown.filter((line) => line !== '').join('\n'), value)
}

/** Without the run's address, and without the names that its module has inside the box. */
function cleaned(text: string, { url, graph, workspace }: Circumstances): string {
  const name = shownPath(graph.entry.path, workspace)
  return text.replaceAll(url, 'TOOLSCRIPT_GATEWAY_URL').replace(/blob:null\/[\w-]+(:\d+:\d+)?/g, name)
}

interface Frame {
  readonly line: string
  readonly path?: string
  readonly at?: { readonly line: number; readonly column: number }
}

/** The frames that are the user's: those with a file, and those of the language between them. */
function userFrames(stack: string, { workspace }: Circumstances): Frame[] {
  const frames = stack.split('\n').flatMap((text): Frame[] => {
    const line = text.trim()
    if (!line.startsWith('at ')) return []
    const place = /(file:\/\/[^\s()]+):(\d+):(\d+)/.exec(line)
    if (!place) return /\(<anonymous>\)$/.test(line) ? [{ line }] : []
    const [whole, url = '', row, column] = place
    const path = fileURLToPath(url)
    const shown = line.replace(whole, `${shownPath(path, workspace)}:${row}:${column}`)
    return [{ line: shown, path, at: { line: Number(row), column: Number(column) } }]
  })
  return frames.slice(0, 20)
}

function frameOf(first: Frame | undefined, { graph: { entry, files } }: Circumstances): string {
  const module = first?.path === entry.path ? entry : files.get(first?.path ?? '')
  return module && first?.at ? frame(module.text, first.at) : ''
}
