// From elements to blocks, in one pass: a block is made when its element closes, so its children are there already.

import { didYouMean, nearest } from '../base/text.ts'
import { parametersFinding } from './call-parts.ts'
import type { DiffOperation } from './diff-operations.ts'
import type {
  Attributes,
  Block,
  FunctionCallBlock,
  Source,
  StoredParameters,
  ToolBlock,
  TriggerBlock,
} from './document.ts'
import { type Finding, isWarning, maxFaults, maxWarnings, type Report } from './faults.ts'
import { type PartRole, partsIn, placeIn, rootPlace } from './grammar.ts'
import { inlineNode } from './inline.ts'
import { isBlockRole, makeBlock, type Open } from './make-block.ts'
import { plainText } from './rich-text.ts'
import type { SyntaxHandler } from './syntax.ts'
import { checkAttributes } from './validate.ts'
import { Scope } from './variables.ts'

/** Deeper documents are refused: every walk over one may then be recursive. */
export const maxDepth = 256

/** A finding that knows its block and its tool by their places in `allBlocks`: they may have no ids yet. */
export interface Found {
  readonly finding: Finding
  readonly blockAt?: number | undefined
  readonly toolAt?: number | undefined
  /** The parameters that it is about. */
  readonly parameters?: StoredParameters
}

export interface Root {
  readonly element: string
  readonly attributes: Attributes
  readonly blocks: readonly Block[]
  readonly source: Source
}

export class Builder implements SyntaxHandler {
  readonly found: Found[] = []
  /** Parameters that have a fault which is not listed, because there are so many. */
  readonly unlisted: StoredParameters[] = []
  readonly allBlocks: Block[] = []
  readonly calls: FunctionCallBlock[] = []
  readonly triggers: TriggerBlock[] = []
  readonly tools: ToolBlock[] = []
  readonly operations: DiffOperation[] = []
  scope = new Scope()
  root: Root | undefined
  readonly #text: string
  readonly #open: Open[] = []
  /** The tool whose definition is being read. */
  #tool: Open | undefined
  /** How many elements are open below the deepest that counts. */
  #skipped = 0
  #warnings = 0
  #faults = 0

  constructor(text: string) {
    this.#text = text
  }

  readonly open = (element: string, attributes: Attributes, start: number, contentStart: number): void => {
    if (this.#skipped > 0 || this.#open.length >= maxDepth) {
      if (this.#skipped++ === 0) this.#tooDeep(start)
      return
    }
    const parent = this.#open.at(-1)
    const place = parent ? placeIn(parent, element) : rootPlace(element)
    const at = isBlockRole(place.role) ? this.allBlocks.length : parent?.at
    const opened: Open = {
      element,
      attributes,
      start,
      contentStart,
      at,
      ...place,
      text: '',
      rich: [],
      blocks: [],
    }
    if (isBlockRole(place.role)) this.allBlocks.push(notYet)
    if (place.role === 'tool') this.#openTool(opened)
    // Operations may be about different tools: what they say together is known when they are applied.
    if (place.role === 'operation') this.scope = new Scope()
    if (place.isUnknown) this.#unknown(opened, parent)
    else if (this.#warnings < maxWarnings) checkAttributes(element, attributes, start, this.#reportFor(opened))
    this.#open.push(opened)
  }

  readonly text = (text: string): void => {
    const parent = this.#open.at(-1)
    if (!parent || this.#skipped > 0) return
    const { accepts, rich } = parent
    if (accepts === 'text') {
      parent.text += text
    } else if (accepts === 'prose' || accepts === 'rich') {
      const before = rich.at(-1)
      if (typeof before === 'string') rich[rich.length - 1] = before + text
      else rich.push(text)
    } else if (!parent.isToldOfText && /\S/.test(text)) {
      parent.isToldOfText = true
      const isOfDiff = parent.role === 'operation' || accepts === 'diff'
      const code = isOfDiff ? 'TEXT_OUTSIDE_BLOCKS' : 'STRAY_TEXT'
      const message = `There is text in <${parent.element}> that belongs to no block${isOfDiff ? ', and would be lost' : ''}.`
      const hint = accepts === 'blocks' ? 'Put it into a <p>.' : 'Remove it.'
      this.#find(parent, { code, message, hint, offset: parent.contentStart })
    }
  }

  readonly close = (contentEnd: number, end: number): void => {
    if (this.#skipped > 0) {
      this.#skipped--
      return
    }
    const closed = this.#open.pop()
    if (!closed) return
    const source = Object.freeze({ start: closed.start, contentStart: closed.contentStart, contentEnd, end })
    const parent = this.#open.at(-1)
    if (isBlockRole(closed.role)) this.#closeBlock(closed, makeBlock(closed, source, this.#reportFor(closed)), parent)
    else this.#closePart(closed, closed.role, source, parent)
  }

  #openTool(opened: Open): void {
    opened.calls = []
    opened.scope = new Scope()
    if (!this.#tool) this.#tool = opened
    else {
      const hint = 'Define it beside the other one, and call it from there.'
      const message = 'A tool is defined inside another.'
      this.#find(opened, { code: 'NESTED_TOOL', message, hint, offset: opened.start })
    }
  }

  #closeBlock(closed: Open, block: Block, parent: Open | undefined): void {
    if (closed.at !== undefined) this.allBlocks[closed.at] = block
    parent?.blocks.push(block)
    if (block.kind === 'call') (this.#tool?.calls ?? this.calls).push(block)
    if (block.kind === 'trigger' && !this.#tool) this.triggers.push(block)
    if (block.kind === 'tool') this.tools.push(block)
    if (closed === this.#tool) this.#tool = undefined
  }

  /** What is no block itself goes into the one around it. */
  #closePart(closed: Open, role: PartRole, source: Source, parent: Open | undefined): void {
    const { element, attributes, rich, blocks, text } = closed
    switch (role) {
      case 'root':
        this.root = { element, attributes, blocks: Object.freeze(blocks), source }
        return
      case 'inline': {
        const report = this.#reportFor(closed)
        const node = inlineNode(element, attributes, Object.freeze(rich), source, report)
        if (node.kind === 'variable' && node.name) (this.#tool?.scope ?? this.scope).declare(node, report)
        parent?.rich.push(node)
        return
      }
      case 'params':
        if (!parent || this.#isRepeated(parent.parameters, closed)) return
        parent.parameters = { raw: text, source }
        this.#checkParameters(closed, parent.parameters)
        return
      case 'content':
        if (!parent || this.#isRepeated(parent.content, closed)) return
        parent.content = Object.freeze({ rich: Object.freeze(rich), source })
        return
      case 'result':
        if (!parent) return
        if (!this.#isRepeated(parent.result, closed)) parent.result = { raw: text, attributes, source }
        else if (parent.repeated) parent.repeated.push(source)
        else parent.repeated = [source]
        return
      case 'description':
        if (parent && !this.#isRepeated(parent.description, closed)) parent.description = plainText(rich).trim()
        return
      case 'definition':
        for (const block of blocks) parent?.blocks.push(block)
        return
      case 'operation':
        this.operations.push(
          Object.freeze({
            ...{ element, attributes, source, text },
            ...{ blocks: Object.freeze(blocks), content: Object.freeze(rich) },
          }),
        )
        return
      case 'stray':
        if (parent?.accepts === 'text') parent.text += text
        return
      default:
        role satisfies never
    }
  }

  #checkParameters(closed: Open, parameters: StoredParameters): void {
    const finding = parametersFinding(this.#text, parameters)
    if (!finding) Object.freeze(parameters)
    else if (!this.report({ finding, blockAt: closed.at, toolAt: this.#tool?.at, parameters })) {
      this.unlisted.push(parameters)
    }
  }

  #isRepeated(before: unknown, closed: Open): boolean {
    if (before === undefined) return false
    const message = `<${closed.element}> is there more than once; the first one counts.`
    this.#find(closed, { code: 'REPEATED_ELEMENT', message, hint: 'Remove the others.', offset: closed.start })
    return true
  }

  #unknown(opened: Open, parent: Open | undefined): void {
    const { element, start: offset } = opened
    if (!parent) {
      if (this.root) return
      const hint = 'Begin with <document>, <agent> or <diff>.'
      this.#find(opened, { code: 'UNKNOWN_ROOT', message: `<${element}> is no root of a document.`, hint, offset })
    } else if (parent.accepts === 'diff') {
      const hint = 'Use edit:attr, edit:prop, edit:content, edit:params, edit:id, insert, delete, replace or move.'
      this.#find(opened, {
        code: 'UNKNOWN_OPERATION',
        message: `<${element}> is no operation of a diff.`,
        hint,
        offset,
      })
    } else if (element === 'variable' && parent.role === 'params') {
      const message = 'A variable stands in <params>, where nothing fills it in.'
      this.#find(opened, { code: 'INVALID_VARIABLE', message, hint: 'Variables belong into <content>.', offset })
    } else if (this.#warnings < maxWarnings) {
      const message = `<${element}> is not known in <${parent.element}>; it is kept as it is.`
      const hint = didYouMean(nearest(element, partsIn(parent))).trim() || 'Remove it if it is a mistake.'
      this.#find(opened, { code: 'UNKNOWN_ELEMENT', message, hint, offset })
    }
  }

  #tooDeep(offset: number): void {
    const message = `More than ${maxDepth} elements are inside one another here.`
    this.report({ finding: { code: 'TOO_DEEP', message, hint: 'Nest less deeply.', offset } })
  }

  #reportFor(open: Open): Report {
    return (finding) => this.#find(open, finding)
  }

  #find(open: Open, finding: Finding): boolean {
    return this.report({ finding, blockAt: open.at, toolAt: this.#tool?.at })
  }

  /** Keeps what was found, unless there is too much of it already. */
  report(found: Found): boolean {
    const isKept = isWarning(found.finding) ? this.#warnings++ < maxWarnings : this.#faults++ < maxFaults
    if (isKept) this.found.push(found)
    return isKept
  }

  /** How many faults were left out because there were too many. */
  get dropped(): number {
    return Math.max(0, this.#faults - maxFaults)
  }
}

/** Holds a block's place until its element closes. */
const notYet: Block = Object.freeze({
  ...{ kind: 'separator', id: '', hasOwnId: false, element: '', attributes: Object.freeze(Object.create(null)) },
  source: Object.freeze({ start: 0, contentStart: 0, contentEnd: 0, end: 0 }),
})
