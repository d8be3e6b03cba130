// `legwork link` and `unlink`: Legwork as a server in a client's own configuration, put in and taken out again.

import { existsSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { JsonObject } from '../base/json.ts'
import { lineDifference } from '../base/line-difference.ts'
import { findConfiguration } from '../configuration/find.ts'
import { readServers, withEntry, withoutEntry } from './client-file.ts'
import { type Client, clientIds, clientPlaces, clients } from './clients.ts'
import { confirm } from './confirm.ts'
import { print, printAside, printJson } from './print.ts'
import type { Globals } from './program.ts'
import { readTextFile, replaceTextFile } from './text-file.ts'
import { UsageError } from './usage.ts'

interface LinkOptions extends Globals {
  /** Changes without a question. */
  readonly yes?: boolean
}

const entryName = 'legwork'

export async function linkVerb(name: string, options: LinkOptions): Promise<number> {
  const { client, file, configuration } = await placeOf(name, options)
  const before = readTextFile(file)
  const servers = await readServers(client, file, before ?? '')
  const entry = entryOf(client, configuration)
  const there = servers[entryName]
  if (JSON.stringify(there) === JSON.stringify(entry)) return told(options, file, 'unchanged', 'is linked already')
  if (there !== undefined) {
    throw new UsageError(
      `"${file}" has another server "${entryName}". Rename it, or take it out with "legwork unlink ${name}".`,
    )
  }
  const after = withEntry(client, file, before ?? '', entryName, entry)
  if (!(await agreed(file, before ?? '', after, options))) return 1
  if (before !== undefined) await replaceTextFile(backupOf(file), before)
  await replaceTextFile(file, after)
  return told(options, file, 'linked', `is linked. Restart ${client.title} to see the tools`)
}

export async function unlinkVerb(name: string, options: LinkOptions): Promise<number> {
  const { client, file, configuration } = await placeOf(name, options)
  const now = readTextFile(file)
  const servers = await readServers(client, file, now ?? '')
  if (now === undefined || servers[entryName] === undefined) return told(options, file, 'unchanged', 'is not linked')
  const before = untouchedBefore(client, file, now, entryOf(client, configuration))
  const after = before === undefined ? withoutEntry(client, file, now, entryName) : before
  if (!(await agreed(file, now, after, options))) return 1
  if (after === '' && before === '') rmSync(file)
  else await replaceTextFile(file, after)
  rmSync(backupOf(file), { force: true })
  return told(options, file, 'unlinked', 'is not linked any more')
}

/** What stood there before the link, byte for byte, if nobody has edited the file since; '' where there was no file. */
function untouchedBefore(client: Client, file: string, now: string, entry: JsonObject): string | undefined {
  const kept = readTextFile(backupOf(file)) ?? ''
  return withEntry(client, file, kept, entryName, entry) === now ? kept : undefined
}

function backupOf(file: string): string {
  return `${file}.before-legwork`
}

async function placeOf(name: string, { config }: LinkOptions) {
  const client = clients.find(({ id }) => id === name)
  if (!client) throw new UsageError(`"${name}" is no client that Legwork knows. Write one of ${clientIds.join(', ')}.`)
  const configuration = config === undefined ? findConfiguration(process.cwd()) : resolve(config)
  if (configuration === undefined || !existsSync(configuration)) {
    throw new UsageError('There is no legwork.jsonc here yet. Run "legwork init" first.')
  }
  return { client, configuration, file: client.file(clientPlaces(dirname(configuration))) }
}

/** A client that serves all projects is told which one; the others start Legwork in the project's own folder. */
function entryOf({ scope, extra }: Client, configuration: string): JsonObject {
  const which = scope === 'user' ? ['--config', configuration] : []
  return { ...extra, command: 'npx', args: ['-y', 'legwork', 'serve', '--stdio', ...which] }
}

async function agreed(file: string, before: string, after: string, { yes, json }: LinkOptions): Promise<boolean> {
  if (!json) print(`${file}\n${shown(before, after)}`)
  if (yes || (await confirm('Change the file?'))) return true
  printAside('Nothing was changed. Say yes with --yes.')
  return false
}

function shown(before: string, after: string): string {
  const lines = lineDifference(before.split(/\r?\n/), after.split(/\r?\n/))
  return lines.map(({ sign, line }) => `${sign} ${line}`).join('\n')
}

function told({ json }: LinkOptions, file: string, state: string, sentence: string): number {
  if (json) printJson({ ok: true, file, state })
  else print(`${file} ${sentence}.`)
  return 0
}
