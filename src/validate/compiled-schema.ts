// A JSON Schema made ready for use, once: by the object it is, and by its text, so that a source that is read again does
// not cost again.

import { isObject, type Json, messageOf } from '../base/json.ts'
import type { Issue, JsonSchema } from '../model/schema.ts'
import { type Check, compileSchema, type Dialect, loadValidator } from './ajv.ts'
import { quoted } from './path.ts'
import { plainCopy } from './plain-copy.ts'
import { type Parameters, parametersOf, type SchemaObject } from './schema-walk.ts'

export interface CompiledSchema {
  /** A copy of the schema, which nobody can change underneath. */
  readonly root: SchemaObject
  readonly parameters: Parameters
  /** Undefined where the schema cannot be used and everything is accepted. */
  readonly checks: Checks | undefined
  /** What of the schema is not enforced. */
  readonly warnings: readonly Issue[]
}

export interface Checks {
  /** Stops at the first fault. */
  readonly first: Check
  /** Finds every fault. Made when first asked for. */
  readonly every: () => Check
}

const byObject = new WeakMap<object, CompiledSchema>()
const byText = new Map<string, CompiledSchema>()
const mostByText = 500
const schemaBounds = { maxInputBytes: 1_048_576, maxInputDepth: 128 }

/** At once, except for the first of a dialect. Never throws: a schema that cannot be used says so in its warnings. */
export function compiledSchema(schema: JsonSchema): CompiledSchema | Promise<CompiledSchema> {
  if (!isObject(schema)) return unusable()
  const known = byObject.get(schema)
  if (known) return known
  const copied = plainCopy(schema, schemaBounds)
  const compiled = copied.ok ? compileCopy(copied.value) : unusable(copied.issues[0]?.message)
  const keep = (ready: CompiledSchema) => {
    byObject.set(schema, ready)
    return ready
  }
  return compiled instanceof Promise ? compiled.then(keep) : keep(compiled)
}

function compileCopy(copy: Json): CompiledSchema | Promise<CompiledSchema> {
  if (!isObject(copy)) return unusable()
  const text = JSON.stringify(copy)
  const known = byText.get(text)
  if (known) return known
  const root: SchemaObject = copy
  delete root.$async
  if (isDraft04(root)) modernise(root)
  return compile(root, text, dialectsOf(root))
}

function remember(text: string, compiled: CompiledSchema): CompiledSchema {
  const oldest = byText.size >= mostByText ? byText.keys().next().value : undefined
  if (oldest !== undefined) byText.delete(oldest)
  byText.set(text, compiled)
  return compiled
}

/** By the first of the dialects that can. */
function compile(
  root: SchemaObject,
  text: string,
  [dialect, ...others]: readonly Dialect[],
  reason?: string,
): CompiledSchema | Promise<CompiledSchema> {
  if (!dialect) return remember(text, unusable(reason))
  const validator = loadValidator(dialect)
  if (validator instanceof Promise) return validator.then(() => compile(root, text, [dialect, ...others], reason))
  try {
    const { check, unusable } = compileSchema(validator, root, 'first-fault')
    let every: Check | undefined
    const checks = { first: check, every: () => (every ??= compileSchema(validator, root, 'every-fault').check) }
    const warnings = [...unusable].map(([pattern, why]) => unenforced(pattern, why))
    return remember(text, { root, parameters: parametersOf(root), checks, warnings })
  } catch (error) {
    return compile(root, text, others, reason ?? messageOf(error))
  }
}

/** The dialect that the schema names. One that names none, or none we know, is read as the newest, else as draft 7. */
function dialectsOf({ $schema }: SchemaObject): readonly Dialect[] {
  const name = typeof $schema === 'string' ? $schema : ''
  if (name.includes('2019-09')) return ['2019-09']
  if (/draft-0[3467]/.test(name)) return ['draft-07']
  return ['2020-12', 'draft-07']
}

function isDraft04({ $schema }: SchemaObject): boolean {
  return typeof $schema === 'string' && $schema.includes('draft-04')
}

/** In draft 4 `exclusiveMinimum` is a switch on `minimum`. */
function modernise(schema: unknown): void {
  if (Array.isArray(schema)) schema.forEach(modernise)
  if (!isObject(schema)) return
  for (const [exclusive, bound] of exclusiveBounds) {
    if (typeof schema[exclusive] !== 'boolean') continue
    if (schema[exclusive] && schema[bound] !== undefined) schema[exclusive] = schema[bound]
    else delete schema[exclusive]
  }
  Object.values(schema).forEach(modernise)
}

const exclusiveBounds = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const

function unusable(reason = 'it is no schema'): CompiledSchema {
  const message = `The input is not checked, because the tool's own schema cannot be used: ${reason}`
  return {
    root: {},
    parameters: { names: new Set(), closed: false },
    checks: undefined,
    warnings: [{ path: '', code: 'UNCHECKED', message }],
  }
}

function unenforced(pattern: string, why: string): Issue {
  const message = `The pattern ${quoted(pattern)} in the tool's schema is not checked, because it ${why}.`
  return { path: '', code: 'UNCHECKED', message }
}
