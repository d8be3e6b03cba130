// When a value fits none of several alternatives, the validator reports what is wrong with it in the light of each one.
// Here only the part that helps is kept: the alternative that was most likely meant, or what all of them ask for.

import { isObject } from '../base/json.ts'
import type { Fault } from './ajv.ts'
import { resolveRef, type SchemaObject } from './schema-walk.ts'

export function withoutNoise(faults: readonly Fault[], root: SchemaObject): readonly Fault[] {
  const helpful = faults.filter(({ keyword, propertyName }) => keyword !== 'if' && propertyName === undefined)
  return simplify(helpful, root, new Map())
}

/** The fault that no alternative fits. */
interface Choice extends Fault {
  readonly schema: readonly unknown[]
}

type Reaches = Map<readonly unknown[], readonly ReadonlySet<unknown>[]>

function simplify(faults: readonly Fault[], root: SchemaObject, reaches: Reaches): readonly Fault[] {
  const kept: Fault[] = []
  let rest = faults
  for (;;) {
    const choice = rest.findLast(isChoice)
    if (!choice) return [...rest, ...kept]
    const { outside, branches } = split(rest, choice, reachOf(choice.schema, root, reaches))
    kept.push(
      ...chosen(
        choice,
        branches.filter((branch) => branch.length > 0),
        root,
        reaches,
      ),
    )
    rest = outside
  }
}

function isChoice(fault: Fault): fault is Choice {
  const { keyword, params, schema } = fault
  return (keyword === 'anyOf' || keyword === 'oneOf') && !params.passingSchemas && Array.isArray(schema)
}

/** The faults that belong to each alternative of a choice, and those that do not belong to it. */
function split(faults: readonly Fault[], choice: Choice, reach: readonly ReadonlySet<unknown>[]) {
  const at = faults.lastIndexOf(choice)
  const outside: Fault[] = []
  const branches: Fault[][] = reach.map(() => [])
  for (const [index, fault] of faults.entries()) {
    if (index === at) continue
    const isInside = index < at && isWithin(fault.instancePath, choice.instancePath)
    const branch = isInside ? branches[reach.findIndex((schemas) => schemas.has(fault.parentSchema))] : undefined
    if (branch) branch.push(fault)
    else outside.push(fault)
  }
  return { outside, branches }
}

function chosen(
  choice: Fault,
  branches: readonly (readonly Fault[])[],
  root: SchemaObject,
  reaches: Reaches,
): readonly Fault[] {
  const isHere = (fault: Fault) => fault.instancePath === choice.instancePath
  const simple = branches.map((branch) => simplify(branch, root, reaches))
  const wrongType = (fault: Fault) => fault.keyword === 'type' && isHere(fault)
  const able = simple.filter((branch) => !branch.some(wrongType))
  if (able.length === 0 && simple.length > 0) {
    const types = simple
      .flat()
      .filter(wrongType)
      .flatMap(({ params }) => params.type)
    return [{ ...choice, keyword: 'type', params: { type: types } }]
  }
  return merged(choice, able, isHere) ?? byDiscriminator(choice, able) ?? fewest(able) ?? [choice]
}

/** One list of allowed values, where every alternative has one for the same place. */
function merged(choice: Fault, branches: readonly (readonly Fault[])[], isAt: (fault: Fault) => boolean) {
  const found = branches.flatMap((branch) => branch.find((fault) => isAt(fault) && isValueFault(fault)) ?? [])
  const [first] = found
  if (!first || found.length < branches.length) return undefined
  const allowedValues = found.flatMap(allowed)
  const { instancePath, data } = first
  return [{ ...choice, keyword: 'enum', instancePath, data, params: { allowedValues } }]
}

/** Alternatives are often told apart by a field such as `kind`: those that ask for another one were not meant. */
function byDiscriminator(choice: Fault, branches: readonly (readonly Fault[])[]): readonly Fault[] | undefined {
  const isField = ({ instancePath }: Fault) => !instancePath.slice(choice.instancePath.length + 1).includes('/')
  const meant = branches.filter((branch) => !branch.some((fault) => isValueFault(fault) && isField(fault)))
  if (meant.length > 0) return meant.length < branches.length ? fewest(meant) : undefined
  const field = branches[0]?.find((fault) => isValueFault(fault) && isField(fault))
  return merged(choice, branches, ({ instancePath }) => instancePath === field?.instancePath)
}

function fewest(branches: readonly (readonly Fault[])[]): readonly Fault[] | undefined {
  return branches.toSorted((a, b) => a.length - b.length)[0]
}

function isValueFault({ keyword }: Fault): boolean {
  return keyword === 'enum' || keyword === 'const'
}

function allowed({ keyword, params }: Fault): readonly unknown[] {
  return keyword === 'const' ? [params.allowedValue] : params.allowedValues
}

function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`)
}

/** For each alternative, every schema that it consists of, references followed. */
function reachOf(
  alternatives: readonly unknown[],
  root: SchemaObject,
  reaches: Reaches,
): readonly ReadonlySet<unknown>[] {
  const known = reaches.get(alternatives)
  if (known) return known
  const reach = alternatives.map((schema) => schemasIn(schema, root))
  reaches.set(alternatives, reach)
  return reach
}

function schemasIn(schema: unknown, root: SchemaObject): ReadonlySet<unknown> {
  const found = new Set<unknown>()
  const waiting: unknown[] = [schema]
  while (waiting.length) {
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null || found.has(next)) continue
    found.add(next)
    if (isObject(next) && next.$ref !== undefined) waiting.push(resolveRef(root, next.$ref))
    for (const part of Object.values(next)) waiting.push(part)
  }
  return found
}
