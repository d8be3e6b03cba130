// Gives the tools of one MCP server to the catalogue. The server is not spoken to until one of its own names is called or a list
// is wanted.

import { messageOf } from '../base/json.ts'
import { beginningsOf } from '../model/name.ts'
import type { Source } from '../model/tool.ts'
import { asItIs } from './hide.ts'
import type { McpSettings } from './settings.ts'
import { toolsOf } from './tools.ts'
import { serverParts, type Upstream } from './upstream.ts'

/** A source that has more than tools. */
export interface McpSource extends Source {
  readonly upstream: Upstream
}

export function mcpSource(name: string, settings: McpSettings): McpSource {
  const { shared, of, upstream, close } = serverParts(name, settings)
  const beginnings = beginningsOf('mcp', settings.module ?? name)
  // A name without the server before it may be anybody's.
  const mayHave = (spelling: string) => beginnings.some((beginning) => spelling.startsWith(beginning))
  const { hide = asItIs } = settings
  const list = () =>
    shared.list().catch((error: unknown) => {
      // It may hold what the server said last.
      throw new Error(hide(messageOf(error)))
    })
  return {
    name: `server ${name}`,
    lazy: true,
    ...(!upstream.isPlain && { mayHave }),
    load: async () =>
      toolsOf(name, await list(), settings, (tool, input, context) => of(context).call(tool, input, context)),
    watch: (changed) =>
      void shared.watch((change) => {
        if ('list' in change && change.list === 'tools') changed()
      }),
    close,
    upstream,
  }
}

/** What a source passes on besides its tools, where it is a server. */
export function upstreamOf(source: Source): Upstream | undefined {
  return isMcpSource(source) ? source.upstream : undefined
}

function isMcpSource(source: Source): source is McpSource {
  return 'upstream' in source
}
