// What people wait for: importing the library, the whole command, and a tool call through the AI SDK.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateText, isStepCount, jsonSchema, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { createLegwork, defineTool } from 'legwork'
import { aiSdkTools } from 'legwork/ai-sdk'
import { type Measurement, p50, sideBySide } from './measure.ts'

const library = new URL('../dist/index.js', import.meta.url)
const command = new URL('../dist/cli/main.js', import.meta.url).pathname

export async function benchPackage(): Promise<readonly Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), 'legwork-bench-'))
  try {
    return [...(await starting(folder)), ...(await throughAiSdk(folder))]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const node = (folder: string, ...words: string[]) => {
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

async function starting(folder: string): Promise<Measurement[]> {
  const module = `
import { defineTool } from '${library}'
const effects = { destructive: false, network: false, filesystem: { write: false } }
const input = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] }
export const add = defineTool({ name: 'bench:add', description: 'Adds', input, effects, run: ({ a, b }) => a + b })
`
  writeFileSync(join(folder, 'tools.mjs'), module)
  writeFileSync(join(folder, 'legwork.jsonc'), '{ "functions": ["./tools.mjs"] }')
  const timings = await sideBySide(
    {
      bare: () => node(folder, '-e', '0'),
      library: () => node(folder, '--input-type=module', '-e', `await import('${library}')`),
      module: () => node(folder, '--input-type=module', '-e', `await import('node:path')`),
      call: () => node(folder, command, 'call', 'bench:add', '{"a": 1, "b": 2}'),
    },
    { rounds: 20 },
  )
  const bare = p50(timings.bare)
  return [
    { name: 'node -e 0, p50', value: bare, unit: 'ms' },
    {
      name: 'importing the library over a bare Node, p50',
      value: p50(timings.library) - p50(timings.module),
      unit: 'ms',
      goal: '≤ 60',
    },
    {
      name: 'legwork call of a function against node -e 0, p50',
      value: p50(timings.call) / bare,
      unit: '×',
      goal: '≤ 4',
    },
  ]
}

/** The same function, as a plain tool of the SDK and through Legwork, called so often by a model that is played. */
const callsEach = 50

async function throughAiSdk(folder: string): Promise<Measurement[]> {
  const schema = {
    type: 'object' as const,
    properties: { a: { type: 'number' as const }, b: { type: 'number' as const } },
    required: ['a', 'b'],
  }
  const effects = { destructive: false, network: false, filesystem: { write: false } }
  const run = ({ a, b }: Record<string, unknown>) => Number(a) + Number(b)
  const add = defineTool({ name: 'add', description: 'Adds', input: schema, effects, run })
  const journal = { path: join(folder, 'bench.db') }
  await using legwork = await createLegwork({ functions: [add], journal })
  const offered = await aiSdkTools(legwork, { only: ({ id }) => id === 'add' })
  const plain = tool({ description: 'Adds', inputSchema: jsonSchema<{ a: number; b: number }>(schema), execute: run })
  const timings = await sideBySide(
    {
      plain: () => generateText({ model: caller(), tools: { add: plain }, prompt: 'x', stopWhen: isStepCount(2) }),
      legwork: () => generateText({ model: caller(), ...offered, prompt: 'x', stopWhen: isStepCount(2) }),
    },
    { rounds: 100 },
  )
  const plainUs = (p50(timings.plain) / callsEach) * 1_000
  const value = (p50(timings.legwork) / callsEach) * 1_000 - plainUs
  return [
    { name: 'a plain AI SDK tool call, p50', value: plainUs, unit: 'µs' },
    { name: 'an AI SDK tool call through Legwork, more than a plain one, p50', value, unit: 'µs', goal: '≤ 150' },
  ]
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** Asks for all its calls in one reply, then is done. */
function caller(): MockLanguageModelV4 {
  const calls = Array.from({ length: callsEach }, (_, at) => {
    return { type: 'tool-call' as const, toolCallId: `c${at}`, toolName: 'add', input: `{"a": ${at}, "b": 2}` }
  })
  const common = { usage, warnings: [] }
  return new MockLanguageModelV4({
    doGenerate: [
      { content: calls, finishReason: { unified: 'tool-calls', raw: 'tool_calls' }, ...common },
      { content: [{ type: 'text', text: 'done' }], finishReason: { unified: 'stop', raw: 'stop' }, ...common },
    ],
  })
}
