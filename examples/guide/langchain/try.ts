// Runs the example with a model that is played: it calls one tool and then says what it was told.

import { AIMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { answer } from './answer.ts'

const model = fakeModel()
  .respondWithTools([{ name: 'wc', args: { files: ['notes.md'], lines: true }, id: 'c1' }])
  .respond((messages) => new AIMessage(`It read ${JSON.stringify(messages.at(-1)?.content)}`))
console.log(await answer(model, 'How many lines has notes.md?'))
