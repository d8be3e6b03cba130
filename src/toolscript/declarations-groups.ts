// Tools by their names in scripts: `tools.github.createIssue`, `tools.tree`, and `tools.git` that is a tool and holds others.

import type { Spellings } from '../model/name.ts'
import type { ToolDescription } from '../model/tool.ts'

export interface ToolGroup<T = ToolDescription> {
  /** The tool of that very name, if there is one. */
  tool?: T
  /** The tools of the module of that name. */
  readonly tools: Map<string, T>
}

/** In the order of the names, whatever order the tools are in; of two with one name the first one counts. */
export function groupTools<T extends { readonly spellings: Spellings }>(
  tools: readonly T[],
): ReadonlyMap<string, ToolGroup<T>> {
  const groups = new Map<string, ToolGroup<T>>()
  for (const [[first = '', second], tool] of inOrder(tools)) {
    const group = groups.get(first) ?? { tools: new Map<string, T>() }
    groups.set(first, group)
    if (second === undefined) group.tool ??= tool
    else if (!group.tools.has(second)) group.tools.set(second, tool)
  }
  return groups
}

function inOrder<T extends { readonly spellings: Spellings }>(tools: readonly T[]): [readonly string[], T][] {
  const paths = tools.flatMap((tool): [string, T][] =>
    scriptPattern.test(tool.spellings.script) ? [[tool.spellings.script, tool]] : [],
  )
  return paths
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([script, tool]) => [script.split('.').slice(1), tool])
}

/** Nothing else is a place in `tools`. */
const scriptPattern = /^tools(\.[a-zA-Z_$][\w$]*){1,2}$/
