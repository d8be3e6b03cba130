// A document's run as a JUnit report, which every CI can show: a test case for each block.

import type { BlockResult } from '../document/block-result.ts'
import type { DocumentRun } from '../document/run.ts'

export function junitOf(file: string, { state, document, faults }: DocumentRun): string {
  const ids = document ? document.calls.map(({ id, tool }) => ({ id, tool })) : []
  const triggered = (document?.triggers ?? []).filter(({ id }) => state.blocks.has(id))
  const blocks = [...ids, ...triggered.map(({ id, tool }) => ({ id, tool }))]
  const cases = [
    ...faults.map(({ code, message, line }) =>
      testCase(file, `line ${line}`, 0, element('error', { type: code, message }, message)),
    ),
    ...blocks.map(({ id, tool }) => {
      const result = state.blocks.get(id)
      return testCase(file, `${id} (${tool})`, result?.duration ?? 0, contentOf(result))
    }),
  ]
  const { totalDuration, blocksFailed, startedAt } = state.metadata
  const suite = {
    name: file,
    tests: cases.length,
    failures: blocksFailed,
    errors: faults.length,
    skipped: blocks.filter(({ id }) => !state.blocks.has(id)).length,
    time: seconds(totalDuration),
    timestamp: startedAt,
  }
  const lines = cases.map((each) => `    ${each}\n`).join('')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n  ${element('testsuite', suite, undefined, `\n${lines}  `)}\n</testsuites>\n`
}

function testCase(file: string, name: string, durationMs: number, content: string): string {
  return element('testcase', { classname: file, name, time: seconds(durationMs) }, undefined, content)
}

function contentOf(result: BlockResult | undefined): string {
  if (!result) return '<skipped/>'
  const { error } = result
  if (!error) return element('system-out', {}, JSON.stringify(result.result))
  const faults = (error.issues ?? []).map(({ path, message }) => `${path}: ${message}`)
  const whole = [error.message, ...faults, error.process?.stderr ?? ''].filter(Boolean).join('\n')
  return element('failure', { type: error.code, message: error.message }, whole)
}

function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  text: string | undefined,
  markup = escaped(text ?? ''),
): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`)
  return `<${name}${written.join('')}>${markup}</${name}>`
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3)
}

/** XML 1.0 has no place for most control characters and for halves of pairs. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)
}
