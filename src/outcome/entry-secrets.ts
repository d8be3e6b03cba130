// The secrets that stand in what names a server: those that a name announces, those that the redactor knows by their shape, and
// what looks random where credentials usually stand. `init` and `link` leave these out; the redactor hides them wherever they show.

import { isObject } from '../base/json.ts'
import { redactedMarker } from './cover.ts'
import { createRedactor, type Redactor } from './redact.ts'
import { isSecretValue, looksRandom, secretKindOf } from './secret-value.ts'

export type Entry = Readonly<Record<string, unknown>>

export interface FoundSecret {
  readonly value: string
  /** The option, the variable, the header or the parameter that it stands beside; `secret` where there is none. */
  readonly name: string
  readonly place: 'variable' | 'elsewhere'
  /** Whether nothing but its looks speaks for it: it may be the number of something as well. */
  readonly isGuess: boolean
}

export function secretsIn(entry: Entry): FoundSecret[] {
  const found: FoundSecret[] = []
  replaceSecrets(entry, (secret) => {
    found.push(secret)
    return secret.value
  })
  return found
}

/** The entry with something else in the place of each secret. What is filled in from a variable is none. */
export function replaceSecrets(entry: Entry, replace: (secret: FoundSecret) => string): Entry {
  const hide = (value: string, name: string, isGuess = false) => replace({ value, name, place: 'elsewhere', isGuess })
  const byShape = (text: string, name: string, redacted = redactor().text(text)) =>
    replaceMarkers(text, redacted, name, hide)

  const address = (text: string) => {
    const [, start = text, path = '', rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)([^?#]*)(.*)$/is.exec(text) ?? []
    const segments = path.replaceAll(/[^/]+/g, (part) => (isRandomWord(part) ? hide(part, 'secret') : part))
    const parameters = rest.replaceAll(/(?<=[?&#])([^=&#]+)=([^&#]*)/g, (found, name: string, value: string) =>
      isAnnounced(name, value) || isRandom(value) ? `${name}=${hide(value, name)}` : found,
    )
    return byShape(start + segments + parameters, 'secret')
  }
  const variable = (value: string, name: string) => {
    const isSaid = isAnnounced(name, value) || shownBeside(name, value) !== value
    return isSaid || isRandom(value) ? replace({ value, name, place: 'variable', isGuess: !isSaid }) : value
  }
  const header = (text: string, name: string) => {
    if (isAnnounced(name, text)) return hide(text, name)
    const [, scheme = '', credential = text] = /^(\w+\s+)?(.+)$/s.exec(text) ?? []
    if (credentialHeader.test(name) && !isFilledIn(text)) return scheme + hide(credential, name)
    const shown = shownBeside(name, text)
    if (shown !== text || plainHeader.test(name)) return byShape(text, name, shown)
    return text.replaceAll(/[^\s,;]+/g, (word) => (isRandom(word) ? hide(word, name) : word))
  }
  const argument = (text: string, before: unknown) => {
    const option = typeof before === 'string' && /^--?[A-Za-z][^=]*$/.test(before) ? before : ''
    const [, name = '', value = ''] = /^(-{0,2}[A-Za-z_][\w.-]*)=(.*)$/s.exec(text) ?? []
    if (isAnnounced(name, value)) return `${name}=${hide(value, name)}`
    if (isAnnounced(option, text) && !text.startsWith('-')) return hide(text, option)
    if (credentialOption.test(option) && isPassword(text)) return hide(text, option)
    const [, attached = ''] = /^-p(.+)$/s.exec(text) ?? []
    if (isPassword(attached)) return `-p${hide(attached, 'p')}`
    const [, headerName = '', gap = '', headerText = ''] = /^([\w-]+)(:\s*)(.*)$/s.exec(text) ?? []
    if (headerOption.test(option) && headerText !== '') return headerName + gap + header(headerText, headerName)
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return address(text)
    if (name !== '' && isRandomWord(value)) return `${name}=${hide(value, name, true)}`
    return isRandomWord(text) ? hide(text, option || 'secret', true) : byShape(text, name || 'secret')
  }

  const { command, args, env, cwd, url, headers } = entry
  return {
    ...entry,
    ...(typeof command === 'string' && { command: byShape(command, 'secret') }),
    ...(Array.isArray(args) && {
      args: args.map((arg, at) => (typeof arg === 'string' ? argument(arg, args[at - 1]) : arg)),
    }),
    ...(isObject(env) && { env: mapValues(env, variable) }),
    ...(typeof cwd === 'string' && { cwd: byShape(cwd, 'secret') }),
    ...(typeof url === 'string' && { url: address(url) }),
    ...(isObject(headers) && { headers: mapValues(headers, header) }),
  }
}

let made: Redactor | undefined

/** Made when it is first needed: most commands know no server. */
function redactor(): Redactor {
  made ??= createRedactor()
  return made
}

/** Whatever these hold is a credential. */
const credentialHeader = /^(?:proxy-)?authorization$|^cookie$/i
/** What these hold is known, and may look odd. */
const plainHeader =
  /^(?:accept(?:-[a-z]+)?|content-[a-z]+|user-agent|origin|referer|host|connection|cache-control|.*-version)$/i
/** Options of one letter that programs take passwords and keys by, among other things. */
const credentialOption = /^-[pPkua]$/
const headerOption = /^(?:-H|--headers?)$/
const packageName = /^@|^[\w.-]+@[\^~]?v?\d[\w.+-]*$/

/** Whether a name says of a value that it is a secret; a mere switch is none. */
function isAnnounced(name: string, value: string): boolean {
  return secretKindOf(name) !== undefined && !isFilledIn(value) && !/^(?:true|false|\d{0,3})$/.test(value)
}

function isRandom(value: string): boolean {
  return !isFilledIn(value) && looksRandom(value)
}

/** What may be a password behind an option that may also take a package, a port or a path. */
function isPassword(value: string): boolean {
  if (packageName.test(value) || isFilledIn(value)) return false
  const isOdd = /^[^/]*\d[A-Za-z][^/]*$|[^\w.:/@-]/.test(value)
  return looksRandom(value) || (isOdd && isSecretValue('password', value, 'quoted'))
}

/** Of letters and digits alone, and longer than a word: such a thing is random wherever it stands. */
function isRandomWord(value: string): boolean {
  return /^[\w-]{20,}$/.test(value) && looksRandom(value)
}

function isFilledIn(value: string): boolean {
  return value.includes('${')
}

function shownBeside(name: string, text: string): string {
  return redactor().value({ [name]: text })[name] ?? text
}

/** Each marker becomes what stands for the secret, named after the option that stands before it. */
function replaceMarkers(
  text: string,
  redacted: string,
  name: string,
  hide: (value: string, name: string) => string,
): string {
  const [first = '', ...others] = redacted.split(redactedMarker)
  let result = first
  let at = first.length
  for (const [index, part] of others.entries()) {
    const end = index === others.length - 1 ? text.length - part.length : text.indexOf(part, at)
    const named = /([A-Za-z][\w-]*)=$/.exec(result.slice(-64))?.[1] ?? name
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
