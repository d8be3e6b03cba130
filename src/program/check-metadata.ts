// Checks metadata of unknown origin: every fault is named with its path, and none of them can hang or crash the host.

import { isObject } from '../base/json.ts'
import { effectFaults, shown, unknownEffects } from '../model/effect-faults.ts'
import { type Trust, trustLevels } from '../model/effects.ts'
import { flagFaults, type Place, parameterFaults, textFaults } from './check-parameters.ts'
import { type ProgramMetadata, safetyAssumptions } from './metadata.ts'
import { unknownKeys } from './unknown-keys.ts'

export type MetadataCheck =
  | {
      readonly ok: true
      readonly metadata: ProgramMetadata
      /** Keys that are nearly known ones and therefore do nothing, each with its path. */
      readonly warnings: readonly string[]
    }
  | { readonly ok: false; readonly faults: readonly string[] }

const maxDepth = 32
const maxCommands = 250_000
const maxFaults = 100

const known = new WeakMap<object, MetadataCheck>()

/** An object is checked once: whoever changes it later hands over another. */
export function checkMetadata(value: unknown): MetadataCheck {
  if (!isObject(value)) return { ok: false, faults: ['The metadata is not a JSON object.'] }
  const before = known.get(value)
  if (before) return before
  const checked = check(value)
  known.set(value, checked)
  return checked
}

function check(value: Record<string, unknown>): MetadataCheck {
  const walk: Walk = { faults: [], warnings: [], parents: [], commands: 0 }
  try {
    checkTop(value, walk)
    checkKeys(value, '', 'program', walk)
    checkParameters(value.globalOptions, 'globalOptions', walk, 'options', new Set())
    checkCommands(value.commands, 'commands', walk)
  } catch (error) {
    if (!(error instanceof Stop)) walk.faults.push(`The metadata cannot be read: ${error}`)
  }
  if (walk.faults.length) return { ok: false, faults: walk.faults }
  const { trust: _, ...rest } = value
  const trust = trustOf(value)
  return {
    ok: true,
    warnings: walk.warnings,
    metadata: {
      ...rest,
      name: value.name as string,
      description: (value.description ?? '') as string,
      ...(trust !== undefined && { trust: trust as Trust }),
      commands: (value.commands ?? (value.partial === true ? {} : itself)) as ProgramMetadata['commands'],
    },
  }
}

/** A program that lists no commands is its only command. */
const itself: ProgramMetadata['commands'] = { '': {} }

interface Walk {
  readonly faults: string[]
  readonly warnings: string[]
  /** The commands that hold the present one. */
  readonly parents: object[]
  commands: number
}

class Stop extends Error {}

function checkTop(value: Record<string, unknown>, { faults }: Walk): void {
  const version = isObject(value.atip) ? value.atip.version : value.atip
  const isVersion = typeof version === 'string' && /^0\.[1-6]$/.test(version)
  if (value.atip !== undefined && !isVersion) faults.push(`atip: ${shown(version)} is no version from 0.1 to 0.6.`)
  if (typeof value.name !== 'string' || value.name === '') faults.push('name: write the name of the program.')
  else if (!/^[\w][\w.+-]{0,127}$/.test(value.name)) {
    faults.push(`name: ${shown(value.name)} is no name of a program: letters, digits and "_", "-", ".", "+".`)
  }
  const trust = trustOf(value)
  if (trust !== undefined && !trustLevels.some((level) => level === trust)) {
    faults.push(`trust.source: ${shown(trust)} is none of ${trustLevels.join(', ')}.`)
  }
  faults.push(...textFaults(value, '', ['version', 'description']), ...flagFaults(value, '', ['partial']))
  const assumption = isObject(value.omitted) ? value.omitted.safetyAssumption : undefined
  if (assumption !== undefined && !safetyAssumptions.some((name) => name === assumption)) {
    faults.push(`omitted.safetyAssumption: ${shown(assumption)} is none of ${safetyAssumptions.join(', ')}.`)
  }
  faults.push(...endOfOptionsFaults(value, ''), ...effectFaults(value.effects, 'effects'))
}

/** What stands under a key that nobody knows does not count: worth a word where a known one may be meant. */
function checkKeys(
  value: Record<string, unknown>,
  prefix: string,
  place: Parameters<typeof unknownKeys>[2],
  { warnings }: Walk,
): void {
  if (warnings.length >= maxFaults) return
  warnings.push(...unknownKeys(value, prefix, place), ...unknownEffects(value.effects, `${prefix}effects`))
}

function trustOf({ trust }: Record<string, unknown>): unknown {
  return isObject(trust) ? trust.source : trust
}

function checkCommands(commands: unknown, path: string, walk: Walk): void {
  if (commands === undefined) return
  if (!isObject(commands)) {
    report(walk, `${path}: write an object of commands by name.`)
    return
  }
  for (const name of Object.keys(commands)) {
    const at = `${path}.${name || '""'}`
    if (++walk.commands > maxCommands) stop(walk, `${path}: there are more than ${maxCommands} commands.`)
    if (/^__proto__$|[\0-\x1f\x7f]/.test(name)) report(walk, `${at}: a command cannot have this name.`)
    else checkCommand(commands[name], at, walk)
  }
}

function checkCommand(command: unknown, path: string, walk: Walk): void {
  if (!isObject(command)) {
    report(walk, `${path}: write an object.`)
    return
  }
  if (walk.parents.includes(command)) {
    report(walk, `${path}: this command holds itself (a cycle).`)
    return
  }
  if (walk.parents.length >= maxDepth) {
    report(walk, `${path}: commands are nested more than ${maxDepth} deep.`)
    return
  }
  const faults = [
    ...textFaults(command, `${path}.`, ['description']),
    ...flagFaults(command, `${path}.`, ['deprecated', 'x-positionalsFirst']),
    ...endOfOptionsFaults(command, `${path}.`),
    ...effectFaults(command.effects, `${path}.effects`),
  ]
  for (const fault of faults) report(walk, fault)
  checkKeys(command, `${path}.`, 'command', walk)
  if (isSaidTwice(command, path)) report(walk, `${path}.commands: the command of these words is described already.`)
  const names = new Set<string>()
  checkParameters(command.arguments, `${path}.arguments`, walk, 'arguments', names)
  checkParameters(command.options, `${path}.options`, walk, 'options', names)
  walk.parents.push(command)
  checkCommands(command.commands, `${path}.commands`, walk)
  walk.parents.pop()
}

/** A command named `""` is the one that holds it, which may not have parameters of its own then. */
function isSaidTwice({ commands, arguments: positional, options }: Record<string, unknown>, path: string): boolean {
  if (!isObject(commands)) return false
  return path.endsWith('.""') || (Object.hasOwn(commands, '') && (positional !== undefined || options !== undefined))
}

function checkParameters(parameters: unknown, path: string, walk: Walk, place: Place, names: Set<string>): void {
  if (parameters === undefined) return
  if (!Array.isArray(parameters)) {
    report(walk, `${path}: write a list.`)
    return
  }
  for (const [at, parameter] of parameters.entries()) {
    if (!isObject(parameter)) {
      report(walk, `${path}[${at}]: write an object.`)
      continue
    }
    for (const fault of parameterFaults(parameter, `${path}[${at}]`, place, names)) report(walk, fault)
    checkKeys(parameter, `${path}[${at}].`, place === 'options' ? 'option' : 'argument', walk)
  }
}

function endOfOptionsFaults(value: Record<string, unknown>, path: string): readonly string[] {
  const marker = value['x-endOfOptions']
  const isMarker = typeof marker === 'string' ? /^--[\w-]*$/.test(marker) : typeof marker === 'boolean'
  return marker === undefined || isMarker ? [] : [`${path}x-endOfOptions: write true, false or a word such as "--".`]
}

/** A fault for each of a million items helps nobody. */
function report(walk: Walk, fault: string): void {
  walk.faults.push(fault)
  if (walk.faults.length >= maxFaults) stop(walk, 'There are more faults than these.')
}

function stop(walk: Walk, fault: string): never {
  walk.faults.push(fault)
  throw new Stop()
}
