// A small engine with some functions, and a document run on it.

import { onTestFinished } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { Catalogue } from '../../src/catalogue/catalogue.ts'
import type { Document } from '../../src/document/document.ts'
import type { DocumentOptions } from '../../src/document/options.ts'
import { type DocumentRun, runDocument } from '../../src/document/run.ts'
import { createEngine, type Engine } from '../../src/engine/engine.ts'
import { defineTool, type FunctionTool } from '../../src/function/define-tool.ts'
import { functionSource } from '../../src/function/source.ts'
import type { Journal } from '../../src/journal/journal.ts'
import { memoryJournal } from '../../src/journal/memory.ts'
import type { Approve } from '../../src/model/decision.ts'
import { createRedactor } from '../../src/outcome/redact.ts'
import { makePolicy } from '../../src/policy/policy.ts'

export const harmless = { destructive: false, network: false, filesystem: { write: false } } as const

export const say = defineTool({
  name: 'say',
  description: 'Says its words, else its content',
  effects: harmless,
  run: ({ words }, { content }) => words ?? content,
})

export const fail = defineTool({
  name: 'fail',
  description: 'Fails',
  effects: harmless,
  run: () => {
    throw new Error('it broke')
  },
})

export interface SmallEngine extends Engine {
  readonly journal: Journal
  readonly run: (text: string, options?: DocumentOptions) => Promise<DocumentRun>
  readonly document: (given: Document | string, options?: DocumentOptions) => Promise<DocumentRun>
}

export async function smallEngine(
  tools: readonly FunctionTool[] = [],
  options: { readonly approve?: Approve; readonly secrets?: readonly string[] } = {},
): Promise<SmallEngine> {
  const catalogue = new Catalogue()
  await catalogue.add(functionSource('functions', [say, fail, ...tools]))
  const journal = memoryJournal()
  onTestFinished(() => journal.close())
  const redactor = createRedactor({ values: options.secrets ?? [] })
  const engine = createEngine({
    catalogue,
    policy: makePolicy(),
    journal,
    redactor,
    clock: systemClock,
    approve: options.approve,
  })
  const document: SmallEngine['document'] = (given, runOptions) =>
    runDocument({ ...engine, redact: redactor.text }, given, runOptions)
  return { ...engine, journal, document, run: document }
}

/** A document of blocks that say their own id; `fail` for those that are named so. */
export function documentOf(...ids: readonly string[]): string {
  const block = (id: string) =>
    id.startsWith('fail')
      ? `<fncall id="${id}" idyll-tool="fail"/>`
      : `<fncall id="${id}" idyll-tool="say"><params>{"words": "${id}"}</params></fncall>`
  return `<document>${ids.map(block).join('')}</document>`
}
