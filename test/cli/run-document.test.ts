// `legwork run FILE` for documents, with a host of a few functions: what is printed, written and answered.

import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SaxesParser } from 'saxes'
import { expect, test, vi } from 'vitest'
import { type RunDocumentOptions, runDocument } from '../../src/cli/run-document.ts'
import { parseDocument } from '../../src/document/parse.ts'
import { defineTool } from '../../src/index.ts'
import type { Approve } from '../../src/model/decision.ts'
import { documentOf, harmless, smallEngine } from '../document/engine.ts'
import { runLegwork } from '../support/command.ts'
import { temporaryFolder } from '../support/temporary.ts'

interface Printed {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the file with what the command would hand over, and catches what it prints. */
async function run(
  file: string,
  options: RunDocumentOptions = {},
  {
    tools = [],
    approve,
    signal = new AbortController().signal,
    text = file === '-' ? documentOf('a') : readFileSync(file, 'utf8'),
  }: {
    readonly tools?: Parameters<typeof smallEngine>[0]
    readonly approve?: Approve
    readonly signal?: AbortSignal
    readonly text?: string
  } = {},
): Promise<Printed> {
  const engine = await smallEngine(tools, approve && { approve })
  const printed = { stdout: '', stderr: '' }
  const catching = (name: 'stdout' | 'stderr') =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      printed[name] += String(chunk)
      return true
    })
  const spies = [catching('stdout'), catching('stderr')]
  try {
    const host = { document: engine.document }
    return { exitCode: await runDocument(file, text, options, host, signal), ...printed }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

function fileOf(text: string): string {
  const file = join(temporaryFolder(), 'report.xml')
  writeFileSync(file, text)
  return file
}

test('each block is shown with its duration and its result, and the whole at the end', async () => {
  const { exitCode, stdout } = await run(fileOf(documentOf('a', 'b')))
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^✓ a {2}say {2}\d+ ms\n {4}a\n✓ b {2}say {2}\d+ ms\n {4}b\n2 blocks, \d+ ms\n$/)
})

test('a block that failed says why, the rest is shown, and the exit code is 1', async () => {
  const { exitCode, stdout } = await run(fileOf(documentOf('fail', 'b')))
  expect(exitCode).toBe(1)
  expect(stdout).toMatch(/✗ fail .*\n {4}it broke\n✓ b .*\n {4}b\n2 blocks, 1 failed/)
})

test('a text that is no document exits with 2, with the place, and nothing runs', async () => {
  const file = fileOf('<document>\n  <p>\n</document>')
  const { exitCode, stdout, stderr } = await run(file)
  expect(exitCode).toBe(2)
  expect(stdout).toBe('')
  expect(stderr).toContain(`${file}:2:3`)
  const machine = await run(file, { json: true })
  expect(machine.exitCode).toBe(2)
  expect(JSON.parse(machine.stdout)).toMatchObject({ ok: false, code: 'invalid-input' })
})

test('as JSON there is the outcome, and nothing else', async () => {
  const { exitCode, stdout, stderr } = await run(fileOf(documentOf('a', 'fail')), { json: true })
  expect(exitCode).toBe(1)
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    code: 'tool-failed',
    value: {
      blocks: [
        ['a', { result: 'a' }],
        ['fail', { error: { code: 'tool-failed' } }],
      ],
      metadata: { blocksFailed: 1 },
    },
  })
})

test('triggers run when they are asked for', async () => {
  const file = fileOf('<document><trigger id="t" idyll-trigger="say"/><fncall id="a" idyll-tool="say"/></document>')
  expect((await run(file)).stdout).not.toContain('✓ t')
  const { exitCode, stdout } = await run(file, { triggers: true })
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/✓ t [\s\S]*✓ a [\s\S]*2 blocks/)
})

test('nothing runs after a failure when that is asked for', async () => {
  const { exitCode, stdout } = await run(fileOf(documentOf('fail', 'b')), { stopOnError: true })
  expect(exitCode).toBe(1)
  expect(stdout).not.toContain('✓ b')
  expect(stdout).toContain('1 block, 1 failed')
})

test('what is odd in the document is told on stderr and in JSON', async () => {
  const file = fileOf('<document><fncall id="a" fn="say"><parms>{"words": 1}</parms></fncall></document>')
  const { exitCode, stderr } = await run(file)
  expect(exitCode).toBe(0)
  expect(stderr).toContain('Warning: 1:35 UNKNOWN_ELEMENT: <parms>')
  expect(JSON.parse((await run(file, { json: true })).stdout)).toMatchObject({
    warnings: [expect.stringContaining('UNKNOWN_ELEMENT')],
  })
})

test('a fault has its code in the issues too', async () => {
  const { stdout } = await run(fileOf('<document><p></document>'), { json: true })
  expect(JSON.parse(stdout)).toMatchObject({ issues: [{ path: '1:11', fault: 'UNCLOSED_ELEMENT' }] })
})

test('a diff does not run, and nothing else is said of it', async () => {
  const { exitCode, stdout, stderr } = await run(fileOf('<diff></diff>'))
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain('legwork apply')
})

test.each<readonly [string, RunDocumentOptions, string]>([
  ['--check and --junit', { check: true, junit: 'x.xml' }, '--junit'],
  ['--check and --block', { check: true, block: 'a' }, '--block'],
  ['--check and --triggers', { check: true, triggers: true }, '--triggers'],
  ['--var', { var: ['a=b'] }, '--var'],
  ['--message', { message: 'hi' }, '--message'],
  ['--model', { model: 'a:b' }, '--model'],
  ['--max-steps', { maxSteps: 2 }, '--max-steps'],
  ['--input', { input: '{}' }, '--input'],
  ['--dry', { dry: true }, '--dry'],
])('%s with a plain document are refused, and nothing runs', async (_, options, words) => {
  let ran = false
  const mark = defineTool({
    name: 'mark',
    description: 'Marks',
    effects: harmless,
    run: () => {
      ran = true
    },
  })
  const file = fileOf('<document><fncall id="a" idyll-tool="mark"/></document>')
  await expect(run(file, options, { tools: [mark] })).rejects.toThrow(words)
  expect(ran).toBe(false)
})

test('a report over the document itself is refused', async () => {
  const file = fileOf(documentOf('a'))
  const link = join(temporaryFolder(), 'link.xml')
  symlinkSync(file, link)
  for (const junit of [file, link, join(file, '..', '.', 'report.xml')]) {
    await expect(run(file, { junit })).rejects.toThrow('--junit')
  }
  expect(readFileSync(file, 'utf8')).toBe(documentOf('a'))
})

test('what could not be written is a failure in JSON too', async () => {
  const file = fileOf(documentOf('a'))
  chmodSync(file, 0o444)
  const { exitCode, stdout } = await run(file, { write: true, json: true })
  expect(exitCode).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    code: 'tool-failed',
    message: expect.stringContaining('read-only'),
    value: { blocks: [['a', { result: 'a' }]] },
  })
  const report = await run(file, { json: true, junit: '/nowhere/at/all.xml' })
  expect(report.exitCode).toBe(1)
  expect(JSON.parse(report.stdout)).toMatchObject({
    ok: false,
    message: expect.stringContaining('/nowhere/at/all.xml'),
  })
})

test('one block', async () => {
  const { exitCode, stdout } = await run(fileOf(documentOf('a', 'b')), { block: 'b' })
  expect(exitCode).toBe(0)
  expect(stdout).not.toContain('✓ a')
  await expect(run(fileOf(documentOf('a')), { block: 'x' })).rejects.toMatchObject({ code: 'unknown-block' })
})

test('results are written into the file when asked, and nothing else is changed', async () => {
  const file = fileOf(documentOf('a', 'fail'))
  const before = readFileSync(file, 'utf8')
  await run(file)
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect((await run(file, { write: true })).exitCode).toBe(1)
  const after = readFileSync(file, 'utf8')
  expect(after).toContain('"a"')
  expect(after).toContain('error="tool-failed"')
  const parsed = parseDocument(after)
  expect(parsed.ok && parsed.document.calls.map(({ result }) => result !== undefined)).toEqual([true, true])
})

test('a file that changed during the run is left alone', async () => {
  const file = fileOf('<document><fncall id="a" idyll-tool="touch"/></document>')
  const touch = defineTool({
    name: 'touch',
    description: 'Changes the file',
    effects: harmless,
    run: () => writeFileSync(file, '<document>mine</document>'),
  })
  const { exitCode, stderr } = await run(file, { write: true }, { tools: [touch] })
  expect(exitCode).toBe(1)
  expect(stderr).toContain(file)
  expect(readFileSync(file, 'utf8')).toBe('<document>mine</document>')
})

test('a read-only file is left alone', async () => {
  const file = fileOf(documentOf('a'))
  const before = readFileSync(file, 'utf8')
  chmodSync(file, 0o444)
  const { exitCode, stderr } = await run(file, { write: true })
  expect(exitCode).toBe(1)
  expect(stderr).not.toBe('')
  expect(readFileSync(file, 'utf8')).toBe(before)
})

test('what was given up is not written, what ran before it is, and the exit code is 130', async () => {
  const controller = new AbortController()
  const stop = defineTool({
    name: 'stop',
    description: 'Is given up',
    effects: harmless,
    run: () => {
      controller.abort()
      return new Promise(() => {})
    },
  })
  const file = fileOf(documentOf('a').replace('</document>', '<fncall id="s" idyll-tool="stop"/></document>'))
  const { exitCode } = await run(file, { write: true }, { tools: [stop], signal: controller.signal })
  expect(exitCode).toBe(130)
  const parsed = parseDocument(readFileSync(file, 'utf8'))
  expect(parsed.ok && parsed.document.calls.map(({ result }) => result !== undefined)).toEqual([true, false])
})

test('--check says whether the stored results belong to the blocks, and runs nothing', async () => {
  const file = fileOf(documentOf('a', 'b'))
  expect(await run(file, { check: true })).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('missing') })
  await run(file, { write: true })
  expect(await run(file, { check: true })).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/fresh +a/) })
  writeFileSync(file, readFileSync(file, 'utf8').replace('{"words": "b"}', '{"words": "B"}'))
  const { exitCode, stdout } = await run(file, { check: true, json: true })
  expect(exitCode).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject([
    { blockId: 'a', state: 'fresh' },
    { blockId: 'b', state: 'stale' },
  ])
  const broken = await run(fileOf('<document>'), { check: true, json: true })
  expect(broken.exitCode).toBe(2)
  expect(JSON.parse(broken.stdout)).toMatchObject({ ok: false, code: 'invalid-input' })
})

test('--check is not content with a result that is an error', async () => {
  const file = fileOf(documentOf('a', 'fail'))
  expect((await run(file, { write: true })).exitCode).toBe(1)
  const told = await run(file, { check: true })
  expect(told.exitCode).toBe(1)
  expect(told.stdout).toMatch(/^fresh +a .*\nfailed +fail .*failed when it ran: tool-failed: /)
  expect(JSON.parse((await run(file, { check: true, json: true })).stdout)).toMatchObject([
    { blockId: 'a', state: 'fresh' },
    { blockId: 'fail', state: 'failed' },
  ])
})

test('a JUnit report has a case for each block: passed, failed or skipped', async () => {
  const odd = defineTool({ name: 'odd', description: 'Odd', effects: harmless, run: () => ']]> & <b> \u0000 \ud800 "' })
  const file = fileOf(documentOf('a', 'fail', 'b').replace('idyll-tool="say"', 'idyll-tool="odd"'))
  const junit = join(temporaryFolder(), 'report-junit.xml')
  const { exitCode } = await run(file, { junit, stopOnError: true }, { tools: [odd] })
  expect(exitCode).toBe(1)
  const report = readFileSync(junit, 'utf8')
  expect(elementsOf(report)).toEqual([
    'testsuites',
    'testsuite report.xml 3/1/1',
    'testcase a (odd)',
    'system-out',
    'testcase fail (fail)',
    'failure tool-failed',
    'testcase b (say)',
    'skipped',
  ])
})

test('nothing in a report can turn the reading order or hide', async () => {
  const junit = join(temporaryFolder(), 'report-junit.xml')
  const text =
    '<document><fncall id="a&#x202e;b&#10;c" idyll-tool="say"><content>x\u202ey</content></fncall></document>'
  await run(fileOf(text), { junit })
  const report = readFileSync(junit, 'utf8')
  expect(report).not.toMatch(/[\u202e\u200b]/)
  expect(elementsOf(report)).toContain('testcase a<U+202E>b c (say)')
})

test('a document that does not parse has its faults in the report', async () => {
  const junit = join(temporaryFolder(), 'report-junit.xml')
  expect((await run(fileOf('<document><p></document>'), { junit })).exitCode).toBe(2)
  expect(elementsOf(readFileSync(junit, 'utf8'))).toContain('error UNCLOSED_ELEMENT')
})

test('a report that cannot be written exits with 1', async () => {
  const { exitCode, stderr } = await run(fileOf(documentOf('a')), { junit: '/nowhere/at/all.xml' })
  expect(exitCode).toBe(1)
  expect(stderr).toContain('/nowhere/at/all.xml')
})

test('from stdin it runs, and there is nothing to write back to', async () => {
  expect((await run('-')).exitCode).toBe(0)
  await expect(run('-', { write: true })).rejects.toThrow('--write needs a file')
  await expect(run('-', { write: true, check: true })).rejects.toThrow()
})

test('from stdin, what begins like a document is one', async () => {
  const cwd = temporaryFolder()
  const { exitCode, stdout } = await runLegwork(['run', '-', '--json'], { cwd, stdin: '\ufeff\n<document/>' })
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, tool: 'document:document' })
})

test('what a tool gives back cannot play with the terminal', async () => {
  const ansi = defineTool({ name: 'ansi', description: 'Plays', effects: harmless, run: () => '\u001b[2Jgone\u202e' })
  const { stdout } = await run(fileOf('<document><fncall id="a" idyll-tool="ansi"/></document>'), {}, { tools: [ansi] })
  expect(stdout).not.toMatch(/[\u001b\u202e]/)
})

test('a long result is shown in part', async () => {
  const long = defineTool({ name: 'long', description: 'Long', effects: harmless, run: () => 'line\n'.repeat(1_000) })
  const { stdout } = await run(fileOf('<document><fncall id="a" idyll-tool="long"/></document>'), {}, { tools: [long] })
  expect(stdout.split('\n').length).toBeLessThan(30)
  expect(stdout).toContain('    …\n')
})

/** Names of elements in order, with what identifies them; throws when the text is no XML. */
function elementsOf(text: string): string[] {
  const found: string[] = []
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const {
      name: called = '',
      type = '',
      tests = '',
      failures = '',
      skipped = '',
    } = attributes as Record<string, string>
    const counts = tests && `${tests}/${failures}/${skipped}`
    found.push([name, called, type, counts].filter(Boolean).join(' '))
  })
  parser.write(text).close()
  return found
}
