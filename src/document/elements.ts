// The elements that documents are made of, in both dialects, and the attributes that each may have.

import type { Mark, ProseBlock, TextBlock } from './document.ts'

export const proseElements: Readonly<Record<string, Pick<ProseBlock, 'kind' | 'level'>>> = table({
  p: { kind: 'paragraph' },
  paragraph: { kind: 'paragraph' },
  heading: { kind: 'heading' },
  h1: { kind: 'heading', level: 1 },
  h2: { kind: 'heading', level: 2 },
  h3: { kind: 'heading', level: 3 },
  h4: { kind: 'heading', level: 4 },
  h5: { kind: 'heading', level: 5 },
  h6: { kind: 'heading', level: 6 },
  bulletlistitem: { kind: 'bullet' },
  numberedlistitem: { kind: 'number' },
  checklistitem: { kind: 'check' },
  quote: { kind: 'quote' },
})

export const textElements: Readonly<Record<string, TextBlock['kind']>> = table({ code: 'code', data: 'data' })

/** Elements that hold blocks and are told by their own rules. */
export const otherBlocks: ReadonlySet<string> = new Set(['separator', 'fncall', 'trigger', 'tool', 'function'])

export const marks: Readonly<Record<string, Mark['mark']>> = table({
  strong: 'strong',
  b: 'strong',
  em: 'em',
  i: 'em',
  u: 'u',
  underline: 'u',
  s: 's',
  strike: 's',
  del: 's',
  code: 'code',
  tt: 'code',
})

export const annotations: ReadonlySet<string> = new Set(['annotation', 'annotatedtext', 'aieditresponse'])

/** Where a block names what it calls; the first one that is there counts. */
export const functionAttributes = ['idyll-tool', 'idyll-fn', 'fn'] as const
export const triggerAttributes = ['idyll-trigger', 'trigger', 'idyll-fn', 'fn', 'idyll-tool'] as const

const anchors = ['after-block-id', 'before-block-id', 'at-start', 'at-end'] as const

/** What a diff may ask for, and the attributes that say what exactly. */
export const operations: Readonly<Record<string, readonly string[]>> = table({
  'edit:attr': ['block-id', 'name', 'value'],
  'edit:prop': ['block-id', 'name', 'value'],
  'edit:content': ['block-id'],
  'edit:params': ['block-id'],
  'edit:id': ['block-id', 'value'],
  insert: anchors,
  delete: ['block-id'],
  replace: ['block-id'],
  move: ['block-id', 'block-ids', 'from-block-id', 'to-block-id', ...anchors],
})

export const variableTypes: ReadonlySet<string> = new Set(['text', 'string', 'number', 'integer', 'boolean'])

const none: readonly string[] = []

/** Besides `id`. An element that is not here may have any attribute. */
export const attributeNames: Readonly<Record<string, readonly string[]>> = table({
  ...operations,
  document: ['title', 'version', 'created', 'modified', 'description'],
  agent: ['title', 'name', 'description', 'model', 'tools'],
  heading: ['level'],
  checklistitem: ['checked'],
  code: ['language'],
  data: ['title'],
  quote: ['author', 'source'],
  fncall: [...functionAttributes, 'modelId', 'title'],
  trigger: [...triggerAttributes, 'enabled', 'title'],
  tool: ['title', 'icon', 'isolated'],
  function: ['title', 'icon', 'isolated'],
  a: ['href', 'title'],
  variable: ['name', 'prompt', 'value', 'optional', 'type', 'options'],
  ...Object.fromEntries(
    ['p', 'paragraph', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'bulletlistitem', 'numberedlistitem', 'separator'].map(
      (element) => [element, none],
    ),
  ),
  ...Object.fromEntries(['params', 'content'].map((element) => [element, none])),
})

export function isBlockElement(name: string): boolean {
  return name in proseElements || name in textElements || otherBlocks.has(name)
}

export function isInlineElement(name: string): boolean {
  return name in marks || name === 'a' || name === 'variable' || name.startsWith('mention:') || annotations.has(name)
}

/** Attributes that are other people's business, such as a namespace or an editor's notes. */
export function isForeignAttribute(name: string): boolean {
  return name.startsWith('xml') || name.startsWith('data-')
}

/** Without a prototype: an element may be called `constructor`. */
function table<T>(entries: Record<string, T>): Readonly<Record<string, T>> {
  return Object.freeze(Object.assign(Object.create(null), entries))
}
