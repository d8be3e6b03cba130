// Who wants to know when a resource changes. However many clients ask for one, its server is asked once.

import type { Upstream } from '../mcp/upstream.ts'

/** So many addresses may be watched by one client. */
export const mostOfOne = 1_000

export class Subscriptions {
  readonly #watched = new Map<string, { readonly upstream: Upstream; readonly by: Set<object> }>()
  readonly #bySubscriber = new WeakMap<object, Set<string>>()

  /** False where this subscriber has too many already. */
  async add(subscriber: object, uri: string, upstream: Upstream): Promise<boolean> {
    const known = this.#watched.get(uri)
    if (known?.by.has(subscriber)) return true
    const own = this.#bySubscriber.get(subscriber) ?? new Set()
    if (own.size >= mostOfOne) return false
    const watched = known ?? { upstream, by: new Set() }
    watched.by.add(subscriber)
    this.#bySubscriber.set(subscriber, own.add(uri))
    this.#watched.set(uri, watched)
    if (!known) {
      await upstream.subscribe(uri).catch((error: unknown) => {
        this.#watched.delete(uri)
        for (const each of watched.by) this.#bySubscriber.get(each)?.delete(uri)
        throw error
      })
    }
    return true
  }

  async remove(subscriber: object, uri: string): Promise<void> {
    const watched = this.#watched.get(uri)
    this.#bySubscriber.get(subscriber)?.delete(uri)
    if (!watched?.by.delete(subscriber) || watched.by.size > 0) return
    this.#watched.delete(uri)
    await watched.upstream.unsubscribe(uri)
  }

  async removeAll(subscriber: object): Promise<void> {
    const own = [...(this.#bySubscriber.get(subscriber) ?? [])]
    await Promise.all(own.map((uri) => this.remove(subscriber, uri)))
  }

  has(subscriber: object, uri: string): boolean {
    return this.#watched.get(uri)?.by.has(subscriber) ?? false
  }
}
