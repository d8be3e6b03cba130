// What the tools of each server are called by, decided from the names of all of them before any is spoken to: which server is
// asked first must not decide which tool has which name.

import { hash } from 'node:crypto'
import { beginningsOf } from '../model/name.ts'

/**
 * A module for each server: its own name, unless a tool of it could then be spelt like one of a server before it. Of such, the
 * first keeps its name, and the others have one made from theirs, the same every time.
 */
export function moduleNames(servers: readonly string[]): ReadonlyMap<string, string> {
  const taken: (readonly string[])[] = []
  const modules = new Map<string, string>()
  for (const server of servers) {
    const isFree = (module: string) => !taken.some((other) => canClash(other, beginningsOf('mcp', module)))
    const module = [server, ...madeNames(server)].find(isFree) ?? server
    taken.push(beginningsOf('mcp', module))
    modules.set(server, module)
  }
  return modules
}

/** Where one begins as the other does, whatever comes after that can be chosen so that both are the same. */
function canClash(one: readonly string[], other: readonly string[]): boolean {
  return one.some((beginning, at) => {
    const another = other[at] ?? ''
    return beginning.startsWith(another) || another.startsWith(beginning)
  })
}

/** Without doubled or trailing underscores, none begins another. */
function madeNames(server: string): string[] {
  const words =
    server
      .match(/[a-zA-Z0-9]+/g)
      ?.join('_')
      .slice(0, 20) ?? 'server'
  return [4, 8, 12].map((length) => `${words.replace(/_$/, '')}_${hash('sha256', server).slice(0, length)}`)
}
