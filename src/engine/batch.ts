// Many calls at once: outcomes in the order of the calls, side by side where that is safe.

import { type Call, libraryCaller } from '../model/call.ts'
import { mayWrite, mergeEffects } from '../model/effects.ts'
import type { Outcome } from '../model/outcome.ts'
import { check } from './check.ts'
import type { EngineParts } from './engine.ts'
import type { Execute } from './execute.ts'

export interface BatchOptions {
  /** How many calls run side by side. Default 4. */
  readonly concurrency?: number
  /** Whether the rest runs when a call fails. Default true; with false what has not begun is cancelled. */
  readonly continueOnError?: boolean
  /** Ends what runs and cancels what waits. */
  readonly signal?: AbortSignal
}

export type ExecuteBatch = (calls: readonly Call[], options?: BatchOptions) => Promise<readonly Outcome[]>

/** What a call may write to: nothing, some paths, or anything. */
type Writes = 'nothing' | 'anything' | readonly string[]

export function createExecuteBatch(parts: EngineParts, execute: Execute): ExecuteBatch {
  return async (calls, { concurrency = 4, continueOnError = true, signal } = {}) => {
    const stop = new AbortController()
    const signals = [stop.signal, ...(signal ? [signal] : [])]
    const writes = await Promise.all(calls.map((call) => writesOf(parts, call)))
    const ends: Promise<void>[] = []
    const outcomes: Outcome[] = []
    const running = new Set<Promise<void>>()

    for (const [at, call] of calls.entries()) {
      const before = ends.filter((_, earlier) => conflict(writes[earlier] ?? 'anything', writes[at] ?? 'anything'))
      await Promise.all(before)
      while (running.size >= concurrency) await Promise.race(running)
      const own = call.signal ? [...signals, call.signal] : signals
      const end = execute({ ...call, signal: AbortSignal.any(own) }).then((outcome) => {
        outcomes[at] = outcome
        running.delete(end)
        if (!outcome.ok && !continueOnError) stop.abort()
      })
      ends.push(end)
      running.add(end)
    }
    await Promise.all(ends)
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
  const checked = await check(tool, call.input, limits)
  if (!checked.ok || !mayWrite(mergeEffects(tool.effects, checked.plan?.effects))) return 'nothing'
  return checked.plan?.paths ?? tool.effects.filesystem?.paths ?? 'anything'
}
