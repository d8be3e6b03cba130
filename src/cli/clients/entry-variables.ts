// A server's entry with a variable in the place of each secret.

import { type Entry, replaceSecrets } from '../../outcome/entry-secrets.ts'

export interface EntrySecret {
  readonly variable: string
  readonly value: string
}

export interface WithoutSecrets {
  readonly entry: Entry
  readonly secrets: readonly EntrySecret[]
}

/** `taken` holds the variables that are given out already, with their values: another value gets another one. */
export function withoutSecrets(server: string, given: Entry, taken = new Map<string, string>()): WithoutSecrets {
  const secrets: EntrySecret[] = []
  const entry = replaceSecrets(given, ({ value, name, place }) => {
    const isFree = (each: string) => !taken.has(each) || taken.get(each) === value
    let variable = place === 'variable' && isFree(name) ? name : variableName(server, name)
    for (let number = 2; !isFree(variable); number++) variable = variableName(server, `${name}_${number}`)
    taken.set(variable, value)
    if (!secrets.some((secret) => secret.variable === variable)) secrets.push({ variable, value })
    return `\${${variable}}`
  })
  return { entry, secrets }
}

function variableName(server: string, name: string): string {
  const words = `${server}_${name}`.toUpperCase().match(/[A-Z0-9]+/g) ?? []
  return words.join('_').replace(/^(?=\d)/, '_')
}
