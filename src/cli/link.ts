// `legwork link` and `unlink`: Legwork as a server in a client's own configuration, put in and taken out again.

import { existsSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isObject, toJson } from '../base/json.ts'
import { lineDifference } from '../base/line-difference.ts'
import { findConfiguration } from '../configuration/find.ts'
import { createRedactor } from '../outcome/redact.ts'
import { keepBackup, ownBackups } from './clients/backup.ts'
import { readServers, type Servers, withEntry, withoutEntry } from './clients/client-file.ts'
import { withoutSecrets } from './clients/entry-variables.ts'
import { type Client, clientIds, clientPlaces, clients, maxClientFileBytes } from './clients/known.ts'
import { isLegwork, legworkEntry, namedConfiguration } from './clients/legwork-entry.ts'
import { refused } from './confirm.ts'
import { FileError } from './file-error.ts'
import { print, printJson } from './print.ts'
import type { Globals } from './program.ts'
import { readTextFile, replaceTextFile } from './text-file.ts'
import { UsageError } from './usage.ts'

interface LinkOptions extends Globals {
  /** Changes without a question. */
  readonly yes?: boolean
}

const entryName = 'legwork'

export async function linkVerb(name: string, options: LinkOptions): Promise<number> {
  const client = clientOf(name)
  const configuration = configurationOf(options)
  if (configuration === undefined) throw new FileError('There is no legwork.jsonc here yet. Run "legwork init" first.')
  if (!existsSync(configuration)) throw new FileError(`There is no file "${configuration}". Run "legwork init" first.`)
  const file = client.file(clientPlaces(dirname(configuration)))
  const before = readTextFile(file, maxClientFileBytes)
  const servers = await readServers(client, file, before ?? '')
  const entry = legworkEntry(client, configuration)
  const there = servers[entryName]
  if (JSON.stringify(there) === JSON.stringify(entry)) return told(options, file, 'unchanged', 'is linked already.')
  if (there !== undefined) throw new FileError(occupied(client, file, there, configuration))
  const after = await withEntry(client, file, before ?? '', entryName, entry)
  const refusal = await refused(changeOf(file, before ?? '', after, servers), options)
  if (refusal !== undefined) return refusal
  const dropBackup = before === undefined ? () => {} : keepBackup(file, before)
  try {
    await replaceTextFile(file, after, before ?? '')
  } catch (error) {
    dropBackup()
    throw error
  }
  return told(options, file, 'linked', `is linked. Restart ${client.title} to see the tools.`)
}

export async function unlinkVerb(name: string, options: LinkOptions): Promise<number> {
  const client = clientOf(name)
  const configuration = configurationOf(options)
  const project = configuration === undefined ? process.cwd() : dirname(configuration)
  const file = client.file(clientPlaces(project))
  const now = readTextFile(file, maxClientFileBytes)
  const servers = await readServers(client, file, now ?? '')
  const entry = servers[entryName]
  if (now === undefined || entry === undefined) return told(options, file, 'unchanged', 'is not linked.')
  refuseOther(client, file, entry, configuration)
  const backups = ownBackups(file)
  const edited = await withoutEntry(client, file, now, entryName)
  const before = await untouchedBefore(client, file, now, entry, backups)
  const refusal = await refused(changeOf(file, now, before ?? edited, servers), options)
  if (refusal !== undefined) return refusal
  if (before === '' && backups.length === 0) rmSync(file)
  else await replaceTextFile(file, before ?? edited, now)
  for (const { path } of backups) rmSync(path, { force: true })
  return told(options, file, 'unlinked', 'is not linked any more.')
}

/** What stood there before the link, byte for byte, if nobody has edited the file since; '' where there was no file. */
async function untouchedBefore(
  client: Client,
  file: string,
  now: string,
  entry: unknown,
  backups: readonly { readonly text: string }[],
): Promise<string | undefined> {
  const json = toJson(entry)
  if (!json.ok || !isObject(json.json)) return undefined
  for (const text of backups.length ? backups.map((backup) => backup.text) : ['']) {
    const linked = await withEntry(client, file, text, entryName, json.json).catch(() => undefined)
    if (linked === now) return text
  }
  return undefined
}

function clientOf(name: string): Client {
  const client = clients.find(({ id }) => id === name)
  if (client) return client
  throw new UsageError(`"${name}" is no client that Legwork knows. Write one of ${clientIds.join(', ')}.`)
}

function configurationOf({ config }: LinkOptions): string | undefined {
  return config === undefined ? findConfiguration(process.cwd()) : resolve(config)
}

function occupied({ id, scope }: Client, file: string, there: unknown, configuration: string): string {
  if (!isLegwork(there, dirname(configuration))) {
    return `"${file}" has another server "${entryName}". Rename it, or take it out with "legwork unlink ${id}".`
  }
  const named = namedConfiguration(there, dirname(configuration))
  const isOther = scope === 'user' && named !== undefined && named !== configuration
  const which = isOther
    ? ` to "${named}", and can be to one configuration alone`
    : ', in other words than it would be now'
  const config = isOther ? ` --config '${named}'` : ''
  return `"${file}" is linked already${which}. Run "legwork unlink ${id}${config}", then "legwork link ${id}" again.`
}

/** A file that serves all projects may be linked to another one than this. */
function refuseOther({ id, scope }: Client, file: string, entry: unknown, configuration: string | undefined): void {
  const named = scope === 'user' ? namedConfiguration(entry, process.cwd()) : undefined
  if (named === undefined || configuration === undefined || named === configuration || !existsSync(named)) return
  throw new UsageError(
    `"${file}" is linked to "${named}", not to "${configuration}". To take it out, run "legwork unlink ${id} --config '${named}'".`,
  )
}

/** The lines that change may hold what others keep there. */
function changeOf(file: string, before: string, after: string, servers: Servers) {
  const secrets = Object.entries(servers).flatMap(([name, entry]) =>
    isObject(entry) ? withoutSecrets(name, entry).secrets : [],
  )
  const values = secrets.map(({ value }) => value).filter((value) => value.length > 3)
  const lines = lineDifference(before.split(/\r?\n/), after.split(/\r?\n/)).map(({ sign, line }) => `${sign} ${line}`)
  return { file, shown: `${file}\n${createRedactor({ values }).text(lines.join('\n'))}`, question: 'Change the file?' }
}

function told({ json }: LinkOptions, file: string, state: string, sentence: string): number {
  if (json) printJson({ ok: true, file, state })
  else print(`${file} ${sentence}`)
  return 0
}
