// One run in a box that is ready: opens its door, hands the program over, serves its calls, and ends it.

import type { Failure } from '../model/outcome.ts'
import type { Ran, RunContext } from '../model/tool.ts'
import type { Box } from '../sandbox/deno-box.ts'
import { type Circumstances, ranFrom, type Said, withoutLastWords } from './ending.ts'
import { callsOf } from './run-calls.ts'
import type { RunDoor } from './run-door.ts'

export async function runInBox(
  box: Box & { readonly door: RunDoor },
  code: string,
  context: RunContext,
  about: Pick<Circumstances, 'graph' | 'workspace' | 'memoryMb'>,
): Promise<Ran> {
  const { door } = box
  const said = Promise.withResolvers<Said>()
  const calls = new Set<Promise<unknown>>()
  const failures: Failure[] = []
  const call = callsOf(context, failures)
  const stop = () => box.kill()
  context.signal.addEventListener('abort', stop, { once: true })
  if (context.signal.aborted) stop()
  door.open({
    call: (wire, input, options) => {
      const outcome = call(wire, input, options)
      calls.add(outcome)
      return outcome.finally(() => calls.delete(outcome))
    },
    end: (how, body) => said.resolve({ how, body }),
  })
  box.run(code, withoutLastWords(context.output))

  const gone = box.ended.then(() => door.settled?.())
  const end = await Promise.race([said.promise, gone.then(() => undefined)])
  // What was called and not awaited is awaited here, for as long as the run has time.
  if (end) await Promise.race([Promise.allSettled(calls), box.ended])
  if (end) box.kill()
  const report = await box.ended
  context.signal.removeEventListener('abort', stop)
  const argv = [...box.argv, about.graph.entry.path]
  return ranFrom(end, { ...about, report: { ...report, argv }, url: door.url, warnings: box.notes, failures })
}
