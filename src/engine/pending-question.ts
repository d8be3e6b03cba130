// What a kept question is about: this caller, this definition of this tool, these arguments; the tool's code too, where its
// source tells of it. Change one and it is another question.

import { createHash } from 'node:crypto'
import { canonicalJson, messageOf, toJson } from '../base/json.ts'
import type { ShownRequest } from '../model/approval.ts'
import { type Caller, callerName, libraryCaller } from '../model/call.ts'
import type { Tool } from '../model/tool.ts'
import { jsonSchemaOf } from '../validate/json-schema-of.ts'
import type { Asking } from './approve.ts'
import type { EngineParts } from './engine.ts'
import type { PendingCalls, Waited } from './pending.ts'
import type { CallRecord } from './record.ts'

export async function askElsewhere(
  { redactor, policy }: EngineParts,
  pending: PendingCalls,
  record: CallRecord,
  asking: Asking,
  request: ShownRequest,
): Promise<Waited> {
  const { caller = libraryCaller, approvalWaitMs = 0, signal } = asking.call
  const timeoutMs = policy.approvalTimeoutMs
  const waiting = { waitMs: approvalWaitMs, signal, whenEnded: () => record.whenEnded() }
  try {
    const key = keyOf(asking)
    if (key === undefined) return { answer: 'not-kept', reason: 'The input is more than JSON can hold.' }
    const question = { key, asker: askerOf(caller), caller: redactor.text(callerName(caller)), request, timeoutMs }
    return await pending.ask(question, waiting)
  } catch (error) {
    return { answer: 'not-kept', reason: messageOf(error) }
  }
}

/** Undefined where two calls could not be told apart. */
function keyOf({ tool, checked, call }: Asking): string | undefined {
  const { front, name, session, readOnly } = call.caller ?? libraryCaller
  const { input, plan } = checked
  const told = toJson([[front, name, session, readOnly === true], definition(tool), input, call.content, plan])
  return told.ok ? createHash('sha256').update(canonicalJson(told.json)).digest('hex') : undefined
}

function definition({ id, kind, source, description, input, effects, trust, labels, fingerprint }: Tool): unknown {
  return { id, kind, source, description, input: jsonSchemaOf(input), effects, trust, labels, runs: fingerprint?.() }
}

/** Whose questions are counted together: nobody chooses that, as they do their name. */
function askerOf({ front, session, isOneOfMany }: Caller): string {
  const asker = session === undefined || isOneOfMany ? front : `${front} ${session}`
  return createHash('sha256').update(asker).digest('hex')
}
