// What a question to a person is about: this caller, with the calls above it, this definition of this tool, these arguments; the
// tool's code too, where its source tells of it. Change one and it is another question.

import { createHash } from 'node:crypto'
import { canonicalJson, toJson } from '../base/json.ts'
import { type Call, libraryCaller } from '../model/call.ts'
import type { Tool } from '../model/tool.ts'
import { jsonSchemaOf } from '../validate/json-schema-of.ts'
import type { Valid } from './check.ts'

/** Undefined where two calls could not be told apart. */
export function questionKey(tool: Tool, { input, plan }: Valid, { caller, content, above }: Call): string | undefined {
  const { front, name, session, readOnly } = caller ?? libraryCaller
  const behind = above?.key()
  if (above && behind === undefined) return undefined
  const told = toJson([[front, name, session, readOnly === true], behind, definition(tool), input, content, plan])
  return told.ok ? createHash('sha256').update(canonicalJson(told.json)).digest('hex') : undefined
}

function definition({ id, kind, source, description, input, effects, trust, labels, fingerprint }: Tool): unknown {
  return { id, kind, source, description, input: jsonSchemaOf(input), effects, trust, labels, runs: fingerprint?.() }
}
