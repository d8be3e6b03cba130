// The tour's own tools: plain functions with a name, a schema and a word about what they do to the world.

import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from 'legwork'
import { z } from 'zod'

const harmless = { destructive: false, network: false, filesystem: { write: false } } as const

export const tools = [
  defineTool({
    name: 'demo:echo',
    description: 'Says back what it is told',
    input: z.object({ message: z.string() }),
    effects: harmless,
    run: ({ message }) => ({ message }),
  }),
  defineTool({
    name: 'demo:sleep',
    description: 'Waits',
    input: z.object({ ms: z.number() }),
    effects: harmless,
    run: ({ ms }, { signal }) => sleep(ms, 'rested', { signal }),
  }),
  defineTool({
    name: 'demo:leak',
    description: 'Tells secrets',
    effects: harmless,
    run: () => ({
      password: 'correct-horse-battery-staple',
      note: `token ${'ghp_'}${'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'}`,
    }),
  }),
  defineTool({
    name: 'weather:forecast',
    description: 'The weather of a city for the coming days',
    input: z.object({ city: z.string(), days: z.int().min(1).max(7).optional() }),
    effects: harmless,
    run: ({ city, days = 1 }) => `${city}: sunny for ${days} ${days === 1 ? 'day' : 'days'}`,
  }),
  defineTool({
    name: 'shop:buy',
    description: 'Spends money',
    input: z.object({ item: z.string() }),
    effects: { destructive: false, network: true, cost: { billable: true } },
    run: ({ item }) => `bought ${item}`,
  }),
  defineTool({
    name: 'notes:deleteAll',
    description: 'Deletes every note',
    effects: { destructive: true, reversible: false },
    run: () => 'gone',
  }),
  defineTool({
    name: 'notes:empty',
    description: 'Empties a note for good',
    input: z.object({ file: z.string() }),
    effects: { destructive: true, reversible: false },
    run: ({ file }) => `${file} is empty now`,
  }),
]
