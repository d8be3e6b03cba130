// What `legwork init` finds: the servers of every client, the programs and the skills that are there.

import { existsSync } from 'node:fs'
import { messageOf } from '../../base/json.ts'
import { count } from '../../base/text.ts'
import { createRedactor } from '../../outcome/redact.ts'
import { shippedNames } from '../../program/source.ts'
import { findProgram } from '../../run/lookup.ts'
import { usualPlaces } from '../../skill/discover.ts'
import { FileError } from '../file-error.ts'
import { readTextFile } from '../text-file.ts'
import { readServers } from './client-file.ts'
import { clientPlaces, clients, maxClientFileBytes } from './known.ts'
import { takenOver } from './server-entry.ts'

/** What was found, and what could not be taken over, in sentences. */
export interface Found {
  readonly servers: Readonly<Record<string, object>>
  readonly origins: readonly string[]
  readonly programs: readonly string[]
  readonly skills: readonly string[]
  /** Variables that stand for secrets and do not hold them yet. */
  readonly variables: readonly NeededVariable[]
  readonly warnings: readonly string[]
}

interface NeededVariable {
  readonly variable: string
  readonly server: string
  /** Where its value stands. */
  readonly file: string
}

export async function findAll(folder: string): Promise<Found> {
  const places = clientPlaces(folder)
  const servers: Record<string, object> = Object.create(null)
  const origins: string[] = []
  const warnings: string[] = []
  const variables: NeededVariable[] = []
  const place = { folder, home: places.home, environment: process.env, taken: new Map<string, string>() }
  for (const client of clients) {
    const file = client.file(places)
    try {
      const text = readTextFile(file, maxClientFileBytes)
      const named = Object.entries(text === undefined ? {} : await readServers(client, file, text))
      if (named.length) origins.push(`${client.title}: ${count(named.length, 'server')} in ${file}`)
      for (const [server, given] of named) {
        const { entry, secrets, ...taken } = await takenOver(server, given, place)
        warnings.push(...taken.warnings.map((warning) => `${file}: ${warning}`))
        if (!entry) continue
        if (server in servers) {
          warnings.push(`${file}: another "${server}" was found before, so this one is left out.`)
          continue
        }
        servers[server] = entry
        const needed = secrets.filter(({ variable, value }) => process.env[variable] !== value)
        variables.push(...needed.map(({ variable }) => ({ variable, server, file })))
      }
    } catch (error) {
      warnings.push(error instanceof FileError ? error.message : `"${file}" cannot be read: ${messageOf(error)}`)
    }
  }
  const isThere = (name: string) => findProgram(name, folder, process.env.PATH).ok
  const redactor = createRedactor({ values: [...place.taken.values()].filter((value) => value.length > 3) })
  return {
    servers: { ...servers },
    origins,
    programs: shippedNames().filter(isThere),
    skills: usualPlaces(folder, places.home).filter((path) => existsSync(path)),
    variables,
    warnings: warnings.map((warning) => redactor.text(warning)),
  }
}
