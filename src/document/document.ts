// What a document is once it is parsed: blocks in order, rich text, tools, triggers, and where each of them stands in the text.
// Everything here is frozen. Offsets are those of a JavaScript string (UTF-16 units), ends exclusive.

import type { JsonObject } from '../base/json.ts'
import type { ReplaceFaultCode } from '../base/text-file.ts'
import type { DiffOperation } from './diff-operations.ts'
import type { DocumentFault } from './faults.ts'
import type { ResultCheck, ResultsLike, WithResultsOptions } from './stored-results.ts'

export type DocumentRoot = 'document' | 'agent' | 'diff'

export interface Document {
  readonly root: DocumentRoot
  /** The whole text, exactly as it was given. */
  readonly text: string
  /** The file it was read from, if it was. */
  readonly path?: string
  /** The root's own attributes, such as an agent's `name` and `model`. */
  readonly attributes: Attributes
  readonly source: Source
  /** The blocks at the top, in order; list items, quotes and tools hold more. */
  readonly blocks: readonly Block[]
  /** Every block there is, in the order of the text, those in tools included. */
  readonly allBlocks: readonly Block[]
  /** Every block that runs when the document does, in order: not those in the definition of a tool. */
  readonly calls: readonly FunctionCallBlock[]
  readonly triggers: readonly TriggerBlock[]
  readonly tools: readonly ToolBlock[]
  /** Those outside of tools. */
  readonly variables: readonly VariableDeclaration[]
  /** What a `<diff>` asks for; empty for the other roots. */
  readonly operations: readonly DiffOperation[]
  /** What is odd, though not so odd that nothing may run. */
  readonly warnings: readonly DocumentFault[]
  /** Any block, at whatever depth, in tools too. */
  readonly block: (id: string) => Block | undefined
  /** Where an attribute stands in the text: the whole of it, and its value between the quotes. */
  readonly attributeSource: (element: { readonly source: Source }, name: string) => AttributeSource | undefined
  /** The text with these results in it, and not one other byte changed. */
  readonly withResults: (results: ResultsLike, options?: WithResultsOptions) => string
  /** Writes that text into the file, or into another, which may be new; refuses when the file is not what was parsed. */
  readonly write: (results: ResultsLike, options?: WithResultsOptions & { readonly path?: string }) => Promise<Written>
  /** The text without any results. */
  readonly strip: () => string
  /** Whether the stored results still belong to the blocks, without running anything. */
  readonly check: () => readonly ResultCheck[]
  /** The text with a diff applied: all of it, or none. */
  readonly apply: (diff: string) => Applied
}

export type ParsedDocument =
  | { readonly ok: true; readonly document: Document }
  | {
      readonly ok: false
      readonly faults: readonly DocumentFault[]
      /** What could be read all the same, when the text is well-formed: for using the tools in it that have no fault. */
      readonly partial?: Document
    }

export type Written =
  | { readonly ok: true; readonly path: string; readonly text: string }
  | { readonly ok: false; readonly code: WriteFaultCode; readonly message: string }

export type WriteFaultCode = 'no-path' | ReplaceFaultCode

/** Places are those in the diff. */
export type Applied =
  | {
      readonly ok: true
      readonly text: string
      /** What is odd in the diff, though it could be done. */
      readonly warnings: readonly DocumentFault[]
    }
  | { readonly ok: false; readonly faults: readonly DocumentFault[] }

/** By name; it inherits nothing, so that nothing is in it but what the text says. */
export type Attributes = Readonly<Record<string, string>>

/** Where an element stands. A self-closing one has `contentStart`, `contentEnd` and `end` in one place. */
export interface Source {
  readonly start: number
  /** Just after the `>` of the opening tag. */
  readonly contentStart: number
  /** At the `<` of the closing tag. */
  readonly contentEnd: number
  readonly end: number
}

export interface AttributeSource {
  readonly start: number
  readonly end: number
  readonly valueStart: number
  readonly valueEnd: number
}

interface BlockBase {
  /** As it is written, or derived from place and content: the same on every parse. */
  readonly id: string
  readonly hasOwnId: boolean
  /** The element as it is written: `p`, `h2`, `fncall`, … */
  readonly element: string
  readonly attributes: Attributes
  readonly source: Source
}

export type Block =
  | ProseBlock
  | TextBlock
  | SeparatorBlock
  | FunctionCallBlock
  | TriggerBlock
  | ToolBlock
  | UnknownBlock

/** Paragraphs, headings, list items and quotes: rich text, and blocks below it. */
export interface ProseBlock extends BlockBase {
  readonly kind: 'paragraph' | 'heading' | 'bullet' | 'number' | 'check' | 'quote'
  /** Of a heading, 1 to 6. */
  readonly level?: number
  /** Of a check-list item. */
  readonly checked?: boolean
  readonly content: RichText
  readonly blocks: readonly Block[]
}

/** `<code>` and `<data>`: text as it is. */
export interface TextBlock extends BlockBase {
  readonly kind: 'code' | 'data'
  readonly text: string
}

export interface SeparatorBlock extends BlockBase {
  readonly kind: 'separator'
}

export interface FunctionCallBlock extends BlockBase {
  readonly kind: 'call'
  /** `module:function` or `function`, both JavaScript identifiers. */
  readonly tool: string
  readonly parameters?: StoredParameters
  readonly content?: Content
  readonly result?: StoredResult
}

export interface TriggerBlock extends BlockBase {
  readonly kind: 'trigger'
  /** The tool that a run of it calls. */
  readonly tool: string
  /** False for `enabled="false"`: it does not run. */
  readonly enabled: boolean
  readonly parameters?: StoredParameters
  readonly content?: Content
  readonly result?: StoredResult
}

/** What calls a tool. */
export type RunnableBlock = FunctionCallBlock | TriggerBlock

/** A tool that the document defines. Its blocks run only when it is called. */
export interface ToolBlock extends BlockBase {
  readonly kind: 'tool'
  readonly title: string
  readonly icon?: string
  readonly description: string
  readonly definition: readonly Block[]
  /** Of the definition, in order. */
  readonly calls: readonly FunctionCallBlock[]
  /** In the order of their declaration; a name stands here once. */
  readonly variables: readonly VariableDeclaration[]
}

/** Kept as it is, with a warning. */
export interface UnknownBlock extends BlockBase {
  readonly kind: 'unknown'
  readonly content: RichText
  readonly blocks: readonly Block[]
}

/** What stands in `<params>`; `parametersOf` parses it. */
export interface StoredParameters {
  /** With entities and CDATA undone. */
  readonly raw: string
  readonly source: Source
  /** Why it is no JSON object, if it is none. */
  readonly fault?: DocumentFault
}

export type ReadParameters =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly fault: DocumentFault }

export interface Content {
  readonly rich: RichText
  readonly source: Source
}

/** What stands in `<result>`; `storedResult` parses it. */
export interface StoredResult {
  readonly raw: string
  readonly attributes: Attributes
  readonly source: Source
  /** More `<result>`s of the same block; they do not count. */
  readonly repeated?: readonly Source[]
}

export type RichText = readonly RichNode[]

export type RichNode = string | Mark | Link | Mention | Variable | Annotation | UnknownInline

interface InlineBase {
  readonly element: string
  readonly attributes: Attributes
  readonly content: RichText
  readonly source: Source
}

export interface Mark extends InlineBase {
  readonly kind: 'mark'
  readonly mark: 'strong' | 'em' | 'u' | 's' | 'code'
}

export interface Link extends InlineBase {
  readonly kind: 'link'
  readonly href: string
}

export interface Mention extends InlineBase {
  readonly kind: 'mention'
  /** What stands after the colon: `user`, `document`, `agent`, `topic`, … */
  readonly type: string
  readonly id?: string
  /** Its `label`, else its text, else its id. */
  readonly label: string
}

export interface Variable extends InlineBase {
  readonly kind: 'variable'
  readonly name: string
  readonly prompt?: string
}

export interface Annotation extends InlineBase {
  readonly kind: 'annotation'
}

export interface UnknownInline extends InlineBase {
  readonly kind: 'unknown'
}

/** A variable where it is first named. */
export interface VariableDeclaration {
  readonly name: string
  readonly prompt?: string
  /** The empty text when nothing resolves it: `optional="true"`, or a prompt that ends in "(optional)". */
  readonly optional: boolean
  /** `type="number"` and the like: checked, and still text. */
  readonly type?: string
  /** `options="a,b"`: the values it may have. */
  readonly options?: readonly string[]
  readonly source: Source
}
