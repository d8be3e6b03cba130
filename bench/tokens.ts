// What a catalogue costs a model before it has called anything: every tool listed, against the few that stand for them.

import { join } from 'node:path'
import { createLegwork } from 'legwork'
import { tokenCost } from '../src/cli/tokens.ts'
import type { Measurement } from './measure.ts'

const servers = {
  everything: ['server-everything', 'stdio'],
  files: ['server-filesystem', '.'],
  memory: ['server-memory'],
  thinking: ['server-sequential-thinking'],
} as const

export async function benchTokens(): Promise<readonly Measurement[]> {
  const entry = (name: string) =>
    join(import.meta.dirname, `../node_modules/@modelcontextprotocol/${name}/dist/index.js`)
  const mcpServers = Object.entries(servers).map(([name, [program, ...args]]) => {
    return [name, { command: process.execPath, args: [entry(program), ...args], legwork: { pin: 'off' as const } }]
  })
  const legwork = await createLegwork({ mcpServers: Object.fromEntries(mcpServers), journal: { path: ':memory:' } })
  const { direct, meta } = tokenCost(await legwork.tools())
  await legwork.close()
  return [
    { name: `${direct.tools} tools of four real servers, direct`, value: direct.tokens, unit: 'tokens' },
    { name: `the same, meta`, value: meta.tokens, unit: 'tokens' },
    { name: 'direct against meta', value: direct.tokens / meta.tokens, unit: '×' },
  ]
}
