// Any tool from any front: every kind through every way in gives the same value, the same verdict for a call that is denied, that
// asks or that is invalid, and the same entries in the journal.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLegwork } from '../../src/index.ts'
import type { Entry } from '../../src/model/entry.ts'
import { withoutDeno } from '../support/toolscripts.ts'
import { type CallThrough, fronts, type Surroundings } from './fronts.ts'
import { inputs, type Kind, kinds, makeProject, modules } from './project.ts'

const scenarios = [
  { name: 'say', input: 'valid', code: undefined, verdict: 'allow', value: { said: 'hi' } },
  { name: 'never', input: 'valid', code: 'denied', verdict: 'deny', value: undefined },
  { name: 'maybe', input: 'valid', code: 'approval-needed', verdict: 'ask', value: undefined },
  { name: 'say', input: 'invalid', code: 'invalid-input', verdict: undefined, value: undefined },
] as const

/** Parts that are not there, each with what is missing; the table is whole when this is empty. */
const stillToCome: Readonly<Record<string, string>> = {
  'the kind document': 'the tools of configured documents are not in the catalogue',
  'the front MCP client': 'the gateway has no /mcp',
}

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
    const isStillToCome = `the kind ${kind}` in stillToCome || `the front ${front}` in stillToCome
    const isMissing = isStillToCome || (front === 'toolscript' && withoutDeno)
    test.skipIf(isMissing)(`from the ${front}`, async () => {
      const found: unknown[] = []
      for (const { name, input, code, verdict, value } of scenarios) {
        const { result, entries } = await observe(`${modules[kind]}:${name}`, inputs[kind][input], callThrough)
        expect(result, name).toEqual(value)
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

/** An entry without what is different for every call, and for every caller. */
function alike({ phase, tool, kind, input, decision, code, level, process }: Entry) {
  return { phase, tool, kind, input, decision, code, level, argv: process?.argv }
}
