// Long results for a journal in memory: they end with the process, and the oldest go when there is no more room.

import { defaultLifetimeMs, type ResultStore, type ResultStoreOptions, type StoredResult } from './results.ts'

export function memoryResults({
  clock,
  maxBytes = 64 * 1_048_576,
}: Pick<ResultStoreOptions, 'clock' | 'maxBytes'>): ResultStore {
  const kept = new Map<string, { readonly mediaType: StoredResult['mediaType']; readonly content: Buffer }>()
  const put: ResultStore['put'] = async (text, mediaType) => {
    const content = Buffer.from(text)
    const bytes = content.length
    if (bytes > maxBytes) return undefined
    let total = [...kept.values()].reduce((sum, each) => sum + each.content.length, 0)
    for (const [id, each] of kept) {
      if (total + bytes <= maxBytes) break
      kept.delete(id)
      total -= each.content.length
    }
    const id = clock.id()
    kept.set(id, { mediaType, content })
    return { id, mediaType, bytes, expiresAt: clock.now() + defaultLifetimeMs }
  }
  const read: ResultStore['read'] = async (id, offset, length) => {
    const found = kept.get(id)
    if (!found) return undefined
    const { mediaType, content } = found
    return { id, mediaType, bytes: content.length, part: content.subarray(offset, offset + length) }
  }
  return { put, read }
}
