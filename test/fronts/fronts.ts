// The eight ways in, each as one function: it calls one tool and gives what its caller got of the value.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'
import type { Legwork } from '../../src/index.ts'
import type { ToolDescription } from '../../src/model/tool.ts'
import { runLegwork } from '../support/command.ts'

export interface Surroundings {
  readonly legwork: Legwork
  readonly folder: string
}

/** Undefined where the call failed. */
export type CallThrough = (around: Surroundings, tool: ToolDescription, input: object) => Promise<unknown>

const throughLibrary: CallThrough = async ({ legwork }, { id }, input) => {
  const outcome = await legwork.call({ tool: id, input })
  return outcome.ok ? outcome.value : undefined
}

const throughCommandLine: CallThrough = async ({ folder }, { id }, input) => {
  const { stdout } = await runLegwork(['call', id, JSON.stringify(input), '--json'], { cwd: folder })
  return JSON.parse(stdout).value
}

/** What is parsed has no type, so that the checker lets an invalid input pass. */
const throughToolscript: CallThrough = async ({ legwork }, { spellings }, input) => {
  const argument = JSON.stringify(JSON.stringify(input))
  const source = `import { tools } from 'toolscript'\nreturn await ${spellings.script}(JSON.parse(${argument}))`
  const outcome = await legwork.script(source)
  return outcome.ok ? outcome.value : undefined
}

const throughDocument: CallThrough = async ({ legwork }, { id }, input) => {
  const block = `<fncall id="it" idyll-tool="${id}"><params>${JSON.stringify(input)}</params></fncall>`
  const { state } = await legwork.document(`<document>${block}</document>`)
  return state.blocks.get('it')?.result
}

const throughContract: CallThrough = async ({ legwork }, { id }, input) => {
  const source = `async ({ state }, api) => api.call('${id}', state)`
  const outcome = await legwork.contract({ source, input, timeoutMs: 20_000 })
  return outcome.ok ? outcome.value : undefined
}

const throughProvider: CallThrough = async ({ legwork }, { spellings }, input) => {
  const call = { name: spellings.provider, arguments: JSON.stringify(input) }
  const reply = { role: 'assistant', tool_calls: [{ id: 'call_1', type: 'function', function: call }] }
  const { results } = await legwork.handle('openai', reply)
  const [result] = results
  return result?.outcome.ok ? result.outcome.value : undefined
}

/** A client that cannot be asked anything. */
const throughMcp: CallThrough = async ({ legwork, folder }, { spellings }, input) => {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const gateway = await legwork.gateway({ folder: join(folder, 'gateway') })
  const { token } = JSON.parse(readFileSync(gateway.tokenFile, 'utf8'))
  const client = new Client({ name: 'table', version: '1' })
  try {
    const headers = { authorization: `Bearer ${token}` }
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp/direct`), { requestInit: { headers } }),
    )
    const result = await client.callTool({ name: spellings.provider, arguments: { ...input } })
    return result.isError ? undefined : result.structuredContent
  } finally {
    await client.close()
    await gateway.stop()
  }
}

/** The model asks for the tool, and then says that it is done. */
const throughAgent: CallThrough = async ({ legwork }, { id, spellings }, input) => {
  const asks = {
    type: 'tool-call',
    toolCallId: 'c1',
    toolName: spellings.provider,
    input: JSON.stringify(input),
  } as const
  const model = new MockLanguageModelV4({
    doStream: [
      { stream: convertArrayToReadableStream([asks, finish('tool-calls')]) },
      { stream: convertArrayToReadableStream([...said('Done.'), finish('stop')]) },
    ],
  })
  let value: unknown
  const silence = legwork.on((event) => {
    if (event.type === 'ended' && event.tool === id && event.outcome.ok) value = event.outcome.value
  })
  try {
    const agent = await legwork.agent(`<agent title="Helper" tools="${id}"><p>Help.</p></agent>`, { model })
    await agent.send('Go on.')
    return value
  } finally {
    silence()
  }
}

function said(delta: string) {
  return [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta },
    { type: 'text-end', id: 't' },
  ] as const
}

function finish(unified: 'tool-calls' | 'stop') {
  const inputTokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }
  const usage = { inputTokens, outputTokens: { total: 1, text: 1, reasoning: 0 } }
  return { type: 'finish', finishReason: { unified, raw: unified }, usage } as const
}

export const fronts = {
  library: throughLibrary,
  'command line': throughCommandLine,
  toolscript: throughToolscript,
  document: throughDocument,
  'contract script': throughContract,
  'provider tool call': throughProvider,
  'MCP client': throughMcp,
  'agent document': throughAgent,
} as const satisfies Record<string, CallThrough>
