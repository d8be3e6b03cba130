// The secrets that stand in a server's entry, as the redactor knows them by their shape or by the name beside them, each with a
// variable to put in its place.

import { isObject } from '../../base/json.ts'
import { redactedMarker } from '../../outcome/cover.ts'
import { createRedactor } from '../../outcome/redact.ts'
import { secretKindOf } from '../../outcome/secret-value.ts'

export type Entry = Readonly<Record<string, unknown>>

export interface EntrySecret {
  readonly variable: string
  readonly value: string
}

export interface WithoutSecrets {
  readonly entry: Entry
  readonly secrets: readonly EntrySecret[]
}

const redactor = createRedactor()

/** `taken` holds the variables that are given out already, with their values: another value gets another one. */
export function withoutSecrets(server: string, entry: Entry, taken = new Map<string, string>()): WithoutSecrets {
  const secrets: EntrySecret[] = []
  const hide = (value: string, option: string, own = variableName(server, option)) => {
    const isFree = (name: string) => !taken.has(name) || taken.get(name) === value
    let variable = isFree(own) ? own : variableName(server, option)
    for (let number = 2; !isFree(variable); number++) variable = variableName(server, `${option}_${number}`)
    taken.set(variable, value)
    if (!secrets.some((secret) => secret.variable === variable)) secrets.push({ variable, value })
    return `\${${variable}}`
  }
  const hideIn = (text: string, redacted: string, option: string) => replaceMarkers(text, redacted, option, hide)

  /** A text that stands by itself. */
  const plain = (text: string) => hideIn(text, redactor.text(text), 'secret')
  const address = (text: string) =>
    plain(
      text.replaceAll(/(?<=[?&])([^=&#]+)=([^&#]*)/g, (found, option: string, value: string) =>
        isAnnounced(option, value) ? `${option}=${hide(value, option)}` : found,
      ),
    )
  const variable = (text: string, name: string) =>
    isAnnounced(name, text) || shownBeside(name, text) !== text ? hide(text, name, name) : text
  const header = (text: string, name: string) =>
    isAnnounced(name, text) ? hide(text, name) : hideIn(text, shownBeside(name, text), name)
  const argument = (text: string, before: unknown) => {
    const [, option = '', value = ''] = /^(-{0,2}[A-Za-z_][\w.-]*)=(.*)$/s.exec(text) ?? []
    if (isAnnounced(option, value)) return `${option}=${hide(value, option)}`
    const announcing = typeof before === 'string' && /^--?[A-Za-z][^=]*$/.test(before) ? before : ''
    if (isAnnounced(announcing, text) && !text.startsWith('-')) return hide(text, announcing)
    return hideIn(text, redactor.text(text), option || 'secret')
  }

  const { command, args, env, cwd, url, headers } = entry
  const hidden = {
    ...entry,
    ...(typeof command === 'string' && { command: plain(command) }),
    ...(Array.isArray(args) && {
      args: args.map((arg, at) => (typeof arg === 'string' ? argument(arg, args[at - 1]) : arg)),
    }),
    ...(isObject(env) && { env: mapValues(env, variable) }),
    ...(typeof cwd === 'string' && { cwd: plain(cwd) }),
    ...(typeof url === 'string' && { url: address(url) }),
    ...(isObject(headers) && { headers: mapValues(headers, header) }),
  }
  return { entry: hidden, secrets }
}

/** Whether a name says of a value that it is a secret. What is filled in from a variable is none, nor is a mere switch. */
function isAnnounced(name: string, value: string): boolean {
  return secretKindOf(name) !== undefined && !value.includes('${') && !/^(?:true|false|\d{0,3})$/.test(value)
}

function shownBeside(name: string, text: string): string {
  return redactor.value({ [name]: text })[name] ?? text
}

/** Each marker becomes a variable, named after the option that stands before it. */
function replaceMarkers(
  text: string,
  redacted: string,
  option: string,
  hide: (value: string, option: string) => string,
): string {
  const [first = '', ...others] = redacted.split(redactedMarker)
  let result = first
  let at = first.length
  for (const [index, part] of others.entries()) {
    const end = index === others.length - 1 ? text.length - part.length : text.indexOf(part, at)
    const named = /([A-Za-z][\w-]*)=$/.exec(result.slice(-64))?.[1] ?? option
    result += hide(text.slice(at, end), named) + part
    at = end + part.length
  }
  return result
}

function mapValues(map: Entry, change: (text: string, name: string) => string): Entry {
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [name, typeof value === 'string' ? change(value, name) : value]),
  )
}

function variableName(server: string, option: string): string {
  const words = `${server}_${option}`.toUpperCase().match(/[A-Z0-9]+/g) ?? []
  return words.join('_').replace(/^(?=\d)/, '_')
}
