// All tools that a server lists, page by page. One entry that is no tool, or a list that never ends, costs no more than itself.

import { isObject, toJson } from '../base/json.ts'
import { count } from '../base/text.ts'
import { ConnectionError } from './failure.ts'
import { plainly } from './pins-difference.ts'
import type { McpBounds } from './settings.ts'

/** A tool as the server describes it; everything but the name may be missing or be nonsense. */
export interface ListedTool {
  readonly name: string
  readonly [key: string]: unknown
}

export interface Listed {
  readonly tools: readonly ListedTool[]
  readonly warnings: readonly string[]
}

const maxNameLength = 256

/** `getPage` asks for the page that begins at a cursor, and rejects when the server does not answer. */
export async function listTools(
  getPage: (cursor: string | undefined) => Promise<unknown>,
  bounds: McpBounds,
): Promise<Listed> {
  const tools: ListedTool[] = []
  const warnings: string[] = []
  const cursors = new Set<string>()
  const names = new Set<string>()
  const again = new Set<string>()
  const large: string[] = []
  const deep: string[] = []
  let cursor: string | undefined
  let faulty = 0
  let bytes = 0

  const takePage = (entries: readonly unknown[]): boolean => {
    for (const entry of entries) {
      if (!isTool(entry)) {
        faulty++
        continue
      }
      const size = sizeOf(entry)
      if (names.has(entry.name)) again.add(entry.name)
      else if (size === undefined) deep.push(entry.name)
      else if (size > bounds.maxToolBytes) large.push(entry.name)
      else if (tools.length >= bounds.maxTools || bytes + size > bounds.maxListBytes) {
        warnings.push(`Only the first ${count(tools.length, 'tool')} of its list are taken: it is too long.`)
        return false
      } else {
        bytes += size
        names.add(entry.name)
        tools.push(entry)
      }
    }
    return true
  }

  for (let pages = 1; ; pages++) {
    const page = await getPage(cursor)
    if (!isObject(page) || !Array.isArray(page.tools)) throw new ConnectionError('Its list of tools is no list.')
    if (!takePage(page.tools)) break
    cursor = typeof page.nextCursor === 'string' ? page.nextCursor : undefined
    if (cursor === undefined) break
    if (cursors.has(cursor) || pages >= bounds.maxPages) {
      const why = cursors.has(cursor) ? 'leads back to a page that was there before' : 'does not end'
      warnings.push(`Its list of tools ${why}: what came in the first ${count(pages, 'page')} is taken.`)
      break
    }
    cursors.add(cursor)
  }
  if (again.size) warnings.push(`Listed twice, so that the first one counts: ${some([...again])}.`)
  if (large.length) warnings.push(`Left out because of a description that is too large: ${some(large)}.`)
  if (deep.length) warnings.push(`Left out because of a description that is nested too deeply: ${some(deep)}.`)
  if (faulty) warnings.push(`Left out because they are no tools: ${count(faulty, 'item')} of its list.`)
  return { tools, warnings }
}

/** A few names, and how many more there are. */
export function some(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => `"${plainly(name)}"`)
  return [shown.join(', '), ...(names.length > 5 ? [`and ${names.length - 5} more`] : [])].join(' ')
}

/** Nothing for one that is deeper than whatever walks over a value can go. */
function sizeOf(tool: ListedTool): number | undefined {
  const made = toJson(tool)
  return made.ok ? JSON.stringify(made.json).length : undefined
}

function isTool(entry: unknown): entry is ListedTool {
  return isObject(entry) && typeof entry.name === 'string' && entry.name.length <= maxNameLength
}
