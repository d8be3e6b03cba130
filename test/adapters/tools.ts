// The same few tools for every adapter: one that answers, one that fails, one that asks, one that is denied.

import { defineTool, type LegworkOptions } from '../../src/index.ts'
import { openLegwork } from '../support/legwork.ts'

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

const remove = defineTool({
  name: 'demo:remove',
  description: 'Removes a thing.',
  effects: { destructive: true },
  input: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
  run: ({ what }) => {
    runs.push(String(what))
    return 'removed'
  },
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
    functions: [echo, fail, remove, buy],
    policy: { deny: ['demo:buy'] },
    redact: { values: ['hunter2-hunter2'] },
    ...options,
  })
}
