import { trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { defineTool } from '../../src/index.ts'
import { openLegwork } from '../support/legwork.ts'

const exporter = new InMemorySpanExporter()

beforeEach(() => {
  exporter.reset()
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
})
afterEach(() => trace.disable())

const echo = defineTool({
  name: 'demo:echo',
  description: '',
  effects: { destructive: false },
  run: (input) => input,
})

test('a call is a span with the tool, the id and how it ended, and without its content', async () => {
  const legwork = await openLegwork({ functions: [echo] })
  const outcome = await legwork.call({ tool: 'demo.echo', input: { message: 'hi' } })
  await legwork.call({ tool: 'nobody' })
  const [one, other] = exporter.getFinishedSpans()
  expect(one).toMatchObject({
    name: 'execute_tool demo:echo',
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'demo:echo',
      'gen_ai.tool.call.id': outcome.callId,
    },
  })
  expect(JSON.stringify(one?.attributes)).not.toContain('hi')
  expect(other).toMatchObject({
    name: 'execute_tool nobody',
    attributes: { 'error.type': 'unknown-tool' },
    status: { code: 2 },
  })
})

test('content is on the span when asked for, and redacted', async () => {
  const legwork = await openLegwork({
    functions: [echo],
    traceContent: true,
    redact: { values: ['swordfish-and-chips'] },
  })
  await legwork.call({ tool: 'demo:echo', input: { message: 'hello swordfish-and-chips' } })
  const attributes = JSON.stringify(exporter.getFinishedSpans()[0]?.attributes)
  expect(attributes).toContain('hello')
  expect(attributes).not.toContain('swordfish')
})

test('an input that JSON cannot hold does not break the span, nor the call', async () => {
  const legwork = await openLegwork({ functions: [echo], traceContent: true })
  const cycle: { self?: unknown } = {}
  cycle.self = cycle
  expect(await legwork.call({ tool: 'demo:echo', input: cycle })).toMatchObject({ ok: false, code: 'invalid-input' })
  expect(exporter.getFinishedSpans()).toHaveLength(1)
})
