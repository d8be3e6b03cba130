// The module that a script gets when it imports "toolscript": plain JavaScript, the same for every run of one catalogue.

import type { Spellings } from '../model/name.ts'
import { clientSource } from './client-source.ts'
import { groupTools } from './declarations-groups.ts'

export interface ClientOptions {
  /** The gateway's address. Default: the one that the module itself was loaded from, which is then nowhere in its text. */
  readonly gateway?: string
  /** How many calls a script may make. Default 1,000. */
  readonly maxCalls?: number
  /** How many of them may be under way at once; the others wait. Default 16. */
  readonly maxConcurrentCalls?: number
}

/** Calls by `POST {gateway}/tools/<wire>`; a stack that runs through it names `legwork:toolscript` and no address. */
export function clientModule(
  tools: readonly { readonly spellings: Spellings }[],
  { gateway, maxCalls = 1_000, maxConcurrentCalls = 16 }: ClientOptions = {},
): string {
  const base = gateway === undefined ? "new URL('..', import.meta.url).href" : JSON.stringify(`${gateway}/`)
  const settings = [
    `const base = ${base}`,
    `const maxCalls = ${Number(maxCalls)}`,
    `const maxConcurrentCalls = ${Number(maxConcurrentCalls)}`,
    `const names = JSON.parse(${JSON.stringify(JSON.stringify(wireNames(tools)))})`,
  ]
  const code = `${settings.join('\n')}\n${clientSource}`
  return `${code}//# sourceMappingURL=data:application/json;base64,${sourceMap(code)}\n`
}

/** One row a name in `tools`: its tool's wire name if it is a tool, and the tools that it holds. */
type WireNames = readonly (readonly [
  name: string,
  wire: string | null,
  tools: readonly (readonly [string, string])[],
])[]

function wireNames(tools: readonly { readonly spellings: Spellings }[]): WireNames {
  return [...groupTools(tools)].map(([name, { tool, tools: inner }]) => {
    return [name, tool?.spellings.wire ?? null, [...inner].map(([inside, one]) => [inside, one.spellings.wire])]
  })
}

/** Every line is that line of a source without an address. */
function sourceMap(code: string): string {
  const lines = code.split('\n').length
  const mappings = ['AAAA', ...Array.from({ length: lines - 1 }, () => 'AACA')].join(';')
  const map = { version: 3, sources: ['legwork:toolscript'], sourcesContent: [null], names: [], mappings }
  return Buffer.from(JSON.stringify(map)).toString('base64')
}
