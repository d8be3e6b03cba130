// Documents as text: parsing one of 50 MB, what that takes in memory, and writing results into it.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { SaxesParser } from 'saxes'
import type { Document } from '../src/document/document.ts'
import { parseDocument } from '../src/document/parse.ts'
import { type Measurement, p50, sideBySide, type Timings } from './measure.ts'

export async function benchDocumentText(): Promise<readonly Measurement[]> {
  // The small ones first: beside a large document in memory every collection takes longer.
  const sizes = { 1000: documentOf(500), 16000: documentOf(8_000), 128000: documentOf(64_000) }
  const small = await sideBySide(
    { few: () => parsed(sizes[1_000]), many: () => parsed(sizes[16_000]), most: () => parsed(sizes[128_000]) },
    { rounds: 20 },
  )
  const text = documentOf(100_000, 50_000_000)
  const memory = memoryOf(text)
  const document = parsed(text)
  const results = { blocks: new Map(document.calls.map(({ id }, at) => [id, { result: { message: `hello ${at}` } }])) }
  const large = await sideBySide(
    { parse: () => parsed(text), bare: () => bareParse(text), write: () => document.withResults(results) },
    { rounds: 5, warmUp: 1 },
  )
  return [
    { name: 'parse 50 MB, p50', value: p50(large.parse) / 1_000, unit: 's', goal: '≤ 3' },
    { name: 'parse 50 MB against saxes alone, p50', value: ratio(large.parse, large.bare), unit: '×' },
    { name: 'memory that a parsed document takes, text included', value: memory, unit: '× the text', goal: '≤ 12' },
    { name: 'write 100,000 results into 50 MB, p50', value: p50(large.write) / 1_000, unit: 's', goal: '≤ 1.5' },
    { name: 'parse 16,000 blocks against 1,000, p50', value: ratio(small.many, small.few), unit: '×', goal: '≤ 18' },
    { name: 'parse 128,000 blocks against 16,000, p50', value: ratio(small.most, small.many), unit: '×' },
  ]
}

function ratio(more: Timings, less: Timings): number {
  return p50(more) / p50(less)
}

/** So many calls, each with prose before it: twice as many blocks; with a length, as much prose as that needs. */
function documentOf(calls: number, length = 0): string {
  const prose = 'lorem ipsum dolor sit amet '.repeat(Math.max(1, Math.floor((length / calls - 230) / 27)))
  const block = (at: number) =>
    `  <p id="p${at}">${prose}</p>\n  <fncall id="c${at}" idyll-tool="demo:echo">\n    <params>{"message": "hello ${at}"}</params>\n` +
    '    <content>Do the <strong>thing</strong> well, please, and say what came of it</content>\n  </fncall>\n'
  const text = `<document>\n${Array.from({ length: calls }, (_, at) => block(at)).join('')}</document>\n`
  // One flat string, as a file gives it.
  return Buffer.from(text).toString()
}

function parsed(text: string): Document {
  const result = parseDocument(text)
  if (!result.ok) throw new Error(result.faults[0]?.message)
  return result.document
}

function bareParse(text: string): void {
  const parser = new SaxesParser({ xmlns: false })
  parser.on('opentag', () => {})
  parser.on('closetag', () => {})
  parser.on('text', () => {})
  parser.write(text).close()
}

/** What is held after a parse, of what was held before it, with the text counted. */
function memoryOf(text: string): number {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  const before = process.memoryUsage().heapUsed
  const document = parsed(text)
  collect()
  const after = process.memoryUsage().heapUsed
  return (after - before + document.text.length) / text.length
}
