// Many calls at once: outcomes in the order of the calls, side by side where that is safe.

import { type Call, libraryCaller } from '../model/call.ts'
import { mayWrite, mergeEffects } from '../model/effects.ts'
import { LimitError } from '../model/errors.ts'
import type { Outcome } from '../model/outcome.ts'
import { check } from './check.ts'
import { checkCalls } from './check-call.ts'
import type { EngineParts } from './engine.ts'
import type { Execute } from './execute.ts'

export interface BatchOptions {
  /** How many calls run side by side. Default 4. */
  readonly concurrency?: number
  /** Whether the rest runs when a call fails. Default true; with false what has not begun is cancelled, and what runs goes on. */
  readonly continueOnError?: boolean
  /** Ends what runs and cancels what waits. */
  readonly signal?: AbortSignal
}

export type ExecuteBatch = (calls: readonly Call[], options?: BatchOptions) => Promise<readonly Outcome[]>

/** What a call may write to: nothing, some paths, or anything. */
type Writes = 'nothing' | 'anything' | readonly string[]

export function createExecuteBatch(parts: EngineParts, execute: Execute): ExecuteBatch {
  return async (calls, { concurrency = 4, continueOnError = true, signal } = {}) => {
    checkCalls(calls)
    if (!Number.isInteger(concurrency) || concurrency < 1) throw new LimitError('concurrency', concurrency, 1, 1_000)
    const outcomes: Outcome[] = []
    const running = new Map<Promise<void>, Writes>()
    let failed = false

    for (const [at, call] of calls.entries()) {
      const writes = await writesOf(parts, call)
      const inTheWay = () => [...running].filter(([, others]) => conflict(others, writes)).map(([end]) => end)
      while (running.size >= concurrency || inTheWay().length) await Promise.race(running.keys())
      const stop = failed && !continueOnError ? AbortSignal.abort() : undefined
      const signals = [stop, signal, call.signal].filter((each) => each !== undefined)
      const end = execute({ ...call, signal: AbortSignal.any(signals) }).then((outcome) => {
        outcomes[at] = outcome
        failed ||= !outcome.ok
      })
      const done = end.finally(() => running.delete(done))
      running.set(done, writes)
    }
    await Promise.all(running.keys())
    return outcomes
  }
}

/** Two calls may not run side by side when both may write, and to the same place or to a place nobody names. */
function conflict(one: Writes, other: Writes): boolean {
  if (one === 'nothing' || other === 'nothing') return false
  if (one === 'anything' || other === 'anything') return true
  return one.some((path) => other.some((against) => overlap(path, against)))
}

function overlap(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`)
}

async function writesOf({ catalogue, limits }: EngineParts, call: Call): Promise<Writes> {
  const tool = await catalogue.resolve(call.tool)
  if (!tool || (call.caller ?? libraryCaller).readOnly) return 'nothing'
  const checked = await check(tool, call, limits)
  if (!checked.ok || !mayWrite(mergeEffects(tool.effects, checked.plan?.effects))) return 'nothing'
  return checked.plan?.paths ?? tool.effects.filesystem?.paths ?? 'anything'
}
