// What a language model does for custom tools: it finds the values of variables, and says what of an isolated run returns.

import { expect, onTestFinished, test } from 'vitest'
import { modelExtractor, modelResolver } from '../../src/adapters/ai-sdk.ts'
import { Engine } from '../../src/doors/document.ts'
import { modelThatSays } from '../adapters/models.ts'

const research = (isolated: boolean) => `<document><tool title="Research" isolated="${isolated}"><tool:definition>
  <fncall idyll-tool="find"><content><variable name="topic" prompt="What to look for" /></content></fncall>
  <fncall idyll-tool="find"><content>more of <variable name="topic" /></content></fncall>
</tool:definition></tool></document>`

const tools: Record<string, { execute: (params: unknown, content: string) => unknown }> = {
  find: { execute: (_, content) => `found ${content}` },
}

test('001/Custom tool variables: their values are found at run time by a model, in one question', async () => {
  const model = modelThatSays(JSON.stringify({ topic: 'rain' }))
  const engine = new Engine({ tools, documents: [research(false)], resolveVariables: modelResolver(model) })
  onTestFinished(() => engine.close())
  expect(await engine.call('Research', {}, 'How wet will it be?')).toMatchObject({
    ok: true,
    text: 'found more of rain',
  })
  expect(model.doGenerateCalls).toHaveLength(1)
  expect(JSON.stringify(model.doGenerateCalls)).toContain('What to look for')
})

test('001/Subprocess returns relevant results: what the model says of an isolated run is all that returns', async () => {
  const engine = new Engine({
    tools,
    documents: [research(true)],
    resolveVariables: () => ({ topic: 'rain' }),
    extract: modelExtractor(modelThatSays('It will rain.')),
  })
  onTestFinished(() => engine.close())
  expect(await engine.call('Research', {}, 'How wet will it be?')).toMatchObject({ ok: true, text: 'It will rain.' })
})
