// The tools, resources, prompts and skills of this machine as one MCP server. It knows nothing of how a client is connected.

import type { SkillCatalog } from '@modelcontextprotocol/server/ext/skills'
import type { Change } from '../mcp/connect.ts'
import { HeldConversations } from './mcp-held.ts'
import { MetaTools } from './mcp-meta.ts'
import { PassedOn } from './mcp-pass.ts'
import type { Result } from './mcp-peer.ts'
import { loadSkills } from './mcp-skills.ts'
import { Subscriptions } from './mcp-subscriptions.ts'
import { ToolLists } from './mcp-tools.ts'
import type { GatewayParts } from './parts.ts'

/** Several sources may change at once. */
const changesMs = 20

export class McpFront {
  readonly parts: GatewayParts
  readonly version: string
  readonly lists: ToolLists
  readonly meta: MetaTools
  readonly passed: PassedOn
  readonly subscriptions = new Subscriptions()
  readonly held = new HeldConversations<Result>()
  readonly skills: Promise<SkillCatalog | undefined>

  readonly #listeners = new Set<(change: Change) => void>()
  readonly #stops: (() => void)[] = []
  #telling: NodeJS.Timeout | undefined

  constructor(parts: GatewayParts, version: string) {
    this.parts = parts
    this.version = version
    this.lists = new ToolLists(parts)
    this.meta = new MetaTools(parts)
    this.passed = new PassedOn(parts.upstreams ?? [])
    // A skill that breaks the extension's rules is left out here; "legwork doctor" checks by the rules of skills, which are others.
    this.skills = loadSkills(parts.skills?.() ?? []).catch(() => undefined)
    this.#stops.push(parts.onChange(() => this.#toolsChanged()))
    for (const upstream of parts.upstreams ?? []) this.#stops.push(upstream.onChange((change) => this.#tellOf(change)))
  }

  /** Calls the listener whenever a list or a resource changes, until the returned function is called. */
  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    clearTimeout(this.#telling)
    for (const stop of this.#stops) stop()
    this.lists.close()
    this.passed.close()
    this.held.close()
  }

  #toolsChanged(): void {
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined
      this.#tell({ list: 'tools' })
    }, changesMs).unref()
  }

  /** The catalogue tells of tools itself, once it has the new ones. */
  #tellOf(change: Change): void {
    if (!('list' in change) || change.list !== 'tools') this.#tell(change)
  }

  #tell(change: Change): void {
    for (const listener of this.#listeners) listener(change)
  }
}
