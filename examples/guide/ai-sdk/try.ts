// Runs the example with a model that is played: it calls one tool and then says what it read.

import { MockLanguageModelV4 } from 'ai/test'
import { answer } from './answer.ts'

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
