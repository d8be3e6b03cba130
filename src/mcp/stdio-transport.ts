// Joins a server that was started as a process to the SDK: one message a line.

import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { isObject, parseJson } from '../base/json.ts'
import type { ProcessResult } from '../run/process.ts'
import { type StartRequest, type StayingProcess, startProcess } from '../run/start-process.ts'

export interface StdioTransport extends Transport {
  /** What the SDK knows such a transport by: then a server that does not answer its first question is asked in the old way. */
  readonly pid: number | null
  readonly stderr: null
  /** Why there is no connection any more, with the last lines that the server wrote; undefined while it runs. */
  readonly fault: () => string | undefined
  /** The last lines that the server wrote to standard error. */
  readonly said: () => string
}

export interface StdioParts {
  readonly parse: (line: string) => JSONRPCMessage
  readonly serialize: (message: JSONRPCMessage) => string
  readonly maxMessageBytes: number
}

/** How much of what a server writes to standard error is kept, from the end. */
const keptErrorLength = 2_000
const shownErrorLines = 3

export function stdioTransport(request: Omit<StartRequest, 'onOutput'>, parts: StdioParts): StdioTransport {
  const { parse, serialize, maxMessageBytes } = parts
  let server: StayingProcess | undefined
  let ended: ProcessResult | undefined
  let tooLarge = false
  let isDeaf = false
  let closed = false
  let errors = ''
  let rest = ''

  const take = (line: string) => {
    if (line.trim() === '') return
    const message = messageOf(line, parse)
    if (!message) return
    // The SDK looks at a notification a moment later; one about a call must come before its answer.
    if ('method' in message) transport.onmessage?.(message)
    else queueMicrotask(() => transport.onmessage?.(message))
  }
  const read = (text: string) => {
    if (tooLarge) return
    const lines = text.split('\n')
    lines[0] = rest + lines[0]
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
    if (rest.length <= maxMessageBytes) return
    tooLarge = true
    rest = ''
    void transport.close()
  }
  const onOutput = (stream: 'stdout' | 'stderr', text: string) => {
    if (stream === 'stdout') read(text)
    else errors = (errors + text).slice(-keptErrorLength)
  }
  const onEnd = (result: ProcessResult) => {
    ended = result
    if (closed) return
    closed = true
    transport.onclose?.()
  }

  const transport: StdioTransport = {
    stderr: null,
    get pid() {
      return server?.pid ?? null
    },
    start: async () => {
      const started = await startProcess({ ...request, onOutput })
      if (!started.started) {
        ended = started.ended
        throw new Error(transport.fault())
      }
      server = started
      void started.ended.then(onEnd)
      // Nobody waited for it.
      if (closed) await started.end()
    },
    send: async (message) => {
      if (!server || closed) throw new Error(transport.fault() ?? 'It was stopped.')
      if (server.write(serialize(message))) return
      isDeaf = true
      void transport.close()
      throw new Error(transport.fault())
    },
    close: async () => {
      const isFirst = !closed
      closed = true
      await server?.end()
      if (isFirst) transport.onclose?.()
    },
    said: () => lastLines(errors),
    fault: () => {
      if (tooLarge) return `It sent a message of more than ${maxMessageBytes} bytes and was stopped.`
      if (isDeaf) return 'It did not read what it was sent and was stopped.'
      if (!ended) return undefined
      const said = lastLines(errors)
      return said ? `${endOf(ended)} It said: ${said}` : endOf(ended)
    },
  }
  return transport
}

/** Nothing for a line that is no message: servers print what they should not. An answer that breaks the rules fails its call. */
function messageOf(line: string, parse: (line: string) => JSONRPCMessage): JSONRPCMessage | undefined {
  try {
    return parse(line)
  } catch {
    const parsed = parseJson(line)
    const id = parsed.ok && isObject(parsed.value) && !('method' in parsed.value) ? parsed.value.id : undefined
    if (typeof id !== 'string' && typeof id !== 'number') return undefined
    return {
      jsonrpc: '2.0',
      id,
      error: { code: invalidAnswer, message: 'The server sent an answer that breaks the protocol.' },
    }
  }
}

const invalidAnswer = -32_603

function endOf(result: ProcessResult): string {
  if (!result.started) return result.message
  const { exitCode, signal } = result.report
  return signal ? `It was ended by ${signal}.` : `It ended with exit code ${exitCode}.`
}

/** The error that a crash was told with, else the last lines: behind an error stands where it happened, which helps nobody. */
function lastLines(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const error = lines.findLast((line) => /^(Uncaught )?[\w.]*(Error|Exception)\b[^:]{0,80}:/.test(line))
  return error?.trim() ?? lines.slice(-shownErrorLines).join(' | ').trim()
}
