// A gateway on a real engine, with a few functions as tools, its token and what a client needs. Everything is gone when the test ends.

import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { Catalogue } from '../../src/catalogue/catalogue.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { functionSource } from '../../src/function/source.ts'
import { createGateway, type Gateway, type GatewayOptions } from '../../src/gateway/gateway.ts'
import type { GatewayParts } from '../../src/gateway/parts.ts'
import { gatewayToken } from '../../src/gateway/token-file.ts'
import { defineTool } from '../../src/index.ts'
import type { Journal } from '../../src/journal/journal.ts'
import { memoryJournal } from '../../src/journal/memory.ts'
import { createRedactor } from '../../src/outcome/redact.ts'
import { makePolicy } from '../../src/policy/policy.ts'
import { temporaryFolder } from './temporary.ts'

const harmless = { destructive: false, network: false, filesystem: { write: false } } as const

export interface OpenParts {
  readonly parts: GatewayParts
  readonly catalogue: Catalogue
  readonly journal: Journal
  /** How many calls of `demo:wait` were stopped. */
  readonly stopped: () => number
  /** Settles when `demo:wait` has begun. */
  readonly waiting: Promise<void>
  /** How often the client's text was made. */
  readonly made: () => number
}

export async function openParts(): Promise<OpenParts> {
  let stopped = 0
  let made = 0
  const begun = Promise.withResolvers<void>()
  const message = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] } as const
  const tools = [
    defineTool({
      name: 'demo:echo',
      description: 'Says it back',
      input: message,
      effects: harmless,
      run: (input) => input,
    }),
    defineTool({
      name: 'demo:prose',
      description: 'Tells the prose and the caller',
      effects: harmless,
      run: (_, { content, caller }) => ({ content, caller: { ...caller } }),
    }),
    defineTool({ name: 'demo:write', description: 'Writes', effects: { destructive: false }, run: () => 'written' }),
    defineTool({ name: 'demo:destroy', description: 'Destroys', effects: { destructive: true }, run: () => 'gone' }),
    defineTool({
      name: 'demo:fail',
      description: 'Fails',
      effects: harmless,
      run: () => {
        throw new Error('it broke')
      },
    }),
    defineTool({
      name: 'demo:wait',
      description: 'Waits until it is stopped',
      effects: harmless,
      run: (_, { signal }) => {
        begun.resolve()
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            stopped++
            resolve('stopped')
          })
        })
      },
    }),
  ]
  const catalogue = new Catalogue()
  await catalogue.add(functionSource('functions', tools))
  const journal = memoryJournal()
  onTestFinished(() => journal.close())
  const { execute, executeTool } = createEngine({
    catalogue,
    policy: makePolicy({}),
    journal,
    redactor: createRedactor({}),
    clock: systemClock,
  })
  const parts: GatewayParts = {
    tools: () => catalogue.list(),
    search: (words, most) => catalogue.search(words, most),
    execute: (call) => execute(call),
    executeTool: (definition, call) => executeTool(definition, call),
    onChange: (listener) => catalogue.onChange(listener),
    runtime: {
      client: (list) => {
        made++
        return `export const names = ${JSON.stringify(list.map(({ id }) => id))}`
      },
      declarations: (list) => `export const names: ${list.length}`,
    },
  }
  return { parts, catalogue, journal, stopped: () => stopped, waiting: begun.promise, made: () => made }
}

export interface OpenGateway extends OpenParts {
  readonly gateway: Gateway
  readonly token: string
  readonly folder: string
  readonly port: number
  /** A request as a good client makes it; what is given goes before. */
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>
  readonly post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>
}

export async function openGateway(options: GatewayOptions = {}): Promise<OpenGateway> {
  const opened = await openParts()
  const folder = temporaryFolder()
  const gateway = await createGateway(opened.parts, { folder, ...options })
  onTestFinished(() => gateway.stop())
  const token = gatewayToken(gateway.url, { folder, environment: {} })
  const ask = (path: string, { headers, ...init }: RequestInit = {}) =>
    fetch(`${gateway.url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...Object.fromEntries(new Headers(headers)) },
    })
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  return { ...opened, gateway, token, folder, port: Number(new URL(gateway.url).port), ask, post }
}

/** Sends bytes as they are and gives everything that comes back until the server hangs up. */
export function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.setEncoding('utf8').on('data', (more: string) => {
      answer += more
    })
    socket.on('error', () => {}).on('close', () => resolve(answer))
  })
}

/** The status lines in what came back. */
export function statuses(answer: string): string[] {
  return [...answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status ?? '')
}

/** Whether somebody listens on a port. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
