// From text to the parts of a document, and everything that is wrong with it.

import { count } from '../base/text.ts'
import { Builder, type Found } from './build.ts'
import { parametersHint } from './call-parts.ts'
import type { Block, Document, StoredParameters } from './document.ts'
import { type DocumentFault, type Finding, faultsOf, inTextOrder, isWarning } from './faults.ts'
import { lineAt, lineStarts } from './frames.ts'
import { identify } from './identify.ts'
import { readSyntax } from './syntax.ts'

/** A document without what can be done with it. */
export interface DocumentContent
  extends Pick<
    Document,
    | 'root'
    | 'text'
    | 'attributes'
    | 'source'
    | 'blocks'
    | 'allBlocks'
    | 'calls'
    | 'triggers'
    | 'tools'
    | 'variables'
    | 'operations'
    | 'warnings'
  > {
  readonly byId: ReadonlyMap<string, Block>
}

export interface Read {
  readonly faults: readonly DocumentFault[]
  /** There is none when the text is not well-formed or has no root that we know. */
  readonly content?: DocumentContent
}

export function readDocumentText(text: string): Read {
  const builder = new Builder(text)
  const syntax = readSyntax(text, builder)
  const { root, allBlocks, found } = builder
  const byId = identify(text, allBlocks, (finding) => builder.report({ finding }))
  const more = moreFaults(syntax.dropped + builder.dropped, text.length)
  const all = faultsOf(text, [...found.map((one) => withIds(one, allBlocks)), ...syntax.findings, ...more])
  giveParameters(found, all)
  giveUnlisted(text, builder.unlisted)
  const faults = inTextOrder(all.filter((fault) => !isWarning(fault)))
  const warnings = inTextOrder(all.filter(isWarning))
  if (!root || syntax.findings.length > 0) return { faults }
  const isDiff = root.element === 'diff'
  const { attributes, blocks, source } = root
  const [calls, triggers, tools] = isDiff ? [[], [], []] : [builder.calls, builder.triggers, builder.tools]
  const content: DocumentContent = {
    ...{ root: root.element === 'agent' ? 'agent' : isDiff ? 'diff' : 'document', text, attributes, source, blocks },
    ...{ allBlocks: Object.freeze(allBlocks), calls: Object.freeze(calls), triggers: Object.freeze(triggers) },
    ...{ tools: Object.freeze(tools), variables: isDiff ? [] : builder.scope.declarations() },
    ...{ operations: Object.freeze(builder.operations), warnings, byId },
  }
  return { faults, content }
}

function moreFaults(dropped: number, offset: number): Finding[] {
  if (dropped === 0) return []
  const message = `There are ${count(dropped, 'more fault')}, which are not listed.`
  return [{ code: 'MORE_FAULTS', message, hint: 'Mend the others first.', offset }]
}

function withIds({ finding, blockAt, toolAt }: Found, blocks: readonly Block[]): Finding {
  const blockId = blockAt === undefined ? undefined : blocks[blockAt]?.id
  const toolId = toolAt === undefined ? undefined : blocks[toolAt]?.id
  return { ...finding, ...(blockId && { blockId }), ...(toolId && { toolId }) }
}

/** Parameters know their own fault, so that whoever runs the block can tell it. */
function giveParameters(found: readonly Found[], faults: readonly DocumentFault[]): void {
  for (const [at, { parameters }] of found.entries()) {
    if (parameters) Object.freeze(Object.assign(parameters, { fault: faults[at] }))
  }
}

/** They know where they stand and no more: the lines around each of very many would fill the memory. */
function giveUnlisted(text: string, unlisted: readonly StoredParameters[]): void {
  if (unlisted.length === 0) return
  const starts = lineStarts(text)
  for (const parameters of unlisted) {
    const offset = parameters.source.start
    const line = lineAt(starts, offset)
    const place = { line, column: offset - (starts[line - 1] ?? 0) + 1, frame: '', offset }
    const message = 'The parameters are no JSON object.'
    const fault = Object.freeze({ code: 'INVALID_PARAMETERS', message, hint: parametersHint, ...place })
    Object.freeze(Object.assign(parameters, { fault }))
  }
}
