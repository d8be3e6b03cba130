// Which handler answers a request. A table of our own instead of a framework's: what those are built on, Node's `fetch`, takes longer
// to load than everything else that a script needs of us.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Answer } from './answer.ts'
import { pathOf } from './guard.ts'
import { refusal, refusalAnswer } from './refusal.ts'

/** A request, for its handler. */
export interface Exchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  /** Fires when the client goes away before its answer, and when the gateway stops. */
  readonly signal: AbortSignal
  /** What its path says in the place of the route's `:name`. Empty where the route has none. */
  readonly named: string
}

export type Handler = (exchange: Exchange) => Promise<Answer> | Answer

interface Route {
  readonly pattern: RegExp
  readonly methods: ReadonlyMap<string, Handler>
}

export class Router {
  readonly #routes: Route[] = []

  /** One path with its methods, such as `/runs/:id`; any other method is told which there are. */
  add(path: string, methods: Readonly<Record<string, Handler>>): void {
    const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/, '([^/]+)')}$`)
    this.#routes.push({ pattern, methods: new Map(Object.entries(methods)) })
  }

  /** `path` is the one to go by, where it is not the request's own. */
  async answer(exchange: Omit<Exchange, 'named'>, path = pathOf(exchange.incoming.url ?? '')): Promise<Answer> {
    const { method = '' } = exchange.incoming
    for (const { pattern, methods } of this.#routes) {
      const found = pattern.exec(path)
      if (!found) continue
      const handler = methods.get(method === 'HEAD' ? 'GET' : method)
      if (!handler) return notAllowed([...methods.keys()])
      try {
        return await handler({ ...exchange, named: decoded(found[1] ?? '') })
      } catch {
        // What went wrong inside may hold a secret: it is not for whoever asked.
        return refusalAnswer(refusal('internal', 'The gateway could not answer: something went wrong inside it.'))
      }
    }
    return refusalAnswer(refusal('not-found', 'There is nothing at that path.'))
  }
}

export function queryOf({ incoming: { url = '' } }: Exchange, name: string): string | undefined {
  return new URLSearchParams(url.slice(pathOf(url).length)).get(name) ?? undefined
}

function notAllowed(methods: readonly string[]): Answer {
  const message = `That path takes ${methods.join(' and ')} alone.`
  return refusalAnswer(refusal('method-not-allowed', message, { allow: methods.join(', ') }))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
