// What changes is told to a client whose connection stays.

import type { McpServer } from '@modelcontextprotocol/server'
import type { Change } from '../mcp/connect.ts'
import type { McpFront } from './mcp-front.ts'

/** Until the returned function is called. */
export function tellClient(front: McpFront, mcp: McpServer): () => void {
  return front.onChange((change) => {
    if (mcp.isConnected()) send(front, mcp, change).catch(() => {})
  })
}

async function send({ subscriptions }: McpFront, mcp: McpServer, change: Change): Promise<void> {
  const { server } = mcp
  if ('updated' in change) {
    if (subscriptions.has(mcp, change.updated)) await server.sendResourceUpdated({ uri: change.updated })
    return
  }
  switch (change.list) {
    case 'tools':
      return server.sendToolListChanged()
    case 'prompts':
      return server.sendPromptListChanged()
    case 'resources':
      return server.sendResourceListChanged()
  }
}
