// Output of an executor's calls as it comes, secrets redacted: to the callbacks, and to the files that keep it.

import type { Outcome } from '../model/outcome.ts'
import type { ExecutorConfig, ExecutorParts } from './executor-types.ts'
import { type Keeper, type KeptOutput, startKeeping } from './keep-output.ts'

export interface PassedOutput {
  /** Closes the files of a call that has ended; undefined where none were asked for. */
  readonly end: (outcome: Outcome) => Promise<KeptOutput | undefined>
}

/** Nothing is listened to where nobody wants it. */
export function passOutput(
  { on, maxOutputSize }: ExecutorParts,
  execution: NonNullable<ExecutorConfig['execution']>,
): PassedOutput | undefined {
  const { onStdout, onStderr, keepOutput } = execution
  if (!onStdout && !onStderr && keepOutput === undefined) return undefined
  const keepers = new Map<string, Keeper>()
  const keep = (callId: string, folder: string): Keeper => {
    const keeper = keepers.get(callId) ?? startKeeping(folder, callId, maxOutputSize)
    keepers.set(callId, keeper)
    return keeper
  }
  on(async (event) => {
    if (event.type !== 'output') return
    const { stream, text, callId } = event
    const passed = (stream === 'stdout' ? onStdout : onStderr)?.(text)
    if (keepOutput !== undefined) await keep(callId, keepOutput).add(stream, text)
    await passed
  })
  const end = async ({ callId, process }: Outcome) => {
    const keeper = keepers.get(callId)
    keepers.delete(callId)
    const isCut = (bytes = 0) => bytes > maxOutputSize
    return keeper?.end({ stdout: isCut(process?.stdoutBytes), stderr: isCut(process?.stderrBytes) })
  }
  return { end }
}
