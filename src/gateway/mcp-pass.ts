// What the servers behind the gate have besides tools, as one list each: resources, templates of resources, prompts. What is asked
// for goes to the server that has it. A server that cannot be reached is left out of the lists, and takes nobody else along.

import type { Change } from '../mcp/connect.ts'
import type { Item, ItemKind } from '../mcp/items.ts'
import type { Upstream } from '../mcp/upstream.ts'
import { visibleText } from '../outcome/visible.ts'
import { visibleDeep } from '../outcome/visible-deep.ts'

interface Owned {
  readonly upstream: Upstream
  readonly item: Item
  /** What a client calls it. */
  readonly key: string
}

export class PassedOn {
  readonly #upstreams: readonly Upstream[]
  readonly #lists = new Map<ItemKind, Promise<readonly Owned[]>>()
  readonly #stops: readonly (() => void)[]

  constructor(upstreams: readonly Upstream[]) {
    this.#upstreams = upstreams
    for (const upstream of upstreams) upstream.offerAnswers()
    this.#stops = upstreams.map((upstream) => upstream.onChange((change) => this.#forget(change)))
  }

  /** As clients see them, in the order of the servers. */
  async list(kind: ItemKind): Promise<readonly Readonly<Record<string, unknown>>[]> {
    // A client that lists wants to know what there is now.
    this.#lists.delete(kind)
    const owned = await this.#owned(kind)
    return owned.map(({ item: { key: _, ...item }, key }) => {
      return visibleDeep(kind === 'prompts' ? { ...item, name: key } : item)
    })
  }

  /** The server that has a resource: it lists it, or a template that its address begins like, or it is the only one there is. */
  async ownerOf(uri: string): Promise<Upstream | undefined> {
    const listed = (await this.#owned('resources')).find(({ key }) => key === uri)
    if (listed) return listed.upstream
    const fitting = (await this.#owned('templates'))
      .map(({ upstream, key }) => ({ upstream, beginning: key.split('{')[0] ?? '' }))
      .filter(({ beginning }) => beginning !== '' && uri.startsWith(beginning))
    const [best] = fitting.toSorted((a, b) => b.beginning.length - a.beginning.length)
    if (best) return best.upstream
    const [only, ...others] = this.#upstreams
    return others.length === 0 ? only : undefined
  }

  /** The prompt of that name and the server's own name for it. */
  async prompt(name: string): Promise<{ readonly upstream: Upstream; readonly name: string } | undefined> {
    const find = async () => (await this.#owned('prompts')).find(({ key }) => key === name)
    let found = await find()
    if (!found) {
      this.#lists.delete('prompts')
      found = await find()
    }
    return found && { upstream: found.upstream, name: found.item.key }
  }

  async template(uri: string): Promise<Upstream | undefined> {
    const found = (await this.#owned('templates')).find(({ key }) => key === uri)
    return found?.upstream ?? this.ownerOf(uri)
  }

  close(): void {
    for (const stop of this.#stops) stop()
  }

  #owned(kind: ItemKind): Promise<readonly Owned[]> {
    const known = this.#lists.get(kind)
    if (known) return known
    const made = this.#gather(kind)
    this.#lists.set(kind, made)
    return made
  }

  async #gather(kind: ItemKind): Promise<readonly Owned[]> {
    const lists = await Promise.all(
      this.#upstreams.map(async (upstream) => {
        const items = await upstream.items(kind).catch((): readonly Item[] => [])
        return items.map((item) => ({ upstream, item, key: keyOf(upstream, kind, item) }))
      }),
    )
    // Of two that bear one name the first server's counts.
    const first = new Map<string, Owned>()
    for (const owned of lists.flat()) if (!first.has(owned.key)) first.set(owned.key, owned)
    return [...first.values()]
  }

  #forget(change: Change): void {
    if (!('list' in change)) return
    if (change.list === 'prompts') this.#lists.delete('prompts')
    if (change.list === 'resources') for (const kind of ['resources', 'templates'] as const) this.#lists.delete(kind)
  }
}

/** Prompts bear their server's name before their own, as tools do; an address is an address. */
function keyOf({ name, isPlain }: Upstream, kind: ItemKind, { key }: Item): string {
  return visibleText(kind === 'prompts' && !isPlain ? `${name}__${key}` : key)
}
