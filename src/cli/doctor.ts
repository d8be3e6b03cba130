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
import { findProgram } from '../run/lookup.ts'
import { journalOptions, readConfiguration } from '../settings.ts'
import { programOptions } from '../sources.ts'
import { machine } from './doctor-machine.ts'
import { configuredSkills } from './doctor-skills.ts'
import { paint, print, printJson, printPainted } from './print.ts'
import type { Globals } from './program.ts'
import { withProgress } from './progress.ts'

export interface Finding {
  readonly name: string
  readonly status: 'ok' | 'missing' | 'fault'
  readonly message: string
}

const signs = { ok: ['green', 'ok     '], missing: ['yellow', 'missing'], fault: ['red', 'fault  '] } as const

export async function doctorVerb(version: string, options: Globals): Promise<number> {
  const findings = await withProgress('Looking at everything that is configured', options, () =>
    examine(version, options),
  )
  const ok = findings.every(({ status }) => status !== 'fault')
  if (options.json) printJson({ ok, findings })
  else {
    for (const finding of findings) printFinding(finding)
    print(summary(findings))
  }
  return ok ? 0 : 1
}

async function examine(version: string, options: Globals): Promise<readonly Finding[]> {
  const here = await machine(version)
  try {
    const loaded = await readConfiguration(options.config)
    return [
      ...here,
      configuration(loaded),
      journal(loaded),
      ...(await configuredPrograms(loaded)),
      ...configuredSkills(loaded),
      ...(await configuredModel(loaded)),
      ...(await sources(options)),
    ]
  } catch (error) {
    return [...here, fault('configuration', messageOf(error))]
  }
}

function configuration({ file, folder, warnings }: LoadedConfiguration): Finding {
  if (file === undefined)
    return missing('configuration', `there is no legwork.jsonc in ${folder} or above it; write one with "legwork init"`)
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

/** Whether the model can be asked, as far as that shows without asking it. */
async function configuredModel({ configuration: { model } }: LoadedConfiguration): Promise<readonly Finding[]> {
  if (model === undefined) return []
  const { openModel } = await import('../adapters/model.ts')
  return openModel(model).then(
    () => [found('model', model)],
    (error) => [fault('model', messageOf(error))],
  )
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

function summary(findings: readonly Finding[]): string {
  const of = (status: Finding['status']) => findings.filter((finding) => finding.status === status)
  const faults = of('fault')
  if (faults.length) return `\n${count(faults.length, 'fault')}: ${faults.map(({ name }) => name).join(', ')}.`
  const absent = of('missing').flatMap(({ name }) => (name === 'configuration' ? [] : [name]))
  return `\nEverything that is configured works.${absent.length ? ` Not there, and needed only by some: ${absent.join(', ')}.` : ''}`
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
