// Any tool from any front: every kind through every way in gives the same value, the same verdict for a call that is denied, that
// asks or that is invalid, and the same entries in the journal.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isObject } from '../../src/base/json.ts'
import { createLegwork } from '../../src/index.ts'
import type { Entry } from '../../src/model/entry.ts'
import { needs } from '../support/skill.ts'
import { withoutDeno } from '../support/toolscripts.ts'
import { type CallThrough, fronts, type Surroundings } from './fronts.ts'
import { inputs, type Kind, kinds, makeProject, modules } from './project.ts'

const scenarios = [
  { name: 'say', input: 'valid', code: undefined, verdict: 'allow', value: { said: 'hi' } },
  { name: 'never', input: 'valid', code: 'denied', verdict: 'deny', value: undefined },
  { name: 'maybe', input: 'valid', code: 'approval-needed', verdict: 'ask', value: undefined },
  { name: 'say', input: 'invalid', code: 'invalid-input', verdict: undefined, value: undefined },
] as const

/** An agent is not offered what the policy denies, so that a call of it is refused before the policy is asked. */
const notOffered = { front: 'agent document', name: 'never' } as const

let around: Surroundings
const seen = new Map<Kind, readonly unknown[]>()

beforeAll(async () => {
  const folder = makeProject()
  around = { folder, legwork: await createLegwork({ configuration: join(folder, 'legwork.jsonc') }) }
})
afterAll(async () => {
  await around.legwork.close()
  rmSync(around.folder, { recursive: true, force: true })
})

describe.each(kinds)('%s', (kind) => {
  for (const [front, callThrough] of Object.entries(fronts)) {
    test.skipIf(front === 'toolscript' && withoutDeno)(`from the ${front}`, async (context) => {
      if (kind === 'skill') needs(context, 'python3')
      const found: unknown[] = []
      for (const { name, input, code, verdict, value } of scenarios) {
        const { result, entries } = await observe(`${modules[kind]}:${name}`, inputs[kind][input], callThrough)
        expect(withoutRecord(result), name).toEqual(value)
        if (front === notOffered.front && name === notOffered.name) {
          expect(entries.at(-1)?.code).toBe('invalid-input')
          found.push(seen.get(kind)?.[found.length])
          continue
        }
        expect(entries.at(-1), name).toMatchObject({ phase: 'end', kind })
        expect([entries.at(-1)?.code, entries.at(-1)?.decision?.verdict], name).toEqual([code, verdict])
        found.push(entries.map(alike))
      }
      // What the first front left in the journal, all the others leave too.
      if (!seen.has(kind)) seen.set(kind, found)
      expect(found).toEqual(seen.get(kind))
    })
  }
})

test('the table has all the kinds and all the ways in', () => {
  expect(kinds.length * Object.keys(fronts).length).toBe(48)
})

/** One call, what came of it, and the entries of that tool. */
async function observe(id: string, input: object, callThrough: CallThrough) {
  const { journal } = around.legwork
  const tool = await around.legwork.tool(id)
  if (!tool) throw new Error(`There is no tool "${id}".`)
  const before = journal.head().seq
  const result = await callThrough(around, tool, input)
  const entries = journal.read({ after: before, tool: id }).toReversed()
  return { result, entries }
}

/** The owner's own code and terminal get the whole record of a document's tool; the value is what its last block gave. */
function withoutRecord(result: unknown): unknown {
  if (!isObject(result) || !('toolDefinition' in result) || !Array.isArray(result.blocks)) return result
  return result.blocks.at(-1)?.[1].result
}

/** An entry without what is different for every call, and for every caller. */
function alike({ phase, tool, kind, input, decision, code, level, process }: Entry) {
  return { phase, tool, kind, input, decision, code, level, argv: process?.argv }
}
