// An `<agent>` document as a system prompt: its prose, in the order of the text. What it calls and what it defines is no part of it.

import type { Block, Document, ProseBlock } from './document.ts'
import { plainText, type VariableValue } from './rich-text.ts'

export type AgentPrompt =
  | { readonly ok: true; readonly instructions: string; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly message: string }

/** Variables in the prose are filled in; one that nobody gave a value is a fault, unless it is optional. */
export function agentPrompt(document: Document, values: ReadonlyMap<string, string> = new Map()): AgentPrompt {
  if (document.root !== 'agent') {
    return { ok: false, message: `This is a <${document.root}>, not an <agent>. Begin an agent with <agent>.` }
  }
  const missing = document.variables.find(({ name, optional }) => !optional && !values.has(name))
  if (missing) {
    const asked = missing.prompt === undefined ? '' : ` (${missing.prompt})`
    return { ok: false, message: `The variable "${missing.name}"${asked} has no value. Give it one.` }
  }
  const { name, title = name, description } = document.attributes
  const introduction = [title && `You are ${title}.`, description].filter(Boolean).join(' ')
  const prose = textOf(document.blocks, ({ name: variable }) => values.get(variable) ?? '', '')
  const instructions = [introduction, prose].filter(Boolean).join('\n\n')
  return { ok: true, instructions, warnings: warningsOf(document) }
}

/** How the agent is called in the journal; it may be in every entry, so it is not long. */
export function agentName({ attributes: { name, title, id } }: Document): string {
  return (name || title || id || 'agent').slice(0, 64)
}

function textOf(blocks: readonly Block[], values: VariableValue, indent: string): string {
  const parts = blocks.map((block) => ({ isItem: isItem(block), text: blockText(block, values, indent) }))
  const shown = parts.filter(({ text }) => text !== '')
  return shown
    .map(({ text, isItem: item }, at) => `${at === 0 ? '' : item && shown[at - 1]?.isItem ? '\n' : '\n\n'}${text}`)
    .join('')
}

function blockText(block: Block, values: VariableValue, indent: string): string {
  switch (block.kind) {
    case 'code':
      return `${indent}\`\`\`\n${block.text}\n\`\`\``
    case 'data':
      return block.text
    case 'separator':
      return `${indent}---`
    case 'call':
    case 'trigger':
    case 'tool':
      return ''
    case 'unknown':
      return below(`${indent}${tidy(plainText(block.content, values))}`, block.blocks, values, indent)
    default: {
      const text = tidy(plainText(block.content, values))
      return below(text && `${indent}${mark(block)}${text}`, block.blocks, values, `${indent}  `)
    }
  }
}

function below(text: string, blocks: readonly Block[], values: VariableValue, indent: string): string {
  const nested = textOf(blocks, values, indent)
  return [text.trimEnd(), nested].filter(Boolean).join('\n')
}

function mark({ kind, level = 1, checked = false }: ProseBlock): string {
  switch (kind) {
    case 'heading':
      return `${'#'.repeat(level)} `
    case 'bullet':
      return '- '
    case 'number':
      return '1. '
    case 'check':
      return checked ? '- [x] ' : '- [ ] '
    case 'quote':
      return '> '
    case 'paragraph':
      return ''
    default:
      return kind satisfies never
  }
}

function isItem({ kind }: Block): boolean {
  return kind === 'bullet' || kind === 'number' || kind === 'check'
}

/** Line breaks in a file are no line breaks in a paragraph. */
function tidy(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, ' ')
}

function warningsOf({ calls, triggers }: Document): readonly string[] {
  const [first] = [...calls, ...triggers]
  return first
    ? [`Blocks that call something, such as "${first.id}", do not run in an agent, and are no part of its prompt.`]
    : []
}
