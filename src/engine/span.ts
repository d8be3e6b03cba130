// An OpenTelemetry span per call, where the host has OpenTelemetry. Without it, nothing is even loaded.

import type { Call } from '../model/call.ts'
import type { Outcome } from '../model/outcome.ts'
import { redactedJson } from '../outcome/redacted-json.ts'
import type { EngineParts } from './engine.ts'

/** Where the API keeps what the host registered, whichever copy of it the host uses. */
const registered = Symbol.for('opentelemetry.js.api.1')

export async function traced(call: Call, parts: EngineParts, execute: () => Promise<Outcome>): Promise<Outcome> {
  if (!(registered in globalThis)) return execute()
  const { trace, SpanKind, SpanStatusCode } = await import('@opentelemetry/api')
  const { redactor, traceContent } = parts
  const name = redactor.text(call.tool)
  return trace
    .getTracer('legwork')
    .startActiveSpan(`execute_tool ${name}`, { kind: SpanKind.INTERNAL }, async (span) => {
      try {
        const outcome = await execute()
        span.updateName(`execute_tool ${outcome.tool}`)
        span.setAttributes({
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': outcome.tool,
          'gen_ai.tool.call.id': outcome.callId,
          'legwork.ok': outcome.ok,
          ...(traceContent && {
            'gen_ai.tool.call.arguments': redactedJson(call.input ?? {}, redactor),
            'gen_ai.tool.call.result': outcome.text,
          }),
        })
        if (!outcome.ok) {
          span.setAttribute('error.type', outcome.code)
          span.setStatus({ code: SpanStatusCode.ERROR, message: outcome.message })
        }
        return outcome
      } finally {
        span.end()
      }
    })
}
