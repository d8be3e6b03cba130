// Runs the examples with a model that is played: it calls one tool and then says what it read.

import { MockLanguageModelV4 } from 'ai/test'
import { createLegwork } from 'legwork'
import { answer } from './answer.ts'
import { converse } from './converse.ts'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const said = prompt.at(-1)
    const input = '{"files": ["notes.md"], "lines": true}'
    return said?.role === 'tool'
      ? {
          content: [{ type: 'text', text: `It read ${JSON.stringify(said.content)}` }],
          finishReason: { unified: 'stop', raw: 'stop' },
          ...{ usage, warnings: [] },
        }
      : {
          content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'wc', input }],
          finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
          ...{ usage, warnings: [] },
        }
  },
})
console.log(await answer(model, 'How many lines has notes.md?'))

await using legwork = await createLegwork({
  programs: { wc: {} },
  policy: { ask: ['wc'] },
  journal: { path: ':memory:' },
})
const asked: string[] = []
const yes = async (tool: string, _: unknown, reason = '') => asked.push(`${tool}: ${reason}`) > 0
const text = await converse(legwork, model, [{ role: 'user', content: 'How many lines has notes.md?' }], yes)
if (!text.includes('2 notes.md') || asked.length !== 1) throw new Error(`${asked.join()} ${text}`)
