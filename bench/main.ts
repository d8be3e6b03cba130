// `npm run bench [WORDS]`: every measurement, or those of the files whose names hold one of the words.

import { writeFileSync } from 'node:fs'
import { type Measurement, printTable } from './measure.ts'

const benches: Readonly<Record<string, () => Promise<readonly Measurement[]>>> = {
  path: async () => (await import('./path.ts')).benchPath(),
  run: async () => (await import('./run.ts')).benchRun(),
  program: async () => (await import('./program.ts')).benchProgram(),
  skill: async () => (await import('./skill.ts')).benchSkill(),
  redact: async () => (await import('./redact.ts')).benchRedact(),
}

const words = process.argv.slice(2)
const results: Record<string, readonly Measurement[]> = {}
for (const [name, bench] of Object.entries(benches)) {
  if (words.length && !words.some((word) => name.includes(word))) continue
  results[name] = await bench()
  printTable(name, results[name])
}
writeFileSync(new URL('results.json', import.meta.url), `${JSON.stringify(results, null, 2)}\n`)
