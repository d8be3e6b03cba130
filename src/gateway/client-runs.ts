// The runs that clients ask for: begun, waited for, ended. A client that goes away leaves a run that ends by its time limit.

import { type Clock, systemClock } from '../base/clock.ts'
import { isObject } from '../base/json.ts'
import { within } from '../base/within.ts'
import type { Outcome } from '../model/outcome.ts'
import type { MakeRunDoor } from '../toolscript/run-door.ts'
import { type Answer, json } from './answer.ts'
import { readJson } from './body.ts'
import { type ClientRun, clientRun } from './client-run.ts'
import type { GatewayParts } from './parts.ts'
import { badTimeout, isTimeout } from './read-call.ts'
import { type Refusal, refusal, refusalAnswer } from './refusal.ts'
import { type Exchange, queryOf, type Router } from './router.ts'

interface RunRequest {
  /** What runs, such as a script's file; for the journal. */
  readonly name?: string
  /** Longest it may take, in milliseconds. Default 60 000, at most 600 000. */
  readonly timeoutMs: number
  /** Lets it call only tools that are known to change nothing. Default false. */
  readonly readOnly: boolean
}

interface Kept {
  readonly run: ClientRun
  readonly controller: AbortController
  readonly ready: Promise<void>
  readonly outcome: Promise<Outcome>
  isOver: boolean
}

const maxRuns = 256
const maxKept = 1_024
const maxBodyBytes = 65_536
const stillRunning = { state: 'running' }
const defaultTimeoutMs = 60_000
const defaultWaitMs = 30_000
const maxWaitMs = 60_000

/** Adds `/runs`, `/runs/<id>` and `/runs/<id>/ready`; answers with a function that ends every run. */
export function addClientRuns(
  router: Router,
  { executeTool }: Pick<GatewayParts, 'executeTool'>,
  makeRunDoor: MakeRunDoor,
  clock: Clock = systemClock,
): () => Promise<void> {
  const runs = new Map<string, Kept>()

  const begin = async ({ name, timeoutMs, readOnly }: RunRequest, asker: AbortSignal) => {
    const door = await makeRunDoor()
    const run = clientRun(door, name)
    const controller = new AbortController()
    const outcome = executeTool(run.definition, {
      input: { ...(name !== undefined && { name }) },
      caller: { front: 'gateway', ...(name !== undefined && { name }), readOnly },
      signal: controller.signal,
      timeoutMs,
    })
    const kept: Kept = { run, controller, ready: door.ready, outcome, isOver: false }
    const over = () => {
      kept.isOver = true
      door.close()
    }
    outcome.then(over, over)
    const id = clock.id()
    runs.set(id, kept)
    forgetOldest(runs)
    const giveUp = () => controller.abort()
    asker.addEventListener('abort', giveUp, { once: true })
    const refused = await Promise.race([run.opened, outcome])
    asker.removeEventListener('abort', giveUp)
    return refused ? { id, outcome: refused } : { id, url: door.url }
  }

  const withRun = async (exchange: Exchange, use: (kept: Kept) => Promise<Answer>): Promise<Answer> => {
    const kept = runs.get(exchange.named)
    return kept ? use(kept) : refusalAnswer(refusal('not-found', 'There is no such run, or it is long over.'))
  }

  router.add('/runs', {
    POST: async (exchange) => {
      const request = await readRequest(exchange)
      if ('code' in request) return refusalAnswer(request)
      const running = [...runs.values()].filter(({ isOver }) => !isOver).length
      if (running >= maxRuns) return refusalAnswer(refusal('too-busy', `There are ${maxRuns} runs already.`))
      return json(await begin(request, exchange.signal))
    },
  })
  router.add('/runs/:id', {
    GET: (exchange) =>
      withRun(exchange, async ({ outcome, run }) => {
        const ended = await within(waitOf(queryOf(exchange, 'waitMs')), outcome, exchange.signal)
        return ended ? json(ended) : json({ ...stillRunning, isSaid: run.isSaid() }, 202)
      }),
    DELETE: (exchange) =>
      withRun(exchange, async ({ run, controller, outcome }) => {
        const read = await readJson(exchange.incoming, maxBodyBytes)
        if (!read.ok) return refusalAnswer(read)
        const reason = isObject(read.json) ? read.json.reason : undefined
        if (typeof reason === 'string' && reason) run.end(reason)
        else controller.abort()
        return json(await outcome)
      }),
  })
  router.add('/runs/:id/ready', {
    GET: (exchange) =>
      withRun(exchange, async ({ ready, outcome }) => {
        const told = Promise.race([ready, outcome]).then(() => true)
        const isReady = await within(waitOf(queryOf(exchange, 'waitMs')), told, exchange.signal)
        return isReady ? { status: 204 } : json(stillRunning, 202)
      }),
  })
  return async () => {
    for (const { controller } of runs.values()) controller.abort()
    await Promise.allSettled([...runs.values()].map(({ outcome }) => outcome))
  }
}

async function readRequest(exchange: Exchange): Promise<RunRequest | Refusal> {
  const read = await readJson(exchange.incoming, maxBodyBytes)
  if (!read.ok) return read
  const { json: given = {} } = read
  if (!isObject(given)) return refusal('bad-request', 'The body must be an object.')
  const { name, timeoutMs = defaultTimeoutMs, readOnly = false, ...others } = given
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) return refusal('bad-request', `A run has no "${unknown}".`)
  if (name !== undefined && (typeof name !== 'string' || name.length > 1_000)) {
    return refusal('bad-request', '"name" must be text of at most 1,000 characters.')
  }
  if (typeof readOnly !== 'boolean') return refusal('bad-request', '"readOnly" must be true or false.')
  if (!isTimeout(timeoutMs)) return badTimeout
  return { ...(name !== undefined && { name }), timeoutMs, readOnly }
}

function waitOf(given: string | undefined): number {
  return given !== undefined && /^\d{1,9}$/.test(given) ? Math.min(Number(given), maxWaitMs) : defaultWaitMs
}

/** Outcomes are kept for whoever asks late, but not for ever. */
function forgetOldest(runs: Map<string, Kept>): void {
  for (const [id, { isOver }] of runs) {
    if (runs.size <= maxKept) return
    if (isOver) runs.delete(id)
  }
}
