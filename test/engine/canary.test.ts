// A secret is planted in every kind of tool, in every place a tool can put it, and looked for in every sink.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { expect, onTestFinished, test } from 'vitest'
import { type Call, createLegwork, defineTool } from '../../src/index.ts'
import { runLegwork } from '../support/command.ts'
import { makeProject } from '../support/project.ts'
import { temporaryFolder } from '../support/temporary.ts'

const known = 'Canary/known+value=77&x'
const token = `${'ghp_'}${'Z9y8X7w6V5u4T3s2R1q0P9o8N7m6L5k4J3i2'}`
const harmless = { destructive: false, network: false, filesystem: { write: false } } as const

/** The known value in every form in which it would still be readable; of the token, whose shape alone is known, the plain one. */
const forms = [
  token,
  known,
  encodeURIComponent(known),
  Buffer.from(known).toString('base64').replace(/=+$/, '').slice(0, -2),
  Buffer.from(known).toString('hex'),
]

const places: Record<string, (secret: string) => unknown> = {
  'in a text': (secret) => `before ${secret} after`,
  alone: (secret) => secret,
  'in a key': (secret) => ({ [secret]: 1 }),
  'deep down': (secret) => [[{ a: { b: [secret] } }]],
  'in JSON in a text': (secret) => JSON.stringify({ a: JSON.stringify({ b: secret }) }),
  'in base64': () => Buffer.from(known).toString('base64'),
  'in hexadecimal': () => Buffer.from(known).toString('hex'),
  'in an address': (secret) => `https://example.org/?q=${encodeURIComponent(secret)}`,
  'on many lines': (secret) => `one\n${secret}\n${secret}`,
  'in something thrown': (secret) => {
    throw new Error(`failed with ${secret}`)
  },
}

const functions = Object.entries(places).map(([place, put], at) =>
  defineTool({
    name: `canary:f${at}`,
    description: place,
    effects: harmless,
    run: (input, { progress }) => {
      progress({ message: `now ${known} ${token}` })
      return { value: put(known), other: put(token), input }
    },
  }),
)

test('no canary comes out anywhere', async () => {
  const exporter = new InMemorySpanExporter()
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
  onTestFinished(() => trace.disable())
  const workspace = temporaryFolder()
  const metadata = {
    name: 'sh',
    trust: 'vendor',
    effects: harmless,
    commands: {
      '': { description: '', arguments: [{ name: 'words', type: 'string', variadic: true, description: '' }] },
    },
  }
  writeFileSync(join(workspace, 'sh.json'), JSON.stringify(metadata))
  writeFileSync(
    join(workspace, 'leak.sh'),
    'echo "$CANARY $1"; echo "$CANARY $1" >&2; printf %s "$CANARY" | base64; exit ${2:-0}',
  )
  const sinks: unknown[] = []
  const legwork = await createLegwork({
    workspace,
    functions,
    programs: { sh: { metadata: 'sh.json', env: { CANARY: known } } },
    policy: { ask: ['sh', 'canary:f0'] },
    journal: { path: 'journal/legwork.db' },
    traceContent: true,
    approve: ({ signal: _, ...request }) => {
      sinks.push(request)
      return { approved: true, reason: `because of ${known}` }
    },
  })
  legwork.on((event) => void sinks.push(event))
  const calls: Call[] = [
    ...functions.map((tool) => ({ tool: tool.name, input: { given: [known, token] }, content: known })),
    { tool: 'sh', input: { words: ['leak.sh', token] } },
    { tool: 'sh', input: { words: ['leak.sh', token, '3'] } },
    { tool: `canary:${known}`, input: { token } },
    { tool: 'canary:f0', input: known },
    { tool: 'sh', input: { words: { [token]: known } } },
    { tool: 'sh', input: { words: ['leak.sh', token] }, caller: { front: 'agent', name: known } },
  ]
  for (const call of calls) sinks.push(await legwork.call(call))
  for await (const event of legwork.stream({ tool: 'sh', input: { words: ['leak.sh', token] } })) sinks.push(event)
  sinks.push(
    legwork.journal.read({ limit: 1_000 }),
    legwork.warnings,
    exporter.getFinishedSpans().map(({ name, attributes, status }) => ({ name, attributes, status })),
  )
  await legwork.close()

  const everything = JSON.stringify(sinks)
  expect(everything).toContain('REDACTED')
  expect(forms.filter((form) => everything.includes(form))).toEqual([])
  for (const file of readdirSync(join(workspace, 'journal'))) {
    const bytes = readFileSync(join(workspace, 'journal', file)).toString('latin1')
    expect(
      forms.filter((form) => bytes.includes(form)),
      file,
    ).toEqual([])
  }
})

test('nor on a terminal, whatever the verb', async () => {
  const cwd = makeProject({
    'legwork.jsonc': `{ "functions": ["./tools.ts"], "programs": { "sh": { "metadata": "./sh.json", "env": ["CANARY"] } }, "journal": { "path": "j.db" } }`,
    'leak.sh': 'echo "$CANARY"; echo "$CANARY" >&2; exit 2',
  })
  const env = { CANARY: known, DEMO_TOKEN: token }
  const lines = [
    ['call', 'sh', '{"file": "leak.sh"}'],
    ['call', 'sh', '{"file": "leak.sh"}', '--json'],
    ['call', 'demo:secret'],
    ['call', 'demo:echo', JSON.stringify({ message: known })],
    ['call', 'demo:echo', JSON.stringify({ [known]: token }), '--json'],
    ['call', known],
    ['audit'],
    ['audit', 'export'],
  ]
  for (const words of lines) {
    const { stdout, stderr } = await runLegwork(words, { cwd, env })
    expect(
      forms.filter((form) => (stdout + stderr).includes(form)),
      words.join(' '),
    ).toEqual([])
  }
})
