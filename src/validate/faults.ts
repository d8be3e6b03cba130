// The JSON Schema validator's faults as issues that a model or a person can act on.

import { isObject } from '../base/json.ts'
import { count } from '../base/text.ts'
import type { Issue, IssueCode } from '../model/schema.ts'
import type { Fault } from './ajv.ts'
import { withoutNoise } from './alternatives.ts'
import { describe, pathText, placeName, preview, quoted, type Segment, valueAt } from './path.ts'
import { mostIssues } from './plain-copy.ts'
import type { SchemaObject } from './schema-walk.ts'
import { suggestion, unknownParameter } from './unknown-parameters.ts'

export function issuesOf(faults: readonly Fault[], value: unknown, root: SchemaObject): readonly Issue[] {
  const issues = new Map<string, Issue>()
  for (const fault of withoutNoise(faults, root)) {
    const issue = issueOf(fault, segmentsOf(fault.instancePath, value))
    issues.set(`${issue.path} ${issue.message}`, issue)
    if (issues.size >= mostIssues) break
  }
  return [...issues.values()]
}

function issueOf(fault: Fault, at: readonly Segment[]): Issue {
  const path = pathText(at)
  const { keyword, params, data, parentSchema } = fault
  const issue = (code: IssueCode, message: string): Issue => ({ path, code, message })
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
    case 'dependencies':
      return missing(at, String(params.missingProperty), parentSchema)
    case 'type':
      return issue('INVALID_TYPE', `${placeName(path)} must be ${typeWords(params.type)}, but is ${describe(data)}.`)
    case 'enum':
      return issue('INVALID_ENUM', enumMessage(path, data, params.allowedValues))
    case 'const':
      return issue('INVALID_ENUM', enumMessage(path, data, [params.allowedValue]))
    case 'format':
      return issue('INVALID_FORMAT', `${placeName(path)} must be a valid ${params.format}, but is ${preview(data)}.`)
    case 'additionalProperties':
      return unknownParameter(at, String(params.additionalProperty), propertyNames(parentSchema))
    case 'unevaluatedProperties':
      return unknownParameter(at, String(params.unevaluatedProperty), propertyNames(parentSchema))
    default:
      return issue('INVALID_VALUE', valueMessage(path, fault))
  }
}

function missing(at: readonly Segment[], name: string, parent: SchemaObject | undefined): Issue {
  const path = pathText([...at, name])
  const properties = parent?.properties
  const expected = isObject(properties) && Object.hasOwn(properties, name) ? expectation(properties[name]) : ''
  return { path, code: 'MISSING_REQUIRED', message: `The parameter "${path}" is missing.${expected}` }
}

function expectation(schema: unknown): string {
  if (!isObject(schema)) return ''
  if (Array.isArray(schema.enum)) return ` It must be ${choices(schema.enum)}.`
  return schema.type === undefined ? '' : ` It must be ${typeWords(schema.type)}.`
}

function enumMessage(path: string, value: unknown, members: readonly unknown[]): string {
  const words = members.filter((member) => typeof member === 'string')
  return `${placeName(path)} must be ${choices(members)}, but is ${preview(value)}.${suggestion(value, words)}`
}

const mostChoices = 20

function choices(members: readonly unknown[]): string {
  const shown = members
    .slice(0, mostChoices)
    .map((member) => (isObject(member) ? quoted(JSON.stringify(member)) : preview(member)))
  const more = members.length > mostChoices ? ` or one of ${members.length - mostChoices} others` : ''
  return members.length === 1 ? `${shown[0]}` : `one of ${shown.join(', ')}${more}`
}

const articles: { readonly [type: string]: string } = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
}

function typeWords(types: unknown): string {
  const names: unknown[] = Array.isArray(types) ? types : String(types).split(',')
  return [...new Set(names.map(String))].map((name) => articles[name] ?? name).join(' or ')
}

function valueMessage(path: string, fault: Fault): string {
  const { keyword, params, data } = fault
  const place = placeName(path)
  switch (keyword) {
    case 'pattern':
      return `${place} must match the pattern ${quoted(String(params.pattern))}, but is ${preview(data)}.`
    case 'uniqueItems':
      return `${place} must not hold the same item twice.`
    case 'oneOf':
    case 'anyOf':
      return params.passingSchemas
        ? `${place} fits more than one of the shapes that exclude each other. Give fewer parameters.`
        : `${place} fits none of the shapes that are allowed, and is ${preview(data)}.`
    case 'not':
      return `${place} has a shape that is not allowed, and is ${preview(data)}.`
    case 'false schema':
      return `${place} is not allowed here.`
    case 'propertyNames':
      return `${place} has the name ${quoted(String(params.propertyName))} in it, which is not allowed.`
    default: {
      const bound = bounds[keyword]?.(Number(params.limit ?? params.multipleOf))
      return `${place} must ${bound ?? `satisfy "${keyword}"`}, but is ${preview(data)}.`
    }
  }
}

const bounds: { readonly [keyword: string]: (limit: number) => string } = {
  minLength: (limit) => `have at least ${count(limit, 'character')}`,
  maxLength: (limit) => `have at most ${count(limit, 'character')}`,
  minItems: (limit) => `have at least ${count(limit, 'item')}`,
  maxItems: (limit) => `have at most ${count(limit, 'item')}`,
  items: (limit) => `have at most ${count(limit, 'item')}`,
  additionalItems: (limit) => `have at most ${count(limit, 'item')}`,
  unevaluatedItems: (limit) => `have at most ${count(limit, 'item')}`,
  minProperties: (limit) => `have at least ${count(limit, 'field')}`,
  maxProperties: (limit) => `have at most ${count(limit, 'field')}`,
  minimum: (limit) => `be at least ${limit}`,
  maximum: (limit) => `be at most ${limit}`,
  exclusiveMinimum: (limit) => `be more than ${limit}`,
  exclusiveMaximum: (limit) => `be less than ${limit}`,
  multipleOf: (limit) => `be a multiple of ${limit}`,
}

function propertyNames(schema: SchemaObject | undefined): string[] {
  return isObject(schema?.properties) ? Object.keys(schema.properties) : []
}

/** `/files/0/name` as the way through the value; a number is an index only where a list stands. */
function segmentsOf(pointer: string, value: unknown): Segment[] {
  let current = value
  return pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
      const isList = Array.isArray(current)
      current = valueAt(current, [key])
      return isList ? Number(key) : key
    })
}
