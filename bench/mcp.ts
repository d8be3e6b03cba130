// MCP servers: a call on the whole path against the SDK's client alone, and how long several take to connect side by side.

import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createLegwork, type Legwork } from 'legwork'
import { type Measurement, p50, sideBySide } from './measure.ts'

export async function benchMcp(): Promise<readonly Measurement[]> {
  return [...(await calling()), ...(await connecting())]
}

const entry = (name: string) => join(import.meta.dirname, `../node_modules/@modelcontextprotocol/${name}/dist/index.js`)
/** The server of files, reading one: what it does for a call is little, and real. */
const folder = import.meta.dirname
const files = { command: process.execPath, args: [entry('server-filesystem'), folder] }
const input = { path: join(folder, 'bare-spawn.ts') }

/** Nothing is pinned, so that nothing is written. */
function open(places: Record<string, { command: string; args: string[] }>): Promise<Legwork> {
  const legwork = { pin: 'off' as const }
  const mcpServers = Object.fromEntries(Object.entries(places).map(([name, place]) => [name, { ...place, legwork }]))
  const allow = Object.keys(places).map((name) => `${name}:*`)
  return createLegwork({ mcpServers, policy: { allow }, journal: { path: ':memory:' } })
}

async function calling(): Promise<Measurement[]> {
  const legwork = await open({ files })
  const client = new Client({ name: 'bare', version: '1' })
  await client.connect(new StdioClientTransport({ ...files, stderr: 'ignore' }))
  await client.listTools()
  const bare = () => client.callTool({ name: 'read_text_file', arguments: input })
  const through = async () => {
    const outcome = await legwork.call({ tool: 'files:readTextFile', input })
    if (!outcome.ok) throw new Error(outcome.message)
  }
  await through()
  const single = await sideBySide({ bare, legwork: through }, { rounds: 2_000, warmUp: 1_000 })
  const flows = await sideBySide({ bare: flowOf(bare), legwork: flowOf(through) }, { rounds: 10, warmUp: 3 })
  await client.close()
  await legwork.close()
  return [
    {
      name: "an MCP call against the SDK's client, p50",
      value: p50(single.legwork) / p50(single.bare),
      unit: '×',
      goal: '≤ 1.35',
    },
    {
      name: "MCP calls a second, 32 at once, against the SDK's client",
      value: p50(flows.bare) / p50(flows.legwork),
      unit: '×',
      goal: '≥ 0.75',
    },
  ]
}

/** A thousand calls, 32 of them on their way at any time. */
function flowOf(call: () => Promise<unknown>): () => Promise<unknown> {
  return () => {
    let left = 1_000
    const work = async () => {
      while (left-- > 0) await call()
    }
    return Promise.all(Array.from({ length: 32 }, work))
  }
}

/** Waiting side by side is what counts, so each takes its time to start. */
async function connecting(): Promise<Measurement[]> {
  const slow = (ms: number) => ({
    command: 'sh',
    args: ['-c', `sleep ${ms / 1_000}; exec "${process.execPath}" "${entry('server-sequential-thinking')}"`],
  })
  const times = [300, 600, 900, 1_200]
  const four = Object.fromEntries(times.map((ms) => [`slow${ms}`, slow(ms)]))
  const slowest = { slowest: slow(1_200) }
  const connect = (servers: typeof four) => async () => {
    const legwork = await open(servers)
    await legwork.tools()
    await legwork.close()
  }
  const timings = await sideBySide({ one: connect(slowest), four: connect(four) }, { rounds: 3, warmUp: 1 })
  const value = p50(timings.four) / p50(timings.one)
  return [{ name: 'four MCP servers connect against the slowest alone, p50', value, unit: '×', goal: '≤ 1.2' }]
}
