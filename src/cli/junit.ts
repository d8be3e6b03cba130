// A document's run as a JUnit report, which every CI can show: a test case for each block.

import { xmlText } from '../document/attributes.ts'
import type { BlockResult } from '../document/block-result.ts'
import type { DocumentRun } from '../document/run.ts'
import { visibleText } from '../outcome/visible.ts'
import { errorText } from './error-text.ts'

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
  const shown = visibleText(name).replace(/\s+/g, ' ')
  return element('testcase', { classname: file, name: shown, time: seconds(durationMs) }, undefined, content)
}

function contentOf(result: BlockResult | undefined): string {
  if (!result) return '<skipped/>'
  const { error } = result
  if (!error) return element('system-out', {}, JSON.stringify(result.result))
  return element('failure', { type: error.code, message: error.message }, errorText(error))
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

/** Nothing in it is markup, turns the reading order or is there without being seen. */
function escaped(text: string): string {
  return xmlText(visibleText(text)).replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)
}
