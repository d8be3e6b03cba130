// A server as another client names it, as an entry of ours: what Legwork reads is taken over, the rest is told. Secrets stay where
// they are.

import { isObject, messageOf } from '../../base/json.ts'
import { checkConfiguration } from '../../configuration/load.ts'
import { ConfigurationError } from '../../model/errors.ts'
import type { Entry } from '../../outcome/entry-secrets.ts'
import { type EntrySecret, withoutSecrets } from './entry-variables.ts'
import { isLegwork } from './legwork-entry.ts'

export interface TakenOver {
  /** Missing where the entry cannot be used. */
  readonly entry?: Entry
  readonly warnings: readonly string[]
  /** What was left where it is, and the variables that stand for it. */
  readonly secrets: readonly EntrySecret[]
}

export interface TakingOver {
  readonly folder: string
  readonly home: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Variables that stand for secrets already. */
  readonly taken: Map<string, string>
}

const ownKeys = ['command', 'args', 'env', 'cwd', 'url', 'headers']
const otherWords: Readonly<Record<string, string>> = { serverUrl: 'url', httpUrl: 'url', http_headers: 'headers' }
/** Keys that say what Legwork finds out by itself. */
const passedOver = new Set(['type', 'transport', 'name', 'description'])

export async function takenOver(name: string, given: unknown, place: TakingOver): Promise<TakenOver> {
  const { folder, environment, taken } = place
  const left = (why: string): TakenOver => ({ warnings: [`"${name}" is left out: ${why}`], secrets: [] })
  if (!isObject(given)) return left('it is no object.')
  if (given.disabled === true || given.enabled === false) return left('it is switched off there.')
  if (isLegwork(given, folder)) return left('it is Legwork itself.')
  if (name === 'legwork') return left('Legwork’s own tools go by that name. Give it another one.')
  const own: Record<string, unknown> = {}
  const warnings: string[] = []
  for (const [key, value] of Object.entries(given)) {
    const word = otherWords[key] ?? key
    if (ownKeys.includes(word)) own[word] = value
    else if (key === 'type' && value === 'sse') own.type = value
    else if (!passedOver.has(key)) warnings.push(`"${key}" of "${name}" is not taken over.`)
  }
  const filled = filledIn(own, place)
  const foreign = referencesIn(filled).find((inner) => !isVariable(inner))
  if (foreign !== undefined) return left(`\${${foreign}} is something that only its own client can fill in.`)
  for (const unset of new Set(referencesIn(filled).filter((inner) => isUnset(inner, environment))))
    warnings.push(`"${name}" needs the variable ${unset.replace(/^env:/, '')}, which is not set.`)
  const { entry, secrets } = withoutSecrets(name, filled, taken)
  const fault = await faultOf(name, entry, folder)
  if (fault !== undefined) return left(fault)
  return { entry: withDefaults(entry, environment), warnings, secrets }
}

/** What the configuration's own check says of an entry, if anything. */
async function faultOf(name: string, entry: Entry, folder: string): Promise<string | undefined> {
  try {
    await checkConfiguration({ mcpServers: { [name]: entry } }, folder, {})
    return undefined
  } catch (error) {
    return error instanceof ConfigurationError ? error.faults.map(({ message }) => message).join(' ') : messageOf(error)
  }
}

/** The words of other clients that have a meaning here: the folder of the project, and the home folder. */
function filledIn(entry: Entry, { folder, home, environment }: TakingOver): Entry {
  const isElsewhere =
    typeof entry.cwd === 'string' && !/^\$\{(?:workspaceFolder|CLAUDE_PROJECT_DIR)[^}]*\}\/?$/.test(entry.cwd)
  const project = isElsewhere ? folder : '.'
  const words: Readonly<Record<string, string>> = {
    workspaceFolder: project,
    CLAUDE_PROJECT_DIR: project,
    userHome: environment.HOME === home ? '${HOME}' : home,
  }
  return mapTexts(entry, (text) =>
    text.replaceAll(/\$\{(workspaceFolder|CLAUDE_PROJECT_DIR|userHome)(?::-[^}]*)?\}/g, (found, word: string) => {
      return words[word] ?? found
    }),
  )
}

/** An unset variable stops a configuration from being read; with an empty default the rest of it works. */
function withDefaults(entry: Entry, environment: TakingOver['environment']): Entry {
  return mapTexts(entry, (text) =>
    text.replaceAll(/\$\{([^}]*)\}/g, (found, inner: string) =>
      isUnset(inner, environment) ? `\${${inner}:-}` : found,
    ),
  )
}

function referencesIn(entry: Entry): string[] {
  const found: string[] = []
  mapTexts(entry, (text) => {
    for (const [, inner = '', end] of text.matchAll(/\$\{([^}]*)(\}?)/g)) found.push(end ? inner : `${inner}…`)
    return text
  })
  return found
}

/** Words that VS Code and Cursor fill in, and that name nothing outside an editor. */
const editorWords =
  /^(?:cwd|workspaceFolderBasename|workspaceRoot(?:[A-Z]\w*)?|pathSeparator|file(?:[A-Z]\w*)?|relativeFile(?:[A-Z]\w*)?|lineNumber|columnNumber|selectedText|execPath|defaultBuildTask|extensionInstallFolder)$/

function isVariable(inner: string): boolean {
  return /^(?:env:)?[A-Za-z_][A-Za-z0-9_]*(?::-.*)?$/s.test(inner) && !editorWords.test(inner)
}

function isUnset(inner: string, environment: TakingOver['environment']): boolean {
  const name = inner.replace(/^env:/, '')
  return !name.includes(':-') && environment[name] === undefined
}

function mapTexts(entry: Entry, change: (text: string) => string): Entry {
  const copy = (value: unknown): unknown => {
    if (typeof value === 'string') return change(value)
    if (Array.isArray(value)) return value.map(copy)
    return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copy(each)])) : value
  }
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, copy(value)]))
}
