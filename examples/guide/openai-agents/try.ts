// Runs the example with a model that is played: it calls one tool and then says that it is done.

import { setTracingDisabled } from '@openai/agents'
import { assistantMessage, functionCall, modelResponse, ScriptedModel } from '@openai/agents/testing'
import { answer } from './answer.ts'

setTracingDisabled(true)
const call = functionCall('wc', { files: ['notes.md'], lines: true }, { callId: 'c1' })
const model = new ScriptedModel([modelResponse([call]), modelResponse([assistantMessage('done')])])
console.log(await answer(model, 'How many lines has notes.md?'))
console.log(JSON.stringify(model.lastCall?.request.input))
