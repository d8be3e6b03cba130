// Checks a plain value with whatever validator the tool's author brought, and puts its issues into our words.

import { isObject, type Json, messageOf } from '../base/json.ts'
import type { Issue, IssueCode, StandardIssue, StandardResult, StandardSchema } from '../model/schema.ts'
import { standardAsJson } from './json-schema-of.ts'
import { pathText, placeName, preview, type Segment, valueAt } from './path.ts'
import { mostIssues } from './plain-copy.ts'
import { type Parameters, parametersOf } from './schema-walk.ts'
import { suggestion, unknownParameter, unknownParameters } from './unknown-parameters.ts'
import { refused, type Validation } from './validation.ts'

export function checkStandardSchema(schema: StandardSchema, value: Json): Validation | Promise<Validation> {
  try {
    const known = parameters(schema)
    const result = schema['~standard'].validate(value)
    if (!isPromise(result)) return validationOf(result, value, known)
    return Promise.resolve(result)
      .then((settled) => validationOf(settled, value, known))
      .catch(failed)
  } catch (error) {
    return failed(error)
  }
}

const parametersBySchema = new WeakMap<StandardSchema, Parameters>()

function parameters(schema: StandardSchema): Parameters {
  const known = parametersBySchema.get(schema)
  if (known) return known
  const found = parametersOf(standardAsJson(schema))
  parametersBySchema.set(schema, found)
  return found
}

function isPromise(result: unknown): result is Promise<StandardResult<unknown>> {
  return isObject(result) && typeof result.then === 'function'
}

function failed(error: unknown): Validation {
  return refused(`The input cannot be checked, because the tool's own check failed: ${messageOf(error)}`)
}

function validationOf(result: StandardResult<unknown>, input: Json, known: Parameters): Validation {
  const warnings = unknownParameters(known, input)
  if (!result.issues) return { ok: true, value: result.value, warnings }
  const first = result.issues.slice(0, mostIssues)
  const issues = first.flatMap((issue) => issuesFrom(issue, [], input, known)).slice(0, mostIssues)
  if (issues.length === 0) return refused("The tool's own check refused the input without saying why.", warnings)
  const refusedPaths = new Set(issues.map(({ path }) => path))
  return { ok: false, issues, warnings: warnings.filter(({ path }) => !refusedPaths.has(path)) }
}

/** The fields by which zod says more about an issue; other validators leave them out. */
interface DetailedIssue extends StandardIssue {
  readonly code?: unknown
  readonly expected?: unknown
  readonly keys?: unknown
  readonly values?: unknown
  readonly errors?: unknown
}

const codes: { readonly [zodCode: string]: IssueCode } = {
  invalid_type: 'INVALID_TYPE',
  invalid_value: 'INVALID_ENUM',
  invalid_enum_value: 'INVALID_ENUM',
  invalid_literal: 'INVALID_ENUM',
  invalid_format: 'INVALID_FORMAT',
  invalid_string: 'INVALID_FORMAT',
}

function issuesFrom(
  issue: DetailedIssue,
  outer: readonly PropertyKey[],
  input: Json,
  known: Parameters,
): readonly Issue[] {
  const keys = [...outer, ...(issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part))]
  const segments = segmentsOf(keys, input)
  const value = valueAt(input, keys)
  if (Array.isArray(issue.keys) && issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownParameter(segments, String(key), keys.length ? [] : known.names))
  }
  if (Array.isArray(issue.errors) && issue.errors.length > 0 && value !== undefined) {
    return alternatives(issue.errors, keys, input, known) ?? [plain(issue, segments, value)]
  }
  return [plain(issue, segments, value)]
}

function plain(issue: DetailedIssue, segments: readonly Segment[], value: unknown): Issue {
  const path = pathText(segments)
  if (value === undefined && segments.length > 0 && issue.code !== 'custom') {
    return { path, code: 'MISSING_REQUIRED', message: missingMessage(path, issue) }
  }
  const code = codes[String(issue.code)] ?? 'INVALID_VALUE'
  const words = Array.isArray(issue.values) ? issue.values.filter((word) => typeof word === 'string') : []
  const near = code === 'INVALID_ENUM' ? suggestion(value, words) : ''
  return {
    path,
    code,
    message: `${placeName(path)} is ${preview(value)}: ${sentence(issue.message)}${near}`,
  }
}

/** A message of the author's own stays; the validator's usual one says "received undefined", which nobody sent. */
function missingMessage(path: string, { message, expected }: DetailedIssue): string {
  const isUsual = /received undefined|^Required$|^Invalid (?:input|option)/.test(message)
  const expectation = typeof expected === 'string' && /^[a-z]+$/.test(expected) ? ` Expected: ${expected}.` : ''
  return `The parameter "${path}" is missing.${isUsual ? expectation : ` ${sentence(message)}`}`
}

function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`
}

/** Of several alternatives, the one that was most likely meant: it has the right type, and the fewest issues. */
function alternatives(
  errors: readonly unknown[],
  at: readonly PropertyKey[],
  input: Json,
  known: Parameters,
): readonly Issue[] | undefined {
  const branches = errors.filter((branch): branch is DetailedIssue[] => Array.isArray(branch) && branch.length > 0)
  const able = branches.filter((branch) => !branch.some(isOfWrongType))
  const [best] = able.toSorted((a, b) => a.length - b.length)
  return best?.flatMap((issue) => issuesFrom(issue, at, input, known))
}

function isOfWrongType({ code, path }: DetailedIssue): boolean {
  return code === 'invalid_type' && !path?.length
}

function segmentsOf(keys: readonly PropertyKey[], input: Json): readonly Segment[] {
  return keys.map((key, at) =>
    typeof key === 'number' && Array.isArray(valueAt(input, keys.slice(0, at))) ? key : String(key),
  )
}
