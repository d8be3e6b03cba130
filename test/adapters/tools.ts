// The same few tools for every adapter: one that answers, one that fails, one that asks, one that is denied, one that takes a list;
// a program that runs for hours, and a server that gives pictures.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { defineTool, type Legwork, type LegworkOptions } from '../../src/index.ts'
import { endProcessesWith, processesWith, uniqueSeconds } from '../fixtures/run/support.ts'
import { openLegwork } from '../support/legwork.ts'
import { temporaryFolder } from '../support/temporary.ts'

export const runs: string[] = []

const harmless = { destructive: false, network: false, filesystem: { write: false } }

const echo = defineTool({
  name: 'demo:echo',
  description: 'Says it back.',
  effects: harmless,
  input: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  run: ({ message }) => ({ message }),
})

const fail = defineTool({
  name: 'demo:fail',
  description: 'Fails.',
  effects: harmless,
  run: () => {
    throw new Error('it broke, with hunter2-hunter2 in it')
  },
})

export const remover = defineTool({
  name: 'demo:remove',
  description: 'Removes a thing.',
  effects: { destructive: true },
  input: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
  run: ({ what }) => {
    runs.push(String(what))
    return 'removed'
  },
})

const count = defineTool({
  name: 'demo:count',
  description: 'Counts words.',
  effects: harmless,
  input: { type: 'array', items: { $ref: '#/$defs/word' }, $defs: { word: { type: 'string' } } },
  run: (words) => words,
})

const buy = defineTool({
  name: 'demo:buy',
  description: 'Buys.',
  effects: { ...harmless, cost: { billable: true } },
  run: () => runs.push('bought'),
})

export function openTools(options: LegworkOptions = {}) {
  runs.length = 0
  return openLegwork({
    functions: [echo, fail, remover, count, buy],
    policy: { deny: ['demo:buy'] },
    redact: { values: ['hunter2-hunter2'] },
    ...options,
  })
}

/** A Legwork with a program that sleeps for hours. */
export async function openSlow() {
  const folder = temporaryFolder()
  const seconds = uniqueSeconds()
  onTestFinished(() => endProcessesWith(seconds))
  writeFileSync(join(folder, 'slow.sh'), `#!/bin/sh\nsleep ${seconds} &\nsleep ${seconds}\n`, { mode: 0o755 })
  const commands = { '': { description: 'Sleeps', effects: harmless } }
  writeFileSync(
    join(folder, 'slow.json'),
    JSON.stringify({ atip: '0.6', name: 'slow', description: 'Sleeps', commands }),
  )
  const slow = { metadata: join(folder, 'slow.json'), command: join(folder, 'slow.sh'), trust: 'vendor' } as const
  const legwork = await openLegwork({ programs: { slow }, limits: { timeoutMs: 600_000 } })
  return { legwork, isRunning: () => processesWith(seconds).length > 0 }
}

/** Starts something that runs the slow program, gives it up as soon as it runs, and waits until it is gone. */
export async function giveUp(
  { legwork, isRunning }: { legwork: Legwork; isRunning: () => boolean },
  start: (signal: AbortSignal) => PromiseLike<unknown>,
): Promise<void> {
  const controller = new AbortController()
  const over = Promise.resolve(start(controller.signal)).catch(() => undefined)
  await expect.poll(isRunning, { timeout: 15_000 }).toBe(true)
  controller.abort()
  await over
  await expect.poll(isRunning, { timeout: 15_000 }).toBe(false)
  await expect.poll(() => legwork.journal.read({ phase: 'end' })).toMatchObject([{ tool: 'slow', code: 'cancelled' }])
}

/** A Legwork with a server whose tools give a picture, and a picture among other things. */
export function openPictures() {
  const server = join(import.meta.dirname, '../fixtures/mcp/conformance-server.ts')
  const ours = { trust: 'org', pin: 'off', include: ['test_image_content', 'test_multiple_content_types'] } as const
  return openLegwork({
    mcpServers: { test: { command: process.execPath, args: [server], legwork: ours } },
    policy: { allow: ['test:*'] },
  })
}

/** A Legwork with a server that has one tool more once its tool `change` was called. */
export function openChanging() {
  const server = join(import.meta.dirname, '../fixtures/mcp/server.ts')
  const ours = { trust: 'org', pin: 'off' } as const
  return openLegwork({
    mcpServers: { x: { command: process.execPath, args: [server], legwork: ours } },
    policy: { allow: ['x:*'] },
  })
}
