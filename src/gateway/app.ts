// An application with what every answer of ours has, whether it is one of the gateway's or one of a run's.

import { Hono } from 'hono'
import { commonHeaders, refusal, refusalResponse } from './refusal.ts'
import type { App } from './routes.ts'

/** `path` says where a request leads when not by its whole address. */
export function createApp(path?: (request: Request) => string): App {
  const app: App = new Hono(path && { getPath: path })
  app.use(async (c, next) => {
    await next()
    for (const [name, value] of Object.entries(commonHeaders)) c.header(name, value)
  })
  app.notFound(() => refusalResponse(refusal('not-found', 'There is nothing at that path.')))
  // What went wrong inside may hold a secret: it is not for whoever asked.
  app.onError(() =>
    refusalResponse(refusal('internal', 'The gateway could not answer: something went wrong inside it.')),
  )
  return app
}
