// Checks a value against `schema.json` and says all that is wrong with it, each fault with what to write instead.
// It knows the few keywords that the schema uses, so that nothing heavy is loaded at every start.

import { isObject, setOwn } from '../base/json.ts'
import { safePattern } from '../base/safe-pattern.ts'
import { unknownKey } from './unknown-key.ts'
import { choices, type Path, quoted, showPath, wanted } from './words.ts'

/** The part of JSON Schema that the schema of the configuration is made of. */
export interface Shape {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'boolean'
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Shape
  readonly propertyNames?: Shape
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  /** Exactly one of these keys must be there. */
  readonly oneOf?: readonly { readonly required: readonly string[] }[]
  readonly enum?: readonly string[]
  readonly minLength?: number
  readonly pattern?: string
  readonly patternErrorMessage?: string
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly examples?: readonly string[]
  /** A key of other clients: left out, with a warning. */
  readonly deprecated?: boolean
  readonly deprecationMessage?: string
}

export interface Finding {
  readonly path: Path
  /** What is at fault: the key, what stands behind it, or that something is absent in there. */
  readonly at: 'key' | 'value' | 'absence'
  readonly message: string
}

export interface Checked {
  /** A copy without the keys of other clients. Of use only when there are no faults. */
  readonly value: unknown
  readonly faults: readonly Finding[]
  readonly warnings: readonly Finding[]
}

/** `show` puts the value at a path into words, as its author wrote it. */
export function check(root: Shape, value: unknown, show: (path: Path, value: unknown) => string): Checked {
  const faults: Finding[] = []
  const warnings: Finding[] = []

  const fault = (path: Path, message: string, at: Finding['at'] = 'value') => {
    faults.push({ path, at, message })
    return undefined
  }
  const warn = (path: Path, message = '') => {
    warnings.push({ path, at: 'key', message: `${showPath(path)}: ${message}` })
  }
  const misfit = (shape: Shape, path: Path, given: unknown) =>
    fault(path, `${showPath(path)} is ${show(path, given)}; write ${wanted(shape)}.`)

  const visit = (shape: Shape, given: unknown, path: Path): unknown => {
    if (shape.anyOf) {
      const branch = shape.anyOf.find(({ type }) => type === typeOf(given))
      return branch ? visit(branch, given, path) : misfit(shape, path, given)
    }
    if (shape.type === undefined) return given
    if (shape.type !== typeOf(given)) return misfit(shape, path, given)
    if (isObject(given)) return visitObject(shape, given, path)
    if (Array.isArray(given)) return given.map((item, at) => visit(shape.items ?? {}, item, [...path, at]))
    if (typeof given === 'string') return visitText(shape, given, path)
    if (typeof given === 'number') {
      const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = shape
      if (given < minimum || given > maximum) return misfit(shape, path, given)
    }
    return given
  }

  const visitText = (shape: Shape, given: string, path: Path): unknown => {
    if (shape.enum && !shape.enum.includes(given)) {
      return fault(path, `${showPath(path)} is ${show(path, given)}; write ${choices(shape.enum, given)}.`)
    }
    if (given.length < (shape.minLength ?? 0)) return misfit(shape, path, given)
    if (shape.pattern && !new RegExp(shape.pattern).test(given)) {
      return fault(path, `${showPath(path)} is ${show(path, given)}. ${shape.patternErrorMessage ?? ''}`.trim())
    }
    const pattern = shape.format === 'regex' ? safePattern(given) : undefined
    if (pattern && !pattern.ok) {
      return fault(path, `${showPath(path)} is ${show(path, given)}, which ${pattern.reason}; write another pattern.`)
    }
    return given
  }

  const visitObject = (shape: Shape, given: Record<string, unknown>, path: Path): unknown => {
    const copy = {}
    const present = Object.keys(given).filter((key) => given[key] !== undefined)
    for (const key of present) {
      const here = [...path, key]
      const own = ownShape(shape, key)
      if (own?.deprecated) warn(here, own.deprecationMessage)
      else if (own) setOwn(copy, key, visit(own, given[key], here))
      else fault(here, unknownKey(root, shape, key, path), 'key')
      if (shape.propertyNames && own) visitName(shape.propertyNames, key, here)
    }
    for (const key of shape.required ?? []) {
      if (present.includes(key)) continue
      fault(path, `${showPath([...path, key])} is missing; write ${wanted(shape.properties?.[key] ?? {})}.`, 'absence')
    }
    const alternatives = (shape.oneOf ?? []).flatMap(({ required }) => required)
    if (alternatives.length) visitAlternatives(alternatives, present, path)
    return copy
  }

  const visitName = (shape: Shape, name: string, path: Path) => {
    if (name.length < (shape.minLength ?? 0)) fault(path, `${showPath(path)} has an empty name; write one.`, 'key')
    if (!shape.pattern || new RegExp(shape.pattern).test(name)) return
    fault(path, `${quoted(name)} is no name here. ${shape.patternErrorMessage ?? ''}`.trim(), 'key')
  }

  const visitAlternatives = (keys: readonly string[], present: readonly string[], path: Path) => {
    const given = keys.filter((key) => present.includes(key)).length
    const names = keys.map(quoted)
    if (given === 0) fault(path, `${showPath(path)} has neither ${names.join(' nor ')}; write one of them.`, 'absence')
    if (given > 1) fault(path, `${showPath(path)} has both ${names.join(' and ')}; keep one of them.`)
  }

  return { value: visit(root, value, []), faults, warnings }
}

/** The shape of what stands behind a key; undefined where there is no such key. */
function ownShape({ properties = {}, additionalProperties }: Shape, key: string): Shape | undefined {
  if (key === '__proto__') return undefined
  if (Object.hasOwn(properties, key)) return properties[key]
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

function typeOf(value: unknown): Shape['type'] {
  if (Array.isArray(value)) return 'array'
  if (isObject(value)) return 'object'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'boolean'
  return Number.isInteger(value) ? 'integer' : undefined
}
