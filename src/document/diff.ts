// Applies a `<diff>` to a document: operation after operation on one tree, all or nothing. What no operation names stays as it is,
// letter by letter.

import type { Applied } from './document.ts'
import { type Finding, faultsOf, inTextOrder } from './faults.ts'
import { perform } from './operations.ts'
import { patchedText, startPatch } from './patch.ts'
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
  if (faults.length === 0) return { ok: true, text }
  return {
    ok: false,
    faults: faults.map((fault) => ({ ...fault, message: `With the diff applied: ${fault.message}` })),
  }
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
