// Programs by their metadata: making an executor, finding a command, and a run against a bare spawn.

import { type AtipTool, createExecutor, mapToCommand } from 'legwork/program'
import { bareSpawn } from './bare-spawn.ts'
import { type Measurement, p50, sideBySide } from './measure.ts'

export async function benchProgram(): Promise<readonly Measurement[]> {
  // The run first: the others leave a large host behind, on which a bare spawn is slow and ours is not.
  return [...(await running()), ...(await making()), ...(await mapping())]
}

const harmless = { destructive: false, network: false, filesystem: { write: false } } as const

/** A program with so many commands, each with an argument and two options; a new object every time. */
function programWith(amount: number): AtipTool {
  const command = (at: number) => ({
    description: `Does ${at}`,
    effects: { network: false },
    arguments: [{ name: 'file', type: 'file' as const, description: 'A file' }],
    options: [
      { name: 'all', flags: ['-a', '--all'], type: 'boolean' as const, description: 'All of them' },
      { name: 'depth', flags: ['--depth'], type: 'integer' as const, description: 'How deep' },
    ],
  })
  const commands = Object.fromEntries(Array.from({ length: amount }, (_, at) => [`command-${at}`, command(at)]))
  return { atip: '0.6', name: 'big', version: '1', description: 'Big', effects: harmless, commands }
}

/** Until the first answer, so that nothing is put off. */
async function making(): Promise<Measurement[]> {
  const rounds = 20
  const tools = Array.from({ length: rounds + 2 }, () => programWith(10_000))
  const make = () => {
    const executor = createExecutor({ tools: tools.splice(0, 1) })
    executor.validate({ name: 'big_command-9999', arguments: { file: 'x' } })
  }
  const { make: timings } = await sideBySide({ make }, { rounds, warmUp: 1 })
  return [{ name: 'createExecutor on 10,000 commands, p50', value: p50(timings), unit: 'ms', goal: '≤ 150' }]
}

/** A name is one look into a map, whose entries no longer fit into the processor's cache when there are very many. */
async function mapping(): Promise<Measurement[]> {
  const lookups = (amount: number) => {
    const tools = [programWith(amount)]
    return () => {
      for (let at = 0; at < 1_000; at++) mapToCommand(`big_command-${(at * 7_919) % amount}`, tools)
    }
  }
  const timings = await sideBySide({ few: lookups(10), lots: lookups(100_000) }, { rounds: 100 })
  const value = p50(timings.lots) / p50(timings.few)
  return [{ name: 'mapToCommand among 100,000 commands against among 10, p50', value, unit: '×', goal: '≤ 1.2' }]
}

async function running(): Promise<Measurement[]> {
  const executor = createExecutor({
    tools: [{ name: 'true', trust: 'vendor', effects: harmless }],
    execution: { confine: 'off' },
  })
  const timings = await sideBySide(
    { bare: bareSpawn, legwork: () => executor.execute({ name: 'true' }) },
    { rounds: 300 },
  )
  const value = p50(timings.legwork) / p50(timings.bare)
  return [{ name: 'executor.execute against a bare spawn, p50', value, unit: '×', goal: '≤ 1.2' }]
}
