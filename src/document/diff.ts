// Applies a `<diff>` to a document: operation after operation on one tree, all or nothing. What no operation names stays as it is,
// letter by letter. Faults are told where they stand in the diff.

import type { Applied } from './document.ts'
import { type DocumentFault, type Finding, faultsOf, inTextOrder } from './faults.ts'
import { lineStarts } from './frames.ts'
import { perform } from './operations.ts'
import { operationAt, type Patch, patchedText, startPatch } from './patch.ts'
import { type DocumentContent, readDocumentText } from './read.ts'

export function applyDiff(content: DocumentContent, diffText: string): Applied {
  const read = readDocumentText(diffText)
  const diff = read.content
  if (!diff || read.faults.length > 0) return { ok: false, faults: read.faults }
  const misfit = misfitOf(content, diff)
  if (misfit) return { ok: false, faults: faultsOf(diffText, [misfit]) }
  const patch = startPatch(content, diffText)
  const findings = diff.operations.map((operation) => perform(patch, operation)).filter((one) => one !== undefined)
  if (findings.length > 0) return { ok: false, faults: inTextOrder(faultsOf(diffText, findings)) }
  const text = patchedText(patch)
  const { faults } = readDocumentText(text)
  if (faults.length === 0) return { ok: true, text, warnings: diff.warnings }
  return { ok: false, faults: inTextOrder(faultsOf(diffText, made(faults, text, patch, diff))) }
}

function misfitOf(content: DocumentContent, diff: DocumentContent): Finding | undefined {
  const offset = diff.source.start
  if (diff.root !== 'diff') {
    return { code: 'NOT_A_DIFF', message: `This is a <${diff.root}>.`, hint: 'A diff begins with <diff>.', offset }
  }
  if (content.root === 'diff') {
    const hint = 'Apply it to a <document> or an <agent>.'
    return { code: 'NOT_A_DOCUMENT', message: 'A diff cannot be applied to another diff.', hint, offset }
  }
  const { targetDocument: target } = diff.attributes
  if (target === undefined || target === content.attributes.id) return undefined
  const found = content.attributes.id === undefined ? 'has no id' : `is "${content.attributes.id}"`
  const message = `The diff is for the document "${target}"; this one ${found}.`
  return { code: 'WRONG_TARGET', message, hint: 'Apply it to the other, or leave targetDocument out.', offset }
}

/** Looking for its operation takes time for each fault. */
const mostTraced = 1_000

/** Faults of the changed text, each at the operation that made it. */
function made(faults: readonly DocumentFault[], text: string, patch: Patch, diff: DocumentContent): Finding[] {
  const at = operationAt(patch)
  const starts = lineStarts(text)
  const findings = faults.slice(0, mostTraced).map(({ code, message, hint, offset, related, blockId }): Finding => {
    const other = related ? [(starts[related.line - 1] ?? 0) + related.column - 1] : []
    const place = { offset: at([offset, ...other]) ?? diff.source.start, ...(blockId !== undefined && { blockId }) }
    return { code, message: `With the diff applied: ${message}`, hint, ...place }
  })
  if (faults.length <= mostTraced) return findings
  const message = `There are ${faults.length - mostTraced} more faults, which are not listed.`
  return [...findings, { code: 'MORE_FAULTS', message, hint: 'Mend the others first.', offset: patch.diffText.length }]
}
