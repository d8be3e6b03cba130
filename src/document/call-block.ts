// One block as a call: its parameters read, its variables filled in, its text made plain, then the one path.

import type { Caller } from '../model/call.ts'
import type { RunContext } from '../model/tool.ts'
import { type BlockContext, withinBlock } from './block-context.ts'
import { type BlockResult, failedResult, resultOf } from './block-result.ts'
import { parametersOf } from './call-parts.ts'
import type { FillVariables, VariableContext } from './resolve-variables.ts'
import { ResultsBefore } from './results-so-far.ts'
import { saidIn } from './said.ts'
import type { RunnableBlock } from './select.ts'

export interface BlockCaller {
  readonly caller: Caller
  /** What there is to find the values of variables by, besides the block itself. */
  readonly surroundings: Surroundings
  readonly fill: FillVariables
  readonly blockTimeoutMs?: number | undefined
  /** Hides secrets in what never reached the one path, such as the message of a resolver that failed. */
  readonly redact: (text: string) => string
}

export type Surroundings = Omit<VariableContext, keyof BlockContext | 'used' | 'signal'>

export async function callBlock(
  block: RunnableBlock,
  context: BlockContext & { readonly previousResults: ResultsBefore },
  options: BlockCaller,
  run: RunContext,
): Promise<BlockResult> {
  const { caller, surroundings, fill, blockTimeoutMs } = options
  const { tool, content } = block
  const input = parametersOf(block)
  if (!input.ok) return notCalled(block, options.redact(`${input.fault.message} ${input.fault.hint}`), run)
  const { signal, usedModel: used } = run
  const filled = await fill(content?.rich ?? [], { ...context, ...surroundings, used, signal })
  if (!filled.ok) return notCalled(block, options.redact(filled.message), run)
  const said = content && saidIn(content.rich, ({ name }) => filled.values.get(name) ?? '')
  const call = {
    tool,
    input: input.value,
    content: said?.text ?? '',
    caller,
    ...(blockTimeoutMs !== undefined && { timeoutMs: blockTimeoutMs }),
  }
  const outcome = await withinBlock(said ? Object.freeze({ ...context, said }) : context, () => run.call(call))
  return resultOf(outcome, ResultsBefore.readFrom(context.previousResults))
}

/** Nothing reached a tool, so there is no call in the journal; whoever listens is told. */
function notCalled({ id, tool }: RunnableBlock, message: string, run: RunContext): BlockResult {
  run.log('warning', `The block "${id}" was not called. ${message}`)
  return failedResult('invalid-input', message, tool)
}
