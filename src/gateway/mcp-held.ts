// The requests of clients of the newest revision that wait for an answer. A client shows with its next request that it is the one
// that was asked: by a secret that is good for one round of one conversation, with the same arguments.

import { createHash } from 'node:crypto'
import { canonicalJson } from '../base/json.ts'
import { hashOf, makeSecret } from './capability.ts'
import type { Conversation } from './mcp-conversation.ts'

/** A client that does not come back for so long is gone. */
const patienceMs = 600_000
const maxHeld = 1_000

interface Held<Result> {
  readonly conversation: Conversation<Result>
  readonly about: string
  readonly timer: NodeJS.Timeout
}

export class HeldConversations<Result> {
  readonly #held = new Map<string, Held<Result>>()

  get isFull(): boolean {
    return this.#held.size >= maxHeld
  }

  /** Keeps a conversation until the client comes back with the secret. */
  hold(conversation: Conversation<Result>, about: readonly unknown[]): string {
    const secret = makeSecret()
    const key = keyOf(secret)
    const giveUp = () => {
      this.#held.delete(key)
      conversation.abort()
    }
    this.#held.set(key, { conversation, about: digest(about), timer: setTimeout(giveUp, patienceMs).unref() })
    return secret
  }

  /** The conversation, once; undefined for a secret that was used or never given, and for another client or other arguments. */
  take(secret: string, about: readonly unknown[]): Conversation<Result> | undefined {
    const key = keyOf(secret)
    const held = this.#held.get(key)
    if (!held || held.about !== digest(about)) return undefined
    this.#held.delete(key)
    clearTimeout(held.timer)
    return held.conversation
  }

  close(): void {
    for (const { conversation, timer } of this.#held.values()) {
      clearTimeout(timer)
      conversation.abort()
    }
    this.#held.clear()
  }
}

function keyOf(secret: string): string {
  return hashOf(secret).toString('hex')
}

function digest(about: readonly unknown[]): string {
  return createHash('sha256').update(canonicalJson(about)).digest('hex')
}
