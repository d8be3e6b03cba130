// What the report needs and no program does: functions that read the results of the blocks before them.

import { defineTool } from 'legwork'
import { currentBlock } from 'legwork/document'
import { z } from 'zod'

const harmless = { destructive: false, network: false, filesystem: { write: false } } as const

export const share = defineTool({
  name: 'report:share',
  description: 'What part of a whole a number is, in percent',
  input: z.object({ part: z.number(), whole: z.number().positive() }),
  effects: harmless,
  run: ({ part, whole }) => Math.round((1_000 * part) / whole) / 10,
})

export const summary = defineTool({
  name: 'report:summary',
  description: 'Says in a line each what the blocks before it gave, failures included',
  effects: harmless,
  run: (_, { content }) => {
    const results = [...(currentBlock()?.previousResults ?? [])]
    const lines = results.map(([id, { result, error }]) => `${id}: ${error ? error.message : JSON.stringify(result)}`)
    return { title: content, lines }
  },
})
