// `legwork init`: finds what is there already, shows it, and writes legwork.jsonc.

import { existsSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { messageOf } from '../base/json.ts'
import { count } from '../base/text.ts'
import { fileNames } from '../configuration/find.ts'
import { shippedNames } from '../program/source.ts'
import { findProgram } from '../run/lookup.ts'
import { usualPlaces } from '../skill/discover.ts'
import { readServers } from './client-file.ts'
import { clientPlaces, clients } from './clients.ts'
import { confirm } from './confirm.ts'
import { print, printAside, printJson } from './print.ts'
import type { Globals } from './program.ts'
import { takenOver } from './server-entry.ts'
import { readTextFile } from './text-file.ts'
import { UsageError } from './usage.ts'

interface InitOptions extends Globals {
  readonly yes?: boolean
}

/** What was found, and what could not be taken over, in sentences. */
interface Found {
  readonly servers: Readonly<Record<string, object>>
  readonly origins: readonly string[]
  readonly programs: readonly string[]
  readonly skills: readonly string[]
  readonly warnings: readonly string[]
}

export async function initVerb(options: InitOptions): Promise<number> {
  const folder = process.cwd()
  const there = fileNames.find((name) => existsSync(join(folder, name)))
  if (there) throw new UsageError(`There is a ${there} here already. Edit it, or move it away first.`)
  const found = await find(folder)
  const text = configurationText(found)
  if (!options.json) show(found, text)
  if (!options.yes && !(await confirm('Write legwork.jsonc?'))) {
    printAside('Nothing was written. Say yes with --yes.')
    return 1
  }
  const file = join(folder, 'legwork.jsonc')
  try {
    // What is taken over from other files may hold secrets that only their owner can read.
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    throw new UsageError(`"${file}" cannot be written: ${messageOf(error)}`)
  }
  const { origins, ...told } = found
  if (options.json) printJson({ ok: true, file, ...told, servers: Object.keys(found.servers), from: origins })
  else print('Wrote legwork.jsonc. Next: "legwork doctor" looks whether all of it works, "legwork tools" lists it.')
  return 0
}

async function find(folder: string): Promise<Found> {
  const servers: Record<string, object> = Object.create(null)
  const origins: string[] = []
  const warnings: string[] = []
  const places = clientPlaces(folder)
  for (const client of clients) {
    const file = client.file(places)
    try {
      const text = readTextFile(file)
      if (text === undefined) continue
      const named = Object.entries(await readServers(client, file, text)).filter(([name]) => name !== 'legwork')
      if (named.length) origins.push(`${client.title}: ${count(named.length, 'server')} in ${file}`)
      for (const [name, entry] of named) {
        const taken = takenOver(name, entry)
        warnings.push(...taken.warnings.map((warning) => `${file}: ${warning}`))
        if (!taken.entry) continue
        if (name in servers) warnings.push(`${file}: another "${name}" was found before, so this one is left out.`)
        else servers[name] = taken.entry
      }
    } catch (error) {
      warnings.push(messageOf(error))
    }
  }
  const isThere = (name: string) => findProgram(name, folder, process.env.PATH).ok
  return {
    servers: { ...servers },
    origins,
    programs: shippedNames().filter(isThere),
    skills: usualPlaces(folder, places.home).filter((path) => existsSync(path)),
    warnings,
  }
}

function configurationText({ servers, programs }: Found): string {
  const keys = {
    $schema: './node_modules/legwork/schema.json',
    ...(Object.keys(servers).length && { mcpServers: servers }),
    ...(programs.length && { programs: Object.fromEntries(programs.map((name) => [name, {}])) }),
  }
  return `// What Legwork serves, and what it may do. Every key is described in the schema.\n${listsInOneLine(JSON.stringify(keys, null, 2))}\n`
}

/** `["-y", "x"]` reads better on one line. */
function listsInOneLine(text: string): string {
  return text.replace(/\[\n\s+((?:"(?:[^"\\]|\\.)*",?\s*)+)\]/g, (_, items: string) => {
    return `[${items.trim().replace(/,\n\s+/g, ', ')}]`
  })
}

function show({ origins, programs, skills, warnings }: Found, text: string): void {
  for (const origin of origins) print(`Found ${origin}`)
  if (programs.length) print(`Found programs that Legwork knows: ${programs.join(', ')}`)
  for (const path of skills)
    print(`Found skills in ${relative(process.cwd(), path) || path} (they are looked for there anyway)`)
  for (const warning of warnings) printAside(`Warning: ${warning}`)
  print(`\nlegwork.jsonc:\n${text}`)
}
