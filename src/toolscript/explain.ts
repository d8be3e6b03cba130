// A type error in words that help: what is wrong, the nearest right name, and how the tool is called.

import { isObject } from '../base/json.ts'
import { didYouMean, nearest } from '../base/text.ts'
import type { IssueCode } from '../model/schema.ts'
import type { ToolDescription } from '../model/tool.ts'
import { jsonSchemaOf } from '../validate/json-schema-of.ts'
import type { Diagnostic } from './check.ts'
import { signature } from './declarations.ts'
import type { ToolReference } from './references.ts'
import type { ScriptFault } from './script.ts'

/** The codes of TypeScript that mean a name that is not there. */
const missingProperty = new Set([2339, 2551])
const unknownKey = new Set([2353, 2561])
const maxSignatureLength = 2_000
const maxMessageLength = 2_000

export function explained(
  { path, text, code, message, start, end }: Diagnostic,
  references: readonly ToolReference[],
  tools: readonly ToolDescription[],
): ScriptFault {
  const word = text.slice(start, end).replace(/^["'`]|["'`]$/g, '')
  const help = missingProperty.has(code)
    ? missingTool(start, references, tools)
    : wrongInput(unknownKey.has(code) ? word : undefined, start, references, tools)
  // TypeScript's own guess is about one word; ours is about the whole name.
  const said = withoutAdvice(help.includes('Did you mean') ? message.replace(/ Did you mean .*\?$/, '') : message)
  return { path, text, offset: start, code: issueCode(code), message: `${said.slice(0, maxMessageLength)}${help}` }
}

function missingTool(at: number, references: readonly ToolReference[], tools: readonly ToolDescription[]): string {
  const reference = references.find(({ start, end, path }) => path.length && start <= at && at < end)
  if (!reference) return ''
  const names = new Map(tools.map((tool) => [tool.spellings.script, tool]))
  const wanted = ['tools', ...reference.path].join('.')
  if (names.has(wanted)) return ''
  const found = nearest(wanted, names.keys())
  const [first] = found
  const tool = first === undefined ? undefined : names.get(first)
  return tool ? `${didYouMean(found)}${usage(tool)}` : ' "legwork tools" lists what there is.'
}

function wrongInput(
  key: string | undefined,
  at: number,
  references: readonly ToolReference[],
  tools: readonly ToolDescription[],
): string {
  const around = references.filter(({ start, callEnd = 0 }) => start <= at && at < callEnd)
  const call = around.toSorted((a, b) => (a.callEnd ?? 0) - a.start - ((b.callEnd ?? 0) - b.start))[0]
  const script = call && ['tools', ...call.path].join('.')
  const tool = script === undefined ? undefined : tools.find(({ spellings }) => spellings.script === script)
  if (!tool) return ''
  return `${key === undefined ? '' : didYouMean(nearest(key, parametersOf(tool)))}${usage(tool)}`
}

function parametersOf(tool: ToolDescription): string[] {
  const schema = jsonSchemaOf(tool.input)
  return isObject(schema) && isObject(schema.properties) ? Object.keys(schema.properties) : []
}

function usage(tool: ToolDescription): string {
  const text = signature(tool).trim()
  return `\n${text.length > maxSignatureLength ? `${text.slice(0, maxSignatureLength)}…` : text}`
}

/** What TypeScript says about its own settings is no help here. */
function withoutAdvice(message: string): string {
  return message.replace(
    / Do you need to change your target library\?.*$/s,
    ' A toolscript runs in Deno, which has no such name.',
  )
}

function issueCode(code: number): IssueCode {
  if (unknownKey.has(code)) return 'UNKNOWN_PARAMETER'
  if (code === 2741) return 'MISSING_REQUIRED'
  return code < 2000 ? 'INVALID_FORMAT' : 'INVALID_TYPE'
}
