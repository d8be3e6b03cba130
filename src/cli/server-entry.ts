// A server as another client names it, as an entry of ours: what Legwork reads is taken over, the rest is told.

import { isObject } from '../base/json.ts'

export interface TakenOver {
  /** Missing where the entry cannot be used. */
  readonly entry?: Readonly<Record<string, unknown>>
  readonly warnings: readonly string[]
}

const ownKeys = ['command', 'args', 'env', 'cwd', 'url', 'headers']
const otherWords: Readonly<Record<string, string>> = { serverUrl: 'url', httpUrl: 'url', http_headers: 'headers' }
/** Keys that say what Legwork finds out by itself. */
const passedOver = new Set(['type', 'transport', 'name', 'description'])

export function takenOver(name: string, given: unknown): TakenOver {
  const left = (why: string): TakenOver => ({ warnings: [`"${name}" is left out: ${why}`] })
  if (!isObject(given)) return left('it is no object.')
  if (given.disabled === true || given.enabled === false) return left('it is switched off there.')
  const entry: Record<string, unknown> = {}
  const warnings: string[] = []
  for (const [key, value] of Object.entries(given)) {
    const own = otherWords[key] ?? key
    if (ownKeys.includes(own)) entry[own] = value
    else if (key === 'type' && value === 'sse') entry.type = value
    else if (!passedOver.has(key)) warnings.push(`"${key}" of "${name}" is not taken over.`)
  }
  if ((entry.command === undefined) === (entry.url === undefined)) return left('it has no "command" and no "url".')
  const text = JSON.stringify(entry).replaceAll('${workspaceFolder}', '.')
  const names = [...text.matchAll(/\$\{([^}]*)\}/g)].map(([, inner = '']) => inner)
  const foreign = names.find((inner) => !isVariable(inner))
  if (foreign !== undefined) return left(`\${${foreign}} is something that only its own client can fill in.`)
  for (const unset of new Set(names.filter(isUnset)))
    warnings.push(`"${name}" needs the variable ${unset}, which is not set.`)
  if (hasPlainSecret(entry))
    warnings.push(`"${name}" has a secret in plain text. Better: put it into a variable and write \${NAME}.`)
  const filled = text.replaceAll(/\$\{([^}]*)\}/g, (found, inner: string) =>
    isUnset(inner) ? `\${${inner}:-}` : found,
  )
  return { entry: JSON.parse(filled), warnings }
}

function isVariable(inner: string): boolean {
  return /^(env:)?[A-Za-z_][A-Za-z0-9_]*(:-.*)?$/.test(inner)
}

/** An unset variable stops a configuration from being read; with an empty default the rest of it works. */
function isUnset(inner: string): boolean {
  const name = inner.replace(/^env:/, '')
  return !name.includes(':-') && process.env[name] === undefined
}

/** Values that are meant to be secret, by the names that they go by. */
function hasPlainSecret({ env, headers }: Readonly<Record<string, unknown>>): boolean {
  const named = [env, headers].flatMap((map) => (isObject(map) ? Object.entries(map) : []))
  return named.some(([key, value]) => {
    return /key|token|secret|password|authorization/i.test(key) && typeof value === 'string' && !value.includes('${')
  })
}
