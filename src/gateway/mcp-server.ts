// One MCP server of the SDK's for one connection, or for one request where the revision knows no connections, with our handlers.

import { McpServer, ProtocolError, ResourceNotFoundError, type ServerContext } from '@modelcontextprotocol/server'
import { isObject } from '../base/json.ts'
import type { ReadMethod, Upstream } from '../mcp/upstream.ts'
import { resultTemplate } from '../model/large-result.ts'
import type { Outcome } from '../model/outcome.ts'
import { visibleDeep } from '../outcome/visible-deep.ts'
import { callFor, eventsFor } from './mcp-calls.ts'
import { claimNotice, splitArguments } from './mcp-claim.ts'
import type { McpFront } from './mcp-front.ts'
import { metaInstructions } from './mcp-meta.ts'
import { Peer, type Result, type Work } from './mcp-peer.ts'
import { type CallResult, callResult, protocolFailure, withoutMedia } from './mcp-result.ts'
import { type AttachedSkills, attachSkills, skillScheme } from './mcp-skills.ts'
import type { Expose } from './mcp-tools.ts'

export interface ServerOptions {
  readonly expose: Expose
  readonly isModern: boolean
  /** The client's name for as long as its connection lasts; missing where there are no connections. */
  readonly session?: string
  readonly gone: AbortSignal
  /** The one request that it is made for, where it is made for one. */
  readonly method?: string | undefined
}

const capabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
}
const anything = {
  '~standard': { version: 1, vendor: 'legwork', validate: (value: unknown) => ({ value }) },
} as const
const invalidParams = -32_602
const internalError = -32_603
const resultsPrefix = 'legwork://results/'

export async function makeServer(front: McpFront, options: ServerOptions): Promise<McpServer> {
  const { expose } = options
  const mcp = new McpServer(
    { name: 'legwork', version: front.version },
    expose === 'meta' ? { instructions: metaInstructions } : {},
  )
  // Said here and not above, where each would bring handlers of the SDK's own.
  mcp.server.registerCapabilities(capabilities)
  // What handles other requests than the one to come need not be there.
  const isFor = (requests: RegExp) => options.method === undefined || requests.test(options.method)
  const catalogue = isFor(/^(skills|resources|server)\//) ? await front.skills : undefined
  const skills = catalogue && attachSkills(mcp, catalogue)
  const peer = new Peer({ ...options, server: mcp.server, held: front.held })
  const handle = (method: string, handler: (params: Params, context: ServerContext) => Promise<Result>) =>
    mcp.server.setRequestHandler(method, { params: anything }, async (params: unknown, context: ServerContext) => {
      return handler(isObject(params) ? params : {}, context)
    })

  if (isFor(/^tools\//)) addTools(mcp, front, options, peer, handle)
  if (isFor(/^resources\//)) addResources(front, peer, skills, handle, mcp)
  if (isFor(/^(prompts|completion)\//)) addPrompts(front, peer, handle)
  return mcp
}

type Params = Readonly<Record<string, unknown>>
type Handle = (method: string, handler: (params: Params, context: ServerContext) => Promise<Result>) => void

function addTools(mcp: McpServer, front: McpFront, { expose }: ServerOptions, peer: Peer, handle: Handle): void {
  const { lists, meta, parts } = front
  // Arguments that travel in headers too are checked by the SDK against what was listed.
  Object.defineProperty(mcp, 'toolInputSchemaJson', { value: (name: string) => lists.named(name)?.inputSchema })
  handle('tools/list', async () => ({ tools: await lists.list(expose) }))
  handle('tools/call', async (params, context) => {
    const { name } = params
    if (typeof name !== 'string') throw new ProtocolError(invalidParams, 'A call needs the name of a tool.')
    const isMeta = await lists.isMeta(expose)
    const { input, claim } = splitArguments(params, isMeta)
    return peer.work({ context, about: ['tools/call', name, params.arguments], claim }, async (work) => {
      if (isMeta) {
        const end = await meta.call(name, input, work)
        if (!end) throw new ProtocolError(invalidParams, `There is no tool "${name}". Look for it with search_tools.`)
        if ('result' in end) return projected(mcp, name, end.result, front)
        return projected(
          mcp,
          name,
          await resultOf(front, end.outcome, claimNotice(end.outcome, end.claim, true), true),
          front,
        )
      }
      const outcome = await parts.execute({ ...callFor(work), tool: name, input }, eventsFor(work))
      return projected(mcp, name, await resultOf(front, outcome, claimNotice(outcome, work.claim, false)), front)
    })
  })
}

async function resultOf(
  { lists, parts }: McpFront,
  outcome: Outcome,
  notice: string | undefined,
  isMeta = false,
): Promise<CallResult> {
  const tool = await lists.byId(outcome.tool)
  const failure = protocolFailure(outcome, tool?.kind, isMeta)
  if (failure) throw new ProtocolError(failure.code, failure.message, failure.data)
  const result = callResult(outcome, tool, await parts.results?.keep(withoutMedia(outcome, tool?.kind)))
  return notice === undefined ? result : { ...result, content: [...result.content, { type: 'text', text: notice }] }
}

/** Older revisions know structured content as objects alone. */
function projected(mcp: McpServer, name: string, result: CallResult, { lists }: McpFront): Result {
  const { server } = mcp
  const made: unknown = Reflect.apply(server.projectCallToolResult, server, [result, lists.named(name)?.outputSchema])
  return isObject(made) ? made : result
}

function addResources(
  front: McpFront,
  peer: Peer,
  skills: AttachedSkills | undefined,
  handle: Handle,
  mcp: McpServer,
): void {
  const { passed, parts, subscriptions } = front
  handle('resources/list', async (_, context) => {
    const [own = [], upstream] = await Promise.all([skills?.list(context), passed.list('resources')])
    return { resources: [...own, ...upstream] }
  })
  handle('resources/templates/list', async () => {
    const results = { uriTemplate: resultTemplate, name: 'Long results', description: 'A part of a result.' }
    return { resourceTemplates: [...(parts.results ? [results] : []), ...(await passed.list('templates'))] }
  })
  handle('resources/read', async (params, context) => {
    const uri = uriOf(params)
    if (uri.startsWith(resultsPrefix)) return readPart(front, uri)
    const skill = uri.startsWith(skillScheme) ? await skills?.read(uri, context) : undefined
    if (skill) return skill
    const upstream = await passed.ownerOf(uri)
    if (!upstream) throw new ResourceNotFoundError(uri)
    return read(front, peer, upstream, 'resources/read', { uri }, context)
  })
  handle('resources/subscribe', async (params) => {
    const uri = uriOf(params)
    const upstream = await passed.ownerOf(uri)
    if (!upstream) throw new ResourceNotFoundError(uri)
    if (!(await subscriptions.add(mcp, uri, upstream))) throw new ProtocolError(internalError, 'Too many resources.')
    return {}
  })
  handle('resources/unsubscribe', async (params) => {
    await subscriptions.remove(mcp, uriOf(params))
    return {}
  })
}

async function readPart({ parts }: McpFront, uri: string): Promise<Result> {
  const part = await parts.results?.read(uri)
  if (!part) throw new ResourceNotFoundError(uri)
  const { text, mediaType, offset, nextOffset, bytes } = part
  const _meta = { 'legwork/part': { offset, bytes, ...(nextOffset !== undefined && { nextOffset }) } }
  return { contents: [{ uri, mimeType: mediaType, text, _meta }] }
}

function addPrompts(front: McpFront, peer: Peer, handle: Handle): void {
  const { passed } = front
  handle('prompts/list', async () => ({ prompts: await passed.list('prompts') }))
  handle('prompts/get', async (params, context) => {
    const prompt = typeof params.name === 'string' ? await passed.prompt(params.name) : undefined
    if (!prompt) throw new ProtocolError(invalidParams, 'There is no prompt of that name.')
    const input = { name: prompt.name, ...(isObject(params.arguments) && { arguments: params.arguments }) }
    return read(front, peer, prompt.upstream, 'prompts/get', input, context)
  })
  handle('completion/complete', async ({ ref, argument, context: more }, { mcpReq }) => {
    const place = await completedBy(front, ref)
    const params = place && { ref: place.ref, argument, ...(isObject(more) && { context: more }) }
    const answer = params && (await place.upstream.complete(params, mcpReq.signal))
    return isObject(answer) && isObject(answer.completion) ? { completion: answer.completion } : nothingToComplete
  })
}

const nothingToComplete = { completion: { values: [], total: 0, hasMore: false } }

async function completedBy({ passed }: McpFront, ref: unknown) {
  if (!isObject(ref)) return undefined
  if (ref.type === 'ref/prompt' && typeof ref.name === 'string') {
    const prompt = await passed.prompt(ref.name)
    return prompt && { upstream: prompt.upstream, ref: { ...ref, name: prompt.name } }
  }
  const upstream = typeof ref.uri === 'string' ? await passed.template(ref.uri) : undefined
  return upstream && { upstream, ref }
}

/** Reads from a server behind us, on the one path; the answer is passed on as it came, without secrets. */
function read(
  front: McpFront,
  peer: Peer,
  upstream: Upstream,
  method: ReadMethod,
  input: Params,
  context: ServerContext,
): Promise<Result> {
  return peer.work({ context, about: [method, input] }, async (work: Work) => {
    const call = { ...callFor(work), input }
    const outcome = await front.parts.executeTool(upstream.reader(method), call, eventsFor(work))
    const failure = protocolFailure(outcome, 'mcp')
    if (failure) throw new ProtocolError(failure.code, failure.message, failure.data)
    if (!outcome.ok || !isObject(outcome.value)) {
      const told = [outcome.text, claimNotice(outcome, work.claim, false)].filter(Boolean)
      throw new ProtocolError(internalError, told.join('\n'))
    }
    const { resultType: _, _meta: __, ...result } = outcome.value
    return visibleDeep(result)
  })
}

function uriOf({ uri }: Params): string {
  if (typeof uri === 'string' && uri !== '') return uri
  throw new ProtocolError(invalidParams, 'A resource is known by its "uri".')
}
