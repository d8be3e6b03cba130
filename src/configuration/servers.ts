// What other clients write into an entry of `mcpServers`, where it means something here: a server that is switched off is left
// out, and a transport that is named as it would be found is no reason for a warning.

import { isObject } from '../base/json.ts'
import type { Checked, Finding } from './check.ts'
import { quoted, showPath } from './words.ts'

type Entry = Readonly<Record<string, unknown>>

/** The value without the servers that are switched off, and the warnings that are left. `given` is what was checked. */
export function readServers(given: unknown, { value, warnings }: Checked): Pick<Checked, 'value' | 'warnings'> {
  const written = serversOf(given)
  const servers = serversOf(value)
  if (!written || !servers || !isObject(value)) return { value, warnings }
  const entries = Object.entries(servers).flatMap(([name, entry]) => {
    const own = written[name]
    if (!isObject(own) || !isObject(entry)) return [[name, entry]]
    if (switchOf(own)) return []
    const { type: _, disabled: __, enabled: ___, ...rest } = entry
    const isOld = transportKeys.some((key) => own.url !== undefined && wordOf(own[key]) === 'sse')
    return [[name, isOld ? { ...rest, type: 'sse' } : rest]]
  })
  const spoken = Object.entries(written).flatMap(([name, own]) => (isObject(own) ? findingsOf(name, own) : []))
  const isOurs = ({ path: [first, , key] }: Finding) => first === 'mcpServers' && ourKeys.has(String(key))
  return {
    value: { ...value, mcpServers: Object.fromEntries(entries) },
    warnings: [...warnings.filter((warning) => !isOurs(warning)), ...spoken],
  }
}

const transportKeys = ['type', 'transport', 'transportType'] as const
const ourKeys: ReadonlySet<string> = new Set(transportKeys)

function findingsOf(name: string, own: Entry): Finding[] {
  const warn = (key: string, message: string): Finding => {
    const path = ['mcpServers', name, key]
    return { path, at: 'key', message: `${showPath(path)}: ${message}` }
  }
  const off = switchOf(own)
  if (off) return [warn(off, `The server ${quoted(name)} is left out.`)]
  const isAgreed = (key: string) => !(key in own) || agreed(own).includes(wordOf(own[key]))
  return transportKeys
    .filter((key) => !isAgreed(key))
    .map((key) => warn(key, 'This has no effect here. The transport follows from "command" or "url".'))
}

/** The key that switches a server off, if one does. */
function switchOf({ disabled, enabled }: Entry): 'disabled' | 'enabled' | undefined {
  return disabled === true ? 'disabled' : enabled === false ? 'enabled' : undefined
}

function agreed({ command }: Entry): readonly string[] {
  return command === undefined ? ['http', 'streamablehttp', 'sse'] : ['stdio']
}

/** `streamable-http` and `streamableHttp` are one word. */
function wordOf(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase().replace(/[-_ ]/g, '') : ''
}

function serversOf(value: unknown): Entry | undefined {
  return isObject(value) && isObject(value.mcpServers) ? value.mcpServers : undefined
}
