// `legwork doctor`: what is installed, what is missing, how to get it. A fault is what keeps something configured from working.

import { resolve } from 'node:path'
import { messageOf } from '../base/json.ts'
import { count } from '../base/text.ts'
import type { CatalogueStatus } from '../catalogue/catalogue.ts'
import type { LoadedConfiguration } from '../configuration/load.ts'
import { createLegwork } from '../legwork.ts'
import { commandsOf } from '../program/commands.ts'
import { findMetadata } from '../program/source.ts'
import { findProgram } from '../run/lookup.ts'
import { readConfiguration } from '../settings.ts'
import { programOptions } from '../sources.ts'
import { type Finding, fault, found, foundWith, missing } from './doctor/finding.ts'
import { examineJournal } from './doctor/journal.ts'
import { machine } from './doctor/machine.ts'
import { configuredSkills } from './doctor/skills.ts'
import { paint, print, printJson, printPainted } from './print.ts'
import type { Globals } from './program.ts'
import { type Say, withProgress } from './progress.ts'

const signs = {
  ok: ['green', 'ok     '],
  warning: ['yellow', 'warning'],
  missing: ['yellow', 'missing'],
  fault: ['red', 'fault  '],
} as const

export async function doctorVerb(version: string, options: Globals): Promise<number> {
  const findings = await withProgress('Looking at everything that is configured', options, (say) =>
    examine(version, options, say),
  )
  const ok = findings.every(({ status }) => status !== 'fault')
  if (options.json) printJson({ ok, findings })
  else {
    for (const finding of findings) printFinding(finding)
    print(summary(findings))
  }
  return ok ? 0 : 1
}

async function examine(version: string, options: Globals, say: Say): Promise<readonly Finding[]> {
  const here = await machine(version)
  try {
    const loaded = await readConfiguration(options.config)
    return [
      ...here,
      configuration(loaded),
      examineJournal(loaded, say),
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
  return foundWith('configuration', file, warnings)
}

/** Where each program is, where its metadata came from, and what is missing. */
async function configuredPrograms(loaded: LoadedConfiguration): Promise<readonly Finding[]> {
  const { programs = {} } = loaded.configuration
  return Promise.all(
    Object.entries(programs).map(([name, { command = name }]) => configuredProgram(name, command, loaded)),
  )
}

async function configuredProgram(name: string, command: string, loaded: LoadedConfiguration): Promise<Finding> {
  const options = programOptions(name, loaded)
  const place = command.includes('/') ? resolve(loaded.folder, command) : command
  const lookup = findProgram(place, loaded.folder, process.env.PATH)
  const metadata = await findMetadata(name, options)
  const faults = new Set([...(lookup.ok ? [] : [lookup.message]), ...(metadata.ok ? [] : metadata.faults)])
  if (!lookup.ok || !metadata.ok) return fault(`program ${name}`, ...faults)
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
    const findings = others.map(({ source, tools: amount, warnings }) => {
      const told = warnings.map((warning) => withoutName(warning, source))
      return told.length && amount === 0 ? fault(source, ...told) : foundWith(source, count(amount, 'tool'), told)
    })
    // A rule for a source that does not work matches nothing, and is right all the same.
    const rules = findings.some(({ status }) => status === 'fault') ? [] : await legwork.unmatchedRules()
    return [...findings, ...(rules.length ? [foundWith('policy', 'some rules do nothing', rules)] : [])]
  } finally {
    await legwork.close()
  }
}

/** A source's name stands in front already. */
function withoutName(warning: string, source: string): string {
  return warning.startsWith(`${source}: `) ? warning.slice(source.length + 2) : warning
}

function summary(findings: readonly Finding[]): string {
  const of = (status: Finding['status']) => findings.filter((finding) => finding.status === status)
  const faults = of('fault')
  if (faults.length) return `\n${count(faults.length, 'fault')}: ${faults.map(({ name }) => name).join(', ')}.`
  const warned = of('warning').map(({ name }) => name)
  const warnings = warned.length ? ` Look at the warnings: ${warned.join(', ')}.` : ''
  const absent = of('missing').flatMap(({ name }) => (name === 'configuration' ? [] : [name]))
  return `\nEverything that is configured works.${warnings}${absent.length ? ` Not there, and needed only by some: ${absent.join(', ')}.` : ''}`
}

function printFinding({ name, status, message }: Finding): void {
  const [colour, sign] = signs[status]
  const [first = '', ...rest] = message.split('\n')
  printPainted(`${paint(colour, sign)} ${paint('bold', name)} ${paint('reset', first)}`)
  for (const line of rest) printPainted(`        ${paint('reset', line)}`)
}
