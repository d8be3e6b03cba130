// One answer of an agent: the model is asked, its tool calls are made, and it is asked again, until it answers or has been asked
// too often.

import type { ModelMessage, TextStreamPart, ToolSet } from 'ai'
import { messageOf } from '../base/json.ts'
import type { Document } from '../document/document.ts'
import { type ToolResult, type Utterance, withInherited } from '../document/inherited-context.ts'
import { shownToModel } from '../document/shown-to-model.ts'
import type { Caller } from '../model/call.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Ran, RunContext } from '../model/tool.ts'
import type { AgentTool } from './agent-tools.ts'
import { aiSdkSchema } from './ai-sdk-tools.ts'
import { type Model, modelName } from './model.ts'
import { countedModel, loadSdk } from './sdk.ts'

export interface TurnSettings {
  readonly model: Model
  readonly instructions: string
  readonly tools: ReadonlyMap<string, AgentTool>
  readonly caller: Caller
  readonly maxSteps: number
  readonly maxCalls: number
  readonly maxRetries: number
  readonly about: Document | undefined
  /** Hides secrets. */
  readonly redact: (text: string) => string
  /** What the model has been told and has answered so far. */
  readonly messages: readonly ModelMessage[]
  /** The same for tools that want to know, with the message that is answered now. */
  readonly spoken: readonly Utterance[]
  /** What tools gave so far; more is added. */
  readonly heard: ToolResult[]
}

export interface Turn {
  readonly ran: Ran
  /** What the model said and was told in this turn. */
  readonly messages: readonly ModelMessage[]
}

export async function agentTurn(settings: TurnSettings, message: string, context: RunContext): Promise<Turn> {
  const { model, instructions, maxSteps, maxRetries } = settings
  const sdk = await loadSdk()
  const tooMuch = new AbortController()
  const answer: Answer = { text: '', finishReason: '', failure: undefined }
  const stop = (why: string) => {
    answer.failure ??= new Error(why)
    tooMuch.abort()
  }
  const count = counter(settings.maxCalls, stop)
  const counted = countedModel(sdk, model)
  const result = sdk.streamText({
    model: counted.model,
    ...(instructions && { instructions }),
    messages: [...settings.messages, { role: 'user', content: message }],
    tools: toolSet(settings, context, count),
    // In the order in which they were asked for: one may need what another did.
    toolCallConcurrency: 1,
    stopWhen: sdk.isStepCount(maxSteps),
    maxRetries,
    abortSignal: AbortSignal.any([context.signal, tooMuch.signal]),
    onError: () => {},
  })
  let length = 0
  for await (const part of result.stream) {
    length += lengthOf(part)
    if (length > context.limits.maxOutputBytes) {
      stop(`it said more than ${context.limits.maxOutputBytes} characters, and was stopped.`)
    }
    if (tooMuch.signal.aborted) break
    if (part.type === 'start-step') {
      if (answer.text && !answer.text.endsWith('\n')) await context.output('stdout', '\n')
      answer.text = ''
    } else if (part.type === 'text-delta') {
      answer.text += part.text
      await context.output('stdout', part.text)
    } else if (part.type === 'tool-call' && 'invalid' in part && part.invalid) {
      const why = settings.tools.has(part.toolName) ? messageOf(part.error) : 'This tool was not offered'
      if (count() !== 'stopped') await refuse(part.toolName, why, settings, context)
    } else if (part.type === 'finish-step') {
      answer.finishReason = part.finishReason
      counted.say(context.usedModel, part.usage)
    } else if (part.type === 'error') {
      answer.failure ??= part.error
    }
  }
  counted.say(context.usedModel)
  const ran = ranOf(answer, settings)
  return { ran, messages: ran.ok ? await result.responseMessages : [] }
}

interface Answer {
  /** Of the last step. */
  text: string
  finishReason: string
  failure: unknown
}

/** How much the model wrote, whatever it is. */
function lengthOf(part: TextStreamPart<ToolSet>): number {
  if (part.type === 'text-delta' || part.type === 'reasoning-delta') return part.text.length
  if (part.type === 'tool-input-delta') return part.delta.length
  return part.type === 'tool-call' ? JSON.stringify(part.input ?? '').length : 0
}

function ranOf({ text, finishReason, failure }: Answer, { model, maxSteps }: TurnSettings): Ran {
  const name = modelName(model)
  const failed = (message: string): Ran => ({ ok: false, code: 'tool-failed', message, ...(text && { value: text }) })
  if (failure !== undefined) return failed(`The model "${name}" gave no answer: ${messageOf(failure)}`)
  if (finishReason === 'error') return failed(`The model "${name}" broke off.`)
  if (finishReason === 'content-filter') return failed(`The model "${name}" refused to answer.`)
  if (finishReason === 'tool-calls') {
    return failed(
      `The model "${name}" was asked ${maxSteps} times and still wants tools, so it was stopped. Allow more steps, or ask for less.`,
    )
  }
  const warnings =
    finishReason === 'length' ? ['The answer is cut off: the model reached the most that it may say.'] : []
  if (text.trim() === '') warnings.push('The model said nothing.')
  return { ok: true, value: text, warnings }
}

type Counted = 'runs' | 'refused' | 'stopped'

/** Whether one more call runs. As many again are refused, so that the model can come to an end; then it is stopped. */
function counter(maxCalls: number, stop: (why: string) => void): () => Counted {
  let calls = 0
  return () => {
    calls++
    if (calls <= maxCalls) return 'runs'
    if (calls <= 2 * maxCalls) return 'refused'
    stop(`it wanted more than ${maxCalls} tools for one message, and did not stop when it was told so.`)
    return 'stopped'
  }
}

function toolSet(settings: TurnSettings, context: RunContext, count: () => Counted): ToolSet {
  const entries = [...settings.tools.values()].map((tool) => {
    const execute = async (input: unknown): Promise<Shown> => {
      const counted = count()
      if (counted === 'runs') return call(tool, input, settings, context)
      const text = `Only ${settings.maxCalls} tools may be called for one message; this one was not. Answer with what there is.`
      if (counted === 'refused') await refuse(tool.name, text, settings, context)
      return { ok: false, text }
    }
    const toModelOutput = ({ output: { ok, text } }: { readonly output: Shown }) => {
      return { type: ok ? ('text' as const) : ('error-text' as const), value: text }
    }
    return [tool.name, { description: tool.description, inputSchema: aiSdkSchema(tool.schema), execute, toModelOutput }]
  })
  return Object.fromEntries(entries)
}

type Shown = Pick<Outcome, 'ok' | 'text'>

/** What the tool's own blocks gave on the way is part of the conversation, unless it keeps that to itself. */
async function call(tool: AgentTool, input: unknown, settings: TurnSettings, context: RunContext): Promise<Shown> {
  const { instructions, about, spoken, heard } = settings
  const onTheWay: ToolResult[] = []
  const inherited = {
    ...{ instructions, conversation: spoken, results: [...heard] },
    ...(about && { document: about }),
    heard: (result: ToolResult) => onTheWay.push(result),
  }
  const { ok, text } = await withInherited(inherited, () => tool.run(input, context))
  heard.push(...onTheWay, { tool: tool.name, ok, text })
  return { ok, text: withSteps(onTheWay, text, context.limits.maxTextLength, settings.redact) }
}

/** What the tool answers goes first; what came on the way has the room that is left. The last of it is the answer, told once. */
function withSteps(steps: readonly ToolResult[], text: string, most: number, redact: TurnSettings['redact']): string {
  const told = steps.slice(0, steps.findLastIndex((step) => step.text !== text) + 1)
  const room = most - text.length - 2
  if (told.length === 0 || room <= 0) return text
  const lines = told.map((step) => `${step.tool}: ${step.text}`).join('\n')
  return `${shownToModel(lines, room, redact)}\n\n${text}`
}

/** A tool that was not offered, arguments that are no JSON, one call too many: the model is told, and the one path writes it down. */
async function refuse(name: string, why: string, settings: TurnSettings, context: RunContext): Promise<void> {
  const unreadable = {
    toJSON(): never {
      throw new Error(why.slice(0, 500))
    },
  }
  await context.call({
    tool: name.length > 200 ? `${name.slice(0, 200)}…` : name,
    input: unreadable,
    caller: settings.caller,
  })
}
