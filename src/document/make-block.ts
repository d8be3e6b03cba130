// One block, made of what was read between its tags.

import type {
  Attributes,
  Block,
  Content,
  FunctionCallBlock,
  RichNode,
  Source,
  StoredParameters,
  StoredResult,
} from './document.ts'
import type { Report } from './faults.ts'
import type { PartRole, Place } from './grammar.ts'
import { calledName, enabledOf, levelOf } from './validate.ts'
import type { Scope } from './variables.ts'

/** An element that is still open, and what was found in it so far. */
export interface Open extends Place {
  readonly element: string
  readonly attributes: Attributes
  readonly start: number
  readonly contentStart: number
  /** Its place among all blocks; that of the block around it where it is none itself. */
  readonly at: number | undefined
  text: string
  readonly rich: RichNode[]
  readonly blocks: Block[]
  parameters?: StoredParameters
  content?: Content
  result?: StoredResult
  repeated?: Source[]
  description?: string
  /** Of a tool. */
  calls?: FunctionCallBlock[]
  scope?: Scope
  isToldOfText?: boolean
}

const noBlocks: readonly Block[] = Object.freeze([])

const partRoles: ReadonlySet<string> = new Set<PartRole>([
  ...(['root', 'inline', 'params', 'content', 'result', 'description', 'definition', 'operation', 'stray'] as const),
])

export function isBlockRole(role: Open['role']): role is Block['kind'] {
  return !partRoles.has(role)
}

/** Its id is still to be given where it has none of its own; it is frozen then. */
export function makeBlock(open: Open, source: Source, report: Report): Block {
  const { element, attributes, start, text } = open
  const role = isBlockRole(open.role) ? open.role : 'unknown'
  const base = { id: attributes.id ?? '', hasOwnId: Boolean(attributes.id), element, attributes, source }
  const inside = { content: open.rich, blocks: open.blocks.length ? open.blocks : noBlocks }
  switch (role) {
    case 'paragraph':
    case 'bullet':
    case 'number':
    case 'quote':
    case 'unknown':
      return { kind: role, ...base, ...frozen(inside) }
    case 'check':
      return { kind: role, ...base, checked: attributes.checked === 'true', ...frozen(inside) }
    case 'heading':
      return { kind: role, ...base, level: levelOf(element, attributes, start, report), ...frozen(inside) }
    case 'code':
    case 'data':
      return { kind: role, ...base, text }
    case 'separator':
      return { kind: role, ...base }
    case 'call':
      return { kind: role, ...base, tool: calledName(role, attributes, start, report), ...parts(open) }
    case 'trigger': {
      const enabled = enabledOf(attributes, start, report)
      return { kind: role, ...base, tool: calledName(role, attributes, start, report), enabled, ...parts(open) }
    }
    case 'tool': {
      const { title = '', icon } = attributes
      const { description = '', calls = [], scope, blocks } = open
      if (!title.trim()) {
        const hint = 'Write title="…": it is what the tool is called by.'
        report({ code: 'MISSING_TITLE', message: 'This tool has no title.', hint, offset: start })
      }
      const inner = frozen({ definition: blocks, calls })
      const variables = scope?.declarations() ?? []
      return { kind: role, ...base, title, ...(icon !== undefined && { icon }), description, ...inner, variables }
    }
    default:
      return role satisfies never
  }
}

function parts({
  parameters,
  content,
  result,
  repeated,
}: Open): Pick<FunctionCallBlock, 'parameters' | 'content' | 'result'> {
  const stored = result && Object.freeze(repeated ? { ...result, repeated: Object.freeze(repeated) } : result)
  return { ...(parameters && { parameters }), ...(content && { content }), ...(stored && { result: stored }) }
}

function frozen<T extends Record<string, readonly unknown[]>>(lists: T): T {
  for (const name in lists) Object.freeze(lists[name])
  return lists
}
