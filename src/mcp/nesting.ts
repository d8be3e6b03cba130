// A server may be a Legwork itself, of another project. One that names itself as its own server would start itself for ever, so
// every server that is started is told in its environment which configurations led to it.

import { realpathSync } from 'node:fs'

export const nestingVariable = 'LEGWORK_SERVING'

/** More Legworks than this, each the server of the one before, are taken for a mistake. */
const maxNesting = 3

/** What a server that a configuration names is told; without one, what was told to us. */
export function nestingBelow(configuration: string | undefined, above: string | undefined): Record<string, string> {
  const files = [...filesOf(above), ...(configuration === undefined ? [] : [realPath(configuration)])]
  return files.length ? { [nestingVariable]: files.join('\n') } : {}
}

/** Why a Legwork of that configuration must not serve whoever started it, if so. */
export function nestingFault(configuration: string | undefined, above: string | undefined): string | undefined {
  const files = filesOf(above)
  const own = configuration === undefined ? undefined : realPath(configuration)
  if (own !== undefined && files.includes(own)) {
    return 'One of its servers is Legwork with this same file, which would start itself for ever. Take it out of "mcpServers".'
  }
  if (files.length <= maxNesting) return undefined
  const chain = files.map((file) => `"${file}"`).join(', ')
  return `More than ${maxNesting} Legworks have each started the next as a server: ${chain}. Take one out of "mcpServers".`
}

function filesOf(above: string | undefined): string[] {
  return above ? above.split('\n') : []
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
