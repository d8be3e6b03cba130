// An `<agent>` document to talk to: a system prompt, tools, a model, and what was said so far. Each message is a call on the one
// path, and so is every tool that the model asks for.

import type { ModelMessage } from 'ai'
import { agentName, agentPrompt } from '../document/agent-prompt.ts'
import type { Document } from '../document/document.ts'
import { DocumentError } from '../document/document-error.ts'
import type { ToolResult, Utterance } from '../document/inherited-context.ts'
import { parseDocument } from '../document/parse.ts'
import { textWithoutTools } from '../document/without-tools.ts'
import type { ExecuteTool } from '../engine/execute.ts'
import type { WhyTool } from '../engine/why.ts'
import type { Legwork } from '../legwork.ts'
import type { Caller } from '../model/call.ts'
import type { Approve } from '../model/decision.ts'
import { LegworkError, LimitError } from '../model/errors.ts'
import type { Listener } from '../model/event.ts'
import { limitSpecs } from '../model/limits.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Schema } from '../model/schema.ts'
import type { ToolDefinition } from '../model/tool.ts'
import type { Redactor } from '../outcome/redact.ts'
import { agentTools } from './agent-tools.ts'
import { agentTurn } from './agent-turn.ts'
import { effectsOf, type Model, modelName, openModel } from './model.ts'

export interface AgentOptions {
  /** Goes before the document's and the configuration's. `provider:name`, or a model that a provider of the AI SDK made. */
  readonly model?: string | Model
  /** Values of the variables in its prose. Default none. */
  readonly variables?: Readonly<Record<string, string>>
  /** The document that it works on: its model and the tools that it calls can read it, but for the tools in it. Default none. */
  readonly about?: Document
  /** How often the model may be asked for one message before it has to have answered. Default 20. */
  readonly maxSteps?: number
  /** How many tools it may call for one message, those it may not use included; as many again are refused, then it is stopped. Default 128. */
  readonly maxCalls?: number
  /** How often a request that did not come through is sent again. Default 2. */
  readonly maxRetries?: number
  /** May call only tools that are known to change nothing. Default false. */
  readonly readOnly?: boolean
}

export interface SendOptions {
  /** Ends the answer, and the tool that is running. */
  readonly signal?: AbortSignal
  /** Longest that the answer may take, in milliseconds. Default and at most 600,000. */
  readonly timeoutMs?: number
  /** Told of the call's events as they happen; the answer comes as `output`, redacted. */
  readonly onEvent?: Listener
  /** Who sends it. Default: the library. */
  readonly caller?: Caller
  /** Asks the person behind it about what the agent calls. Default: whom Legwork asks. */
  readonly approve?: Approve
}

export interface Agent {
  readonly name: string
  /** Its model, as `provider:name`. */
  readonly model: string
  /** What is odd about it, though it can be talked to. */
  readonly warnings: readonly string[]
  /** What was said so far, the oldest first. */
  readonly conversation: readonly Utterance[]
  /**
   * One message and its answer: the outcome's value is the answer's text, `calls` what it called, `modelUse` the tokens. What
   * failed is no part of the conversation. Messages are answered one after the other.
   */
  readonly send: (message: string, options?: SendOptions) => Promise<Outcome>
}

/** What an agent needs of a Legwork. */
export interface AgentHost extends Pick<Legwork, 'tools' | 'why'> {
  readonly executeTool: ExecuteTool
  readonly redactor: Pick<Redactor, 'text' | 'value'>
  /** The configuration's. */
  readonly model: string | undefined
  /** What the policy decides on a tool that is in no catalogue. */
  readonly whyTool: WhyTool
  /** The tools that a document defines, without those that have a fault: that is told in the warnings. */
  readonly toolsOf: (document: Document, warnings: string[]) => readonly ToolDefinition[]
}

const messageSchema: Schema = {
  type: 'json',
  schema: { type: 'object', properties: { message: { type: 'string', minLength: 1 } }, required: ['message'] },
}

/** Throws for a document that is no agent, for one that has no model, and for a model that cannot be had. */
export async function openAgent(host: AgentHost, given: Document | string, options: AgentOptions = {}): Promise<Agent> {
  const document = typeof given === 'string' ? read(given) : given
  const { variables = {}, about, maxSteps = 20, maxCalls = 128, maxRetries = 2, readOnly = false } = options
  checkAmount('maxSteps', maxSteps)
  checkAmount('maxCalls', maxCalls)
  const prompt = agentPrompt(document, new Map(Object.entries(variables)))
  if (!prompt.ok) throw new LegworkError('invalid-document', prompt.message)
  const name = agentName(document)
  const model = await modelOf(host, document, options)
  const working = about ? `\n\nThe document that you work on:\n\n${textWithoutTools(about)}` : ''
  const instructions = host.redactor.text(`${prompt.instructions}${working}`)
  const caller: Caller = { front: 'agent', name, readOnly }
  const messages: ModelMessage[] = []
  const conversation: Utterance[] = []
  const results: ToolResult[] = []
  const redact = (text: string) => host.redactor.text(text)
  const settings = { model, instructions, caller, maxSteps, maxCalls, maxRetries, about, redact }

  const definition = (message: string): ToolDefinition => ({
    name: { module: 'agent', path: [name] },
    kind: 'document',
    description: `A message to the agent ${name}`,
    input: messageSchema,
    // What its tools do is decided for each of them; the answer itself is a question to a model, and no more.
    effects: { readOnly: true, destructive: false, filesystem: { write: false }, ...effectsOf(model) },
    trust: 'native',
    ownersOwn: true,
    limits: { timeoutMs: limitSpecs.timeoutMs.max },
    run: async (_, context) => {
      const { tools, warnings } = await agentTools(host, document, caller)
      const told = host.redactor.text(message)
      const spoken: Utterance[] = [...conversation, { role: 'user', text: told }]
      const heard = [...results]
      const turn = await agentTurn({ ...settings, tools, messages, spoken, heard }, told, context)
      if (turn.ran.ok && !context.signal.aborted) {
        messages.push({ role: 'user', content: told }, ...turn.messages)
        conversation.push({ role: 'user', text: told }, { role: 'assistant', text: String(turn.ran.value) })
        results.splice(0, results.length, ...heard.slice(-mostResults))
      }
      return { ...turn.ran, warnings: [...warnings, ...(turn.ran.warnings ?? [])] }
    },
  })

  let last: Promise<unknown> = Promise.resolve()
  const send: Agent['send'] = (message, { signal, timeoutMs, onEvent, caller: sender, approve } = {}) => {
    const call = {
      input: { message },
      ...(signal && { signal }),
      ...(approve && { approve }),
      ...(sender && { caller: sender }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    }
    const answer = last.then(() => host.executeTool(definition(message), call, onEvent))
    last = answer.catch(() => {})
    return answer
  }
  return { name, model: modelName(model), warnings: prompt.warnings, conversation, send }
}

/** With none at all, the model would never be stopped. */
function checkAmount(name: string, value: number): void {
  const most = 1_000
  if (!Number.isInteger(value) || value < 1 || value > most) throw new LimitError(name, value, 1, most)
}

function read(text: string): Document {
  const parsed = parseDocument(text)
  if (parsed.ok) return parsed.document
  throw new DocumentError(parsed.faults)
}

/** So many results of tools are kept for those that come after. */
const mostResults = 100

async function modelOf(host: AgentHost, document: Document, { model }: AgentOptions): Promise<Model> {
  if (typeof model === 'object') return model
  const name = document.attributes.model || undefined
  if (model !== undefined) return openModel(model)
  if (host.model !== undefined) return openModel(host.model, { name })
  throw new LegworkError(
    'unknown-provider',
    'There is no language model. Name one as "model" in legwork.jsonc, such as "openai-compatible:http://127.0.0.1:11434/v1#llama".',
  )
}
