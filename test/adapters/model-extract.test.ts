// The one result of an isolated run by a language model.

import { expect, onTestFinished, test } from 'vitest'
import { modelExtractor } from '../../src/adapters/ai-sdk.ts'
import { Engine } from '../../src/doors/document.ts'
import { modelThatSays } from './models.ts'

const tool = `<document><tool title="Research" isolated="true"><tool:definition>
  <fncall idyll-tool="find"><content>rain</content></fncall>
  <fncall idyll-tool="find"><content>snow</content></fncall>
</tool:definition></tool></document>`

async function research(model: ReturnType<typeof modelThatSays>, redact?: (text: string) => string) {
  const engine = new Engine({
    tools: { find: { execute: (_, content) => `${content} hunter2-hunter2` } },
    documents: [tool],
    extract: modelExtractor(model, { maxRetries: 0, ...(redact && { redact }) }),
  })
  onTestFinished(() => engine.close())
  return engine.call('Research', {}, 'How is the weather?')
}

test('the model is told what was asked and what each block gave, and its words are what returns', async () => {
  const model = modelThatSays('Wet.')
  const outcome = await research(model)
  expect(outcome).toMatchObject({ ok: true, text: 'Wet.', modelUse: { calls: 1, inputTokens: 10 } })
  const told = JSON.stringify(model.doGenerateCalls[0]?.prompt)
  for (const part of ['How is the weather?', 'rain', 'snow']) expect(told).toContain(part)
})

test('no secret reaches the model', async () => {
  const model = modelThatSays('Wet.')
  await research(model, (text) => text.replaceAll('hunter2-hunter2', '[REDACTED]'))
  expect(JSON.stringify(model.doGenerateCalls)).not.toContain('hunter2')
})

test('nothing hidden reaches the model, and its thoughts reach nobody', async () => {
  const model = modelThatSays('<think>hm</think>\n\nWet.')
  const engine = new Engine<Record<string, unknown>>({
    tools: { find: { execute: () => 'a\u{e0049}\u202e\u001b[2Jb' } },
    documents: [tool],
    extract: modelExtractor(model),
  })
  onTestFinished(() => engine.close())
  expect(await engine.call('Research', {}, 'x\u{e0049}y')).toMatchObject({ ok: true, text: 'Wet.' })
  const told = JSON.stringify(model.doGenerateCalls[0]?.prompt)
  expect(told).toContain('a<U+202E>b')
  expect(told).not.toMatch(/[\u{e0049}\u202e\u001b]/u)
})

test.each([
  ['breaks off', new Error('no route')],
  ['refuses', { text: '', finish: 'content-filter' as const }],
  ['is cut off', { text: 'We', finish: 'length' as const }],
  ['says nothing', ' '],
])('where the model %s, the last block’s result returns, with a warning', async (_, answer) => {
  const outcome = await research(modelThatSays(answer))
  expect(outcome).toMatchObject({ ok: true, text: expect.stringContaining('snow') })
  expect(outcome.warnings.join()).toContain('the extractor failed')
})
