// `npm run bench [WORDS]`: every measurement, or those of the files whose names hold one of the words.
// Each file runs in a process of its own, so that what one leaves in memory does not weigh on the next.

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { type Measurement, printTable } from './measure.ts'

const benches: Readonly<Record<string, () => Promise<readonly Measurement[]>>> = {
  path: async () => (await import('./path.ts')).benchPath(),
  run: async () => (await import('./run.ts')).benchRun(),
  program: async () => (await import('./program.ts')).benchProgram(),
  skill: async () => (await import('./skill.ts')).benchSkill(),
  types: async () => (await import('./types.ts')).benchTypes(),
  search: async () => (await import('./search.ts')).benchSearch(),
  mcp: async () => (await import('./mcp.ts')).benchMcp(),
  'mcp-server': async () => (await import('./mcp-server.ts')).benchMcpServer(),
  document: async () => (await import('./document.ts')).benchDocument(),
  toolscript: async () => (await import('./toolscript.ts')).benchToolscript(),
  contract: async () => (await import('./contract.ts')).benchContract(),
  tokens: async () => (await import('./tokens.ts')).benchTokens(),
  redact: async () => (await import('./redact.ts')).benchRedact(),
  'custom-tools': async () => (await import('./custom-tools.ts')).benchCustomTools(),
  package: async () => (await import('./package.ts')).benchPackage(),
  'document-text': async () => (await import('./document-text.ts')).benchDocumentText(),
}

const [first, ...words] = process.argv.slice(2)
if (first === '--only') {
  const measurements = await benches[words[0] ?? '']?.()
  process.stdout.write(JSON.stringify(measurements))
  process.exit()
}

const results: Record<string, readonly Measurement[]> = {}
for (const name of Object.keys(benches)) {
  const wanted = [first, ...words].filter((word) => word !== undefined)
  if (wanted.length && !wanted.some((word) => name.includes(word))) continue
  const answer = execFileSync(process.execPath, [import.meta.filename, '--only', name], { encoding: 'utf8' })
  const measurements: Measurement[] = JSON.parse(answer)
  results[name] = measurements
  printTable(name, measurements)
}
writeFileSync(new URL('results.json', import.meta.url), `${JSON.stringify(results, null, 2)}\n`)
