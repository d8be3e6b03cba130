// How fast the redactor is, in megabytes a second, on four kinds of text.

import { createRedactor, type Redactor } from '../src/outcome/redact.ts'
import { tokens } from '../test/outcome/corpora.ts'
import { type Measurement, printTable } from './measure.ts'

const megabyte = 1_000_000
const corpusLength = 8 * megabyte

export async function benchRedact(): Promise<readonly Measurement[]> {
  const redactor = createRedactor({ values: ['a-known-Value-4711', 'another/known+Value=='] })
  const figures = Object.entries(corpora).map(([name, { make, goal }]) => {
    const corpus = make()
    const rate = bestRate(corpus, () => redactor.text(corpus))
    return { name: `redaction: ${name}`, value: rate, unit: 'MB/s', goal: `≥ ${goal}` }
  })
  const { rate, growth } = streamRate(redactor.stream(), corpora.logs.make())
  const patterned = createRedactor({ patterns: ['acme_[a-z0-9]{20}', '\\bACME-\\d{6,12}\\b'] })
  const code = corpora.code.make()
  return [
    ...figures,
    ...(await againstSecretlint(redactor)),
    { name: 'redaction: 100 MB of logs as a stream', value: rate, unit: 'MB/s' },
    { name: 'redaction: growth of memory in that', value: growth, unit: 'MB' },
    {
      name: 'redaction: code, with two patterns of a user',
      value: bestRate(code, () => patterned.text(code)),
      unit: 'MB/s',
    },
  ]
}

/** On the same text and the same secrets: how fast each is, and how many secrets each takes out. */
async function againstSecretlint(redactor: Redactor): Promise<Measurement[]> {
  const { lintSource } = await import('@secretlint/core')
  const { creator } = await import('@secretlint/secretlint-rule-preset-recommend')
  const options = { config: { rules: [{ id: 'preset', rule: creator }] }, noPhysicFilePath: true as const }
  const lint = (content: string) =>
    lintSource({ source: { filePath: 'a.txt', content, ext: '.txt', contentType: 'text' }, options })
  const measurements: Measurement[] = []
  for (const [name, { make }] of Object.entries(corpora)) {
    const corpus = make().slice(0, megabyte)
    const startedAt = performance.now()
    await lint(corpus)
    const theirs = megabyte / (performance.now() - startedAt)
    const ours = bestRate(corpus, () => redactor.text(corpus)) * 1_000
    measurements.push({
      name: `${name}: how many times as fast as secretlint's preset`,
      value: ours / theirs,
      unit: '×',
      goal: '≥ 1',
    })
  }
  let ours = 0
  let theirs = 0
  for (const [, token, around = 'it is "SECRET", so'] of tokens) {
    const text = around.replace('SECRET', token)
    if (!redactor.text(text).includes(token)) ours++
    if ((await lint(text)).messages.length) theirs++
  }
  return [
    ...measurements,
    { name: `of ${tokens.length} tokens, removed`, value: ours, unit: '' },
    { name: `of ${tokens.length} tokens, found by secretlint's preset`, value: theirs, unit: '' },
    { name: 'how many times as many', value: ours / theirs, unit: '×', goal: '≥ 10' },
  ]
}

const random = makeRandom()

const corpora = {
  code: { make: () => repeatTo(makeCode), goal: 40 },
  logs: { make: () => repeatTo(makeLog), goal: 100 },
  base64: { make: () => repeatTo(() => `${randomText(base64Digits, 76)}\n`), goal: 50 },
  'keyword flood': { make: () => repeatTo(makeFlood), goal: 10 },
}

const base64Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const names = ['index', 'result', 'token', 'options', 'path', 'keyOf', 'state', 'user', 'password', 'node', 'parser']

function makeCode(): string {
  const [a, b, c] = [pick(names), pick(names), pick(names)]
  return pick([
    `  const ${a} = ${b}.${c}(${a}Count + 1)\n`,
    `  if (${a} === undefined || ${b}.length > 128) return { ok: false, message: 'The ${c} is missing.' }\n`,
    `export function ${a}${b}(${c}: string, ${a}: readonly ${b}[] = []): Promise<${c}> {\n`,
    `  // Every ${a} has a ${b}, which is looked up by its ${c} before anything else happens.\n`,
    `  for (const ${a} of Object.keys(${b}).sort((x, y) => x.localeCompare(y))) await ${c}.push(${a})\n`,
    `import { ${a}, type ${b} } from './${c}.ts'\n`,
    `  ${a}: z.object({ ${b}: z.string().min(1), ${c}: z.number().optional() }),\n}\n\n`,
  ])
}

function makeLog(): string {
  const at = new Date(1.7e12 + random() * 1e9).toISOString()
  return pick([
    `${at} INFO  [http] GET /api/v1/items/${randomText('0123456789', 6)}?page=2 200 ${randomText('0123456789', 2)}ms\n`,
    `${at} DEBUG [pool] connection ${randomText('0123456789abcdef', 8)} returned after ${randomText('0123456789', 4)} us\n`,
    `${at} WARN  [cache] miss ratio 0.${randomText('0123456789', 3)} above the threshold for region eu-west-1\n`,
    `${at} INFO  [job] finished id=${randomText('0123456789abcdef', 32)} status=ok attempts=1 queue=default\n`,
    `${at} ERROR [mail] could not reach smtp.example.org:587 (ETIMEDOUT), will retry in 30 s\n`,
  ])
}

function makeFlood(): string {
  return pick([
    'password ',
    'token=',
    'secret: ',
    'api_key ',
    'ghp_',
    'sk-',
    'eyJ',
    'AKIA',
    '://',
    'Bearer ',
    'xoxb-',
    'key="',
    '\n',
  ])
}

/** A megabyte of it is made, and repeated: making it all would take longer than the measurement. */
function repeatTo(make: () => string): string {
  let text = ''
  while (text.length < megabyte) text += make()
  return Buffer.from(text.repeat(Math.ceil(corpusLength / text.length))).toString()
}

function bestRate(corpus: string, run: () => void): number {
  let best = 0
  for (let round = 0; round < 5; round++) {
    const startedAt = performance.now()
    run()
    best = Math.max(best, corpus.length / megabyte / ((performance.now() - startedAt) / 1000))
  }
  return best
}

function streamRate(stream: { push(chunk: string): string; end(): string }, corpus: string) {
  const chunkLength = 65_536
  let pushed = 0
  let shown = 0
  const before = process.memoryUsage().rss
  let highest = before
  const startedAt = performance.now()
  while (pushed < 100 * megabyte) {
    for (let at = 0; at < corpus.length; at += chunkLength) {
      shown += stream.push(corpus.slice(at, at + chunkLength)).length
    }
    pushed += corpus.length
    highest = Math.max(highest, process.memoryUsage().rss)
  }
  shown += stream.end().length
  const rate = shown / megabyte / ((performance.now() - startedAt) / 1000)
  return { rate, growth: (highest - before) / megabyte }
}

/** The same numbers in every run. */
function makeRandom(): () => number {
  let seed = 4711
  return () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return seed / 2 ** 32
  }
}

function pick(from: readonly string[]): string {
  return from[Math.floor(random() * from.length)] ?? ''
}

function randomText(letters: string, length: number): string {
  return Array.from({ length }, () => letters.charAt(Math.floor(random() * letters.length))).join('')
}

if (import.meta.main) printTable('redact', await benchRedact())
