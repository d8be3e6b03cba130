// `legwork doctor`: what is installed, what is missing, how to get it. A fault is what keeps something configured from working.

import { existsSync } from 'node:fs'
import { messageOf } from '../base/json.ts'
import { count } from '../base/text.ts'
import type { CatalogueStatus } from '../catalogue/catalogue.ts'
import type { LoadedConfiguration } from '../configuration/load.ts'
import { openJournal } from '../journal/open.ts'
import { createLegwork } from '../legwork.ts'
import { commandsOf } from '../program/commands.ts'
import { findMetadata } from '../program/source.ts'
import { confinementAvailable } from '../run/confinement.ts'
import { findProgram } from '../run/lookup.ts'
import { journalOptions, readConfiguration } from '../settings.ts'
import { programOptions } from '../sources.ts'
import { configuredSkills } from './doctor-skills.ts'
import { paint, printJson, printPainted } from './print.ts'
import type { Globals } from './program.ts'

export interface Finding {
  readonly name: string
  readonly status: 'ok' | 'missing' | 'fault'
  readonly message: string
}

const signs = { ok: ['green', 'ok     '], missing: ['yellow', 'missing'], fault: ['red', 'fault  '] } as const

/** What tools are often written in; each is needed only by those who use it. */
const interpreters = {
  python3: 'python3',
  bash: 'bash',
  ruby: 'ruby',
  perl: 'perl',
  deno: 'deno (npm install deno)',
  git: 'git',
} as const

export async function doctorVerb(version: string, options: Globals): Promise<number> {
  const findings = await examine(version, options)
  const ok = findings.every(({ status }) => status !== 'fault')
  if (options.json) printJson({ ok, findings })
  else for (const finding of findings) printFinding(finding)
  return ok ? 0 : 1
}

async function examine(version: string, options: Globals): Promise<readonly Finding[]> {
  const here = [found('Legwork', version), found('Node', process.versions.node), await confinement(), ...programs()]
  try {
    const loaded = await readConfiguration(options.config)
    return [
      ...here,
      configuration(loaded),
      journal(loaded),
      ...(await configuredPrograms(loaded)),
      ...configuredSkills(loaded),
      ...(await sources(options)),
    ]
  } catch (error) {
    return [...here, fault('configuration', messageOf(error))]
  }
}

async function confinement(): Promise<Finding> {
  const available = await confinementAvailable()
  if (available.available) return found('bubblewrap', 'works: tools can be shut in')
  return missing('bubblewrap', available.reason)
}

function programs(): Finding[] {
  return Object.entries(interpreters).map(([name, how]) => {
    const lookup = findProgram(name, process.cwd(), process.env.PATH)
    return lookup.ok ? found(name, lookup.path) : missing(name, `install ${how} for tools that need it`)
  })
}

function configuration({ file, folder, warnings }: LoadedConfiguration): Finding {
  if (file === undefined) return missing('configuration', `there is no legwork.jsonc in ${folder} or above it`)
  return found('configuration', [file, ...warnings].join('\n'))
}

function journal(loaded: LoadedConfiguration): Finding {
  const { path } = journalOptions(loaded)
  if (!existsSync(path)) return found('journal', `${path}, made at the first call`)
  try {
    const opened = openJournal({ path, readOnly: true })
    const { ok, entries, faults } = opened.verify()
    opened.close()
    if (ok) return found('journal', `${path}, ${count(entries, 'line')}, whole`)
    return fault('journal', `${path} was changed: entry ${faults[0]?.seq}, ${faults[0]?.message}`)
  } catch (error) {
    return fault('journal', messageOf(error))
  }
}

/** Where each program is, where its metadata came from, and what is missing. */
async function configuredPrograms(loaded: LoadedConfiguration): Promise<readonly Finding[]> {
  const { programs = {} } = loaded.configuration
  return Promise.all(
    Object.entries(programs).map(([name, { command = name }]) => configuredProgram(name, command, loaded)),
  )
}

async function configuredProgram(name: string, command: string, loaded: LoadedConfiguration): Promise<Finding> {
  const lookup = findProgram(command, loaded.folder, process.env.PATH)
  const options = programOptions(name, loaded)
  const metadata = await findMetadata(name, options)
  const faults = [...(lookup.ok ? [] : [lookup.message]), ...(metadata.ok ? [] : metadata.faults)]
  if (!lookup.ok || !metadata.ok) return fault(`program ${name}`, faults.join('\n'))
  const { version, trust = 'inferred' } = metadata.metadata
  const described = version === undefined ? '' : `, written for version ${version}`
  const amount = count(commandsOf(metadata.metadata).length, 'tool')
  const facts = `metadata from ${metadata.from}${described}, trust ${options.trust ?? trust}, ${amount}`
  return found(`program ${name}`, `${lookup.path}, ${facts}`)
}

/** Opens everything that is configured, and lists what each source gave. */
async function sources({ config }: Globals): Promise<readonly Finding[]> {
  const legwork = await createLegwork(config === undefined ? {} : { configuration: config })
  try {
    await legwork.tools()
    // Skills are told of already, and so are programs, unless their names gave trouble.
    const isTold = ({ source, tools, warnings }: CatalogueStatus) =>
      source.startsWith('program ') && (warnings.length === 0 || tools === 0)
    const others = legwork.sources().filter((status) => !isTold(status) && !/^skills?( |$)/.test(status.source))
    return others.map(({ source, tools: amount, warnings }) => {
      if (warnings.length && amount === 0) return fault(source, warnings.join('\n'))
      return found(source, [count(amount, 'tool'), ...warnings].join('\n'))
    })
  } finally {
    await legwork.close()
  }
}

function printFinding({ name, status, message }: Finding): void {
  const [colour, sign] = signs[status]
  const [first = '', ...rest] = message.split('\n')
  printPainted(`${paint(colour, sign)} ${paint('bold', name)} ${paint('reset', first)}`)
  for (const line of rest) printPainted(`        ${paint('reset', line)}`)
}

const found = (name: string, message: string): Finding => ({ name, status: 'ok', message })
const missing = (name: string, message: string): Finding => ({ name, status: 'missing', message })
const fault = (name: string, message: string): Finding => ({ name, status: 'fault', message })
