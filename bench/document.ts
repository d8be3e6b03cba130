// What a document's block costs beyond its tool, and whether many blocks cost as many times as few.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLegwork, defineTool } from 'legwork'
import { Engine, parseDocument } from 'legwork/document'
import { type Measurement, p50, sideBySide } from './measure.ts'

export async function benchDocument(): Promise<readonly Measurement[]> {
  return [...(await growth()), ...(await inMemory()), ...(await onDisk())]
}

const nothing = { execute: () => 1 }

function documentOf(amount: number) {
  const blocks = Array.from({ length: amount }, (_, at) => {
    return `<fncall id="b${at}" idyll-tool="bench:nothing"><params>{"at": ${at}}</params></fncall>\n`
  })
  const parsed = parseDocument(`<document>\n${blocks.join('')}</document>\n`)
  if (!parsed.ok) throw new Error('The document of the bench does not parse.')
  return parsed.document
}

/** As many blocks on both sides, so that what disturbs one disturbs the other. Each run has an engine of its own: a journal grows. */
async function growth(): Promise<Measurement[]> {
  const few = documentOf(1_000)
  const many = documentOf(16_000)
  const run = (document: ReturnType<typeof documentOf>, times: number) => async () => {
    for (let time = 0; time < times; time++) {
      const engine = new Engine({ tools: { 'bench:nothing': nothing } })
      await engine.execute(document)
      await engine.close()
    }
  }
  const timings = await sideBySide({ few: run(few, 16), many: run(many, 1) }, { rounds: 5 })
  const value = (16 * p50(timings.many)) / p50(timings.few)
  return [{ name: '16,000 blocks against 1,000, p50', value, unit: '×', goal: '≤ 18' }]
}

async function inMemory(): Promise<Measurement[]> {
  const document = documentOf(500)
  const engine = new Engine({ tools: { 'bench:nothing': nothing } })
  const timings = await sideBySide({ bare: bare(500), blocks: () => engine.execute(document) }, { rounds: 30 })
  await engine.close()
  const value = perBlock(timings, 500)
  return [{ name: 'a block beyond its tool, journal in memory, p50', value, unit: 'µs', goal: '≤ 60' }]
}

async function onDisk(): Promise<Measurement[]> {
  const document = documentOf(500)
  const folder = mkdtempSync(join(tmpdir(), 'legwork-bench-'))
  const tool = defineTool({ name: 'bench:nothing', description: 'Nothing', run: nothing.execute })
  const legwork = await createLegwork({ functions: [tool], journal: { path: join(folder, 'legwork.db') } })
  try {
    const timings = await sideBySide({ bare: bare(500), blocks: () => legwork.document(document) }, { rounds: 30 })
    const value = perBlock(timings, 500)
    return [{ name: 'a block beyond its tool, journal on disk, p50', value, unit: 'µs', goal: '≤ 150' }]
  } finally {
    await legwork.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function bare(amount: number) {
  return async () => {
    for (let at = 0; at < amount; at++) await nothing.execute()
  }
}

function perBlock(timings: { readonly bare: readonly number[]; readonly blocks: readonly number[] }, amount: number) {
  return ((p50(timings.blocks) - p50(timings.bare)) * 1_000) / amount
}
