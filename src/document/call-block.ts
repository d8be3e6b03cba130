// One block as a call: its parameters read, its variables filled in, its text made plain, then the one path.

import type { Caller } from '../model/call.ts'
import type { RunContext, ToolDefinition } from '../model/tool.ts'
import { type BlockContext, withinBlock } from './block-context.ts'
import { type BlockResult, failedResult, resultOf } from './block-result.ts'
import type { BlockTime } from './block-time.ts'
import { parametersOf } from './call-parts.ts'
import type { RunnableBlock } from './document.ts'
import { type DocumentFault, issueOf } from './faults.ts'
import type { FillVariables, VariableContext } from './resolve-variables.ts'
import { saidIn } from './said.ts'

export interface BlockCaller {
  readonly caller: Caller
  /** What there is to find the values of variables by, besides the block itself. */
  readonly surroundings: Surroundings
  readonly fill: FillVariables
  /** A tool that is in no catalogue, by its id; it goes before one that is. Default: there are none. */
  readonly own?: ((id: string) => ToolDefinition | undefined) | undefined
  /** Hides secrets in what never reached the one path, such as the message of a resolver that failed. */
  readonly redact: (text: string) => string
}

export type Surroundings = Omit<VariableContext, keyof BlockContext | 'used' | 'signal'>

export async function callBlock(
  block: RunnableBlock,
  context: BlockContext,
  options: BlockCaller,
  run: RunContext,
  time: BlockTime,
): Promise<BlockResult> {
  const { caller, surroundings, fill, own } = options
  const { tool, content } = block
  const input = parametersOf(block)
  if (!input.ok) return invalidParameters(block, input.fault, options, run)
  const { signal } = time
  const filled = await fill(content?.rich ?? [], { ...context, ...surroundings, used: run.usedModel, signal })
  if (!filled.ok) {
    const { code, message } = time.givenUp() ?? { code: 'invalid-input', message: options.redact(filled.message) }
    return notCalled(block, failedResult(code, message, tool), run)
  }
  time.stop()
  const timeoutMs = time.leftMs()
  const said = content && saidIn(content.rich, ({ name }) => filled.values.get(name) ?? '')
  const call = {
    input: input.value,
    content: said?.text ?? '',
    caller,
    ...(timeoutMs !== undefined && { timeoutMs }),
  }
  const definition = own?.(tool)
  const outcome = await withinBlock(said ? Object.freeze({ ...context, said }) : context, () =>
    definition ? run.callTool(definition, call) : run.call({ ...call, tool }),
  )
  return resultOf(outcome)
}

/** Told with the place in the file, and the lines around it. */
function invalidParameters(
  block: RunnableBlock,
  fault: DocumentFault,
  { redact }: BlockCaller,
  run: RunContext,
): BlockResult {
  const { message, hint, line, column, frame } = fault
  const whole = redact(`${message} ${hint} (line ${line}, column ${column})\n${frame}`.trimEnd())
  const issue = issueOf(fault)
  return notCalled(
    block,
    failedResult('invalid-input', whole, block.tool, [{ ...issue, message: redact(issue.message) }]),
    run,
  )
}

/** Nothing reached a tool, so there is no call in the journal; whoever listens is told. */
function notCalled({ id }: RunnableBlock, result: BlockResult, run: RunContext): BlockResult {
  run.log('warning', `The block "${id}" was not called. ${result.error?.message}`)
  return result
}
