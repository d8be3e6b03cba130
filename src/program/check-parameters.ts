// Checks arguments and options of unknown origin, one at a time.

import { effectFaults, shown } from '../model/effect-faults.ts'
import { type ParameterType, parameterTypes } from './metadata.ts'

export type Place = 'arguments' | 'options'

/** Every fault with its path. `names` are those of the same command, and grow by this one. */
export function parameterFaults(
  parameter: Record<string, unknown>,
  path: string,
  place: Place,
  names: Set<string>,
): readonly string[] {
  const { name, type, enum: values, flags } = parameter
  const faults: string[] = []
  if (typeof name !== 'string' || name === '') faults.push(`${path}.name: write a name.`)
  else if (name === '__proto__') faults.push(`${path}.name: a parameter cannot have this name.`)
  else if (names.has(name)) faults.push(`${path}.name: there is another parameter ${shown(name)}. Rename one of them.`)
  else names.add(name)
  if (!parameterTypes.includes(type as ParameterType)) {
    faults.push(`${path}.type: ${shown(type)} is none of ${parameterTypes.join(', ')}.`)
  }
  if (values === undefined ? type === 'enum' : !isChoice(values)) {
    faults.push(`${path}.enum: write a list of texts or numbers.`)
  }
  if (place === 'options' && !(Array.isArray(flags) && flags.length > 0 && flags.every(isFlag))) {
    faults.push(`${path}.flags: write a list such as ["--all"].`)
  }
  return [
    ...faults,
    ...textFaults(parameter, `${path}.`, ['description']),
    ...flagFaults(parameter, `${path}.`, ['required', 'variadic', 'deprecated', 'x-separateValue']),
    ...effectFaults(parameter.effects, `${path}.effects`),
  ]
}

function isChoice(values: unknown): boolean {
  return (
    Array.isArray(values) && values.length > 0 && values.every((value) => ['string', 'number'].includes(typeof value))
  )
}

/** `--` alone would end the options, and a blank or `=` would make one word into two things. */
function isFlag(flag: unknown): boolean {
  return typeof flag === 'string' && /^--?[^\s\0=-][^\s\0=]*$/.test(flag)
}

export function textFaults(value: Record<string, unknown>, path: string, keys: readonly string[]): readonly string[] {
  const wrong = keys.filter((key) => value[key] !== undefined && typeof value[key] !== 'string')
  return wrong.map((key) => `${path}${key}: write a text.`)
}

export function flagFaults(value: Record<string, unknown>, path: string, keys: readonly string[]): readonly string[] {
  const wrong = keys.filter((key) => value[key] !== undefined && typeof value[key] !== 'boolean')
  return wrong.map((key) => `${path}${key}: ${shown(value[key])} is not true or false.`)
}
