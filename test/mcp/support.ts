// A server of our own that misbehaves, in a catalogue, with a look at what is left of it when the test ends.

import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { startDeadline } from '../../src/base/deadline.ts'
import { Catalogue } from '../../src/catalogue/catalogue.ts'
import type { McpBounds, McpSettings } from '../../src/mcp/settings.ts'
import { mcpSource } from '../../src/mcp/source.ts'
import { libraryCaller } from '../../src/model/call.ts'
import { makeLimits } from '../../src/model/limits.ts'
import type { Progress, Ran, RunContext } from '../../src/model/tool.ts'
import { processesWith, soon } from '../fixtures/run/support.ts'
import { temporaryFolder } from '../support/temporary.ts'

export const serverFile = join(import.meta.dirname, '../fixtures/mcp/server.ts')

export const shortBounds: Partial<McpBounds> = { connectMs: 10_000, probeMs: 300, listMs: 5_000 }

export interface Heard {
  readonly progress: Progress[]
  readonly logs: string[]
}

export interface Opened {
  readonly catalogue: Catalogue
  readonly call: (tool: string, input?: unknown, signal?: AbortSignal, heard?: Heard) => Promise<Ran>
  /** What the server wrote down of its own life. */
  readonly record: () => string[]
  /** In the command line of every process that the server is. */
  readonly marker: string
}

/** The server `x`, which does what the mode says. Nothing of it may be left afterwards. */
export async function openServer(mode: string, more: Partial<McpSettings> = {}): Promise<Opened> {
  const marker = join(temporaryFolder(), randomUUID())
  const settings = {
    command: process.execPath,
    args: [serverFile, mode, marker],
    workspace: '/tmp',
    bounds: shortBounds,
    ...more,
  }
  const opened = await openSource(settings)
  onTestFinished(async () => {
    await opened.catalogue.close()
    expect(await soon(() => processesWith(marker).length === 0)).toBe(true)
  })
  return { ...opened, marker, record: () => readFileSync(marker, 'utf8').trim().split('\n') }
}

export async function openSource(settings: McpSettings): Promise<Pick<Opened, 'catalogue' | 'call'>> {
  const catalogue = new Catalogue()
  await catalogue.add(mcpSource('x', settings))
  onTestFinished(() => catalogue.close())
  const call: Opened['call'] = async (name, input = {}, signal = AbortSignal.timeout(20_000), heard = nobody()) => {
    const tool = await catalogue.resolve(`x:${name}`)
    if (!tool) throw new Error(`There is no tool ${name}: ${warningsOf(catalogue).join()}`)
    return tool.run(input, contextOf(signal, heard))
  }
  return { catalogue, call }
}

export function nobody(): Heard {
  return { progress: [], logs: [] }
}

export function warningsOf(catalogue: Catalogue): readonly string[] {
  return catalogue.status().flatMap(({ warnings }) => warnings)
}

function contextOf(signal: AbortSignal, heard: Heard): RunContext {
  return {
    callId: 'call',
    caller: libraryCaller,
    content: '',
    signal,
    deadline: (timeoutMs) => startDeadline(timeoutMs, signal),
    limits: makeLimits(),
    plan: undefined,
    progress: (update) => heard.progress.push(update),
    output: () => {},
    log: (level, message) => heard.logs.push(`${level} ${message}`),
    usedModel: () => {},
    call: () => Promise.reject(new Error('Nothing is called from here.')),
    callTool: () => Promise.reject(new Error('Nothing is called from here.')),
  }
}
