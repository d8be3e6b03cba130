// Language models for tests: the AI SDK's own mock, and a local server that speaks the OpenAI protocol.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'
import { onTestFinished } from 'vitest'

export const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
}

type Finish = 'stop' | 'tool-calls' | 'content-filter' | 'length'

/** A model that answers these texts, one for each question. */
export function modelThatSays(...texts: readonly (string | { text: string; finish: Finish } | Error)[]) {
  const answers = [...texts]
  return new MockLanguageModelV4({
    doGenerate: async () => {
      const next = answers.shift() ?? ''
      if (next instanceof Error) throw next
      const { text, finish } = typeof next === 'string' ? { text: next, finish: 'stop' as const } : next
      const finishReason = { unified: finish, raw: finish }
      return { content: text ? [{ type: 'text', text }] : [], finishReason, usage, warnings: [] }
    },
  })
}

export interface Turn {
  readonly text?: string
  /** Each a tool and its input; a text goes as it is. */
  readonly calls?: readonly (readonly [tool: string, input: unknown])[]
  readonly finish?: Finish
}

/** A model that streams these turns, then the last one for ever. */
export function modelThatStreams(...turns: readonly Turn[]) {
  let at = 0
  return new MockLanguageModelV4({
    doStream: async () => {
      const turn = turns[Math.min(at, turns.length - 1)] ?? {}
      return { stream: simulateReadableStream({ chunks: [...chunksOf(turn, at++)] }) }
    },
  })
}

function* chunksOf({ text, calls = [], finish = calls.length ? 'tool-calls' : 'stop' }: Turn, at: number) {
  if (text !== undefined) {
    yield { type: 'text-start', id: '1' } as const
    for (const delta of text.match(/[\s\S]{1,5}/g) ?? []) yield { type: 'text-delta', id: '1', delta } as const
    yield { type: 'text-end', id: '1' } as const
  }
  for (const [number, [toolName, input]] of calls.entries()) {
    const written = typeof input === 'string' ? input : JSON.stringify(input)
    yield { type: 'tool-call', toolCallId: `call-${at}-${number}`, toolName, input: written } as const
  }
  yield { type: 'finish', finishReason: { unified: finish, raw: finish }, usage } as const
}

export interface Request {
  readonly headers: IncomingMessage['headers']
  readonly body: Record<string, unknown>
}

export interface Reply {
  readonly text?: string
  readonly calls?: Turn['calls']
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Never answers. */
  readonly hangs?: boolean
}

/** Answers with these, the last one for ever. Gone when the test ends. */
export async function openAiServer(...replies: readonly Reply[]) {
  const requests: Request[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    requests.push({ headers: request.headers, body })
    const reply = replies[Math.min(requests.length, replies.length) - 1] ?? {}
    if (reply.hangs) return
    answer(reply, body.stream === true, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { requests, url: `http://127.0.0.1:${port}/v1`, model: `openai-compatible:http://127.0.0.1:${port}/v1#llama` }
}

const tokens = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 }

function answer(reply: Reply, isStream: boolean, response: ServerResponse): void {
  const { text, calls = [], status = 200, headers = {} } = reply
  const toolCalls = calls.map(([name, input], index) => {
    const written = typeof input === 'string' ? input : JSON.stringify(input)
    return { index, id: `call-${index}`, type: 'function', function: { name, arguments: written } }
  })
  const said = { role: 'assistant', content: text ?? null, ...(toolCalls.length && { tool_calls: toolCalls }) }
  const finish = toolCalls.length ? 'tool_calls' : 'stop'
  const common = { id: 'x', created: 1, model: 'llama' }
  if (status !== 200) {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify({ error: { message: text ?? 'no', type: 'server', code: null } }))
    return
  }
  if (!isStream) {
    response.writeHead(200, { 'content-type': 'application/json', ...headers })
    const choices = [{ index: 0, message: said, finish_reason: finish }]
    response.end(JSON.stringify({ ...common, object: 'chat.completion', choices, usage: tokens }))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
  const send = (rest: object) =>
    response.write(`data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', ...rest })}\n\n`)
  send({ choices: [{ index: 0, delta: said, finish_reason: null }] })
  send({ choices: [{ index: 0, delta: {}, finish_reason: finish }] })
  send({ choices: [], usage: tokens })
  response.end('data: [DONE]\n\n')
}
