// The JSON Schema validator, made safe for schemas of strangers: loaded when first needed, no network, patterns that
// cannot hang, references that cannot multiply without end, equal items found in linear time.

import type { Ajv as Draft07, ErrorObject, Options, _ as template } from 'ajv'
import type { Ajv2019 } from 'ajv/dist/2019.js'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import { safePattern } from '../base/safe-pattern.ts'
import { spend } from './budget.ts'
import { formats } from './formats.ts'
import type { SchemaObject } from './schema-walk.ts'
import { areUnique } from './unique-items.ts'

export type Fault = ErrorObject

/** What is wrong with a value; nothing when it fits. */
export type Check = (value: unknown) => readonly Fault[] | null | undefined

export interface Compilation {
  readonly check: Check
  /** Patterns that are not enforced, each with the reason. */
  readonly unusable: ReadonlyMap<string, string>
}

export type Dialect = '2020-12' | '2019-09' | 'draft-07'

export interface Validator {
  readonly Ajv: typeof Ajv2020 | typeof Ajv2019 | typeof Draft07
  /** Marks a text as code for the validator to generate. */
  readonly generated: typeof template
}

const validators = new Map<Dialect, Validator | Promise<Validator>>()

/** At once when it is loaded already. Almost every schema is of the newest dialect, so the others are seldom loaded at all. */
export function loadValidator(dialect: Dialect): Validator | Promise<Validator> {
  const known = validators.get(dialect)
  if (known) return known
  const loading = load[dialect]().then((loaded) => {
    validators.set(dialect, loaded)
    return loaded
  })
  validators.set(dialect, loading)
  return loading
}

const load: Readonly<Record<Dialect, () => Promise<Validator>>> = {
  '2020-12': () => import('ajv/dist/2020.js').then(({ Ajv2020, _ }) => ({ Ajv: Ajv2020, generated: _ })),
  '2019-09': () => import('ajv/dist/2019.js').then(({ Ajv2019, _ }) => ({ Ajv: Ajv2019, generated: _ })),
  'draft-07': () => import('ajv').then(({ Ajv, _ }) => ({ Ajv, generated: _ })),
}

/**
 * Compiles a schema, or throws when it cannot be. Each schema has an instance of its own, which costs a thirtieth of a
 * millisecond: an `$id` of one tool is then never seen by another, and nothing is kept once the schema is gone.
 */
export function compileSchema(
  { Ajv, generated }: Validator,
  schema: SchemaObject,
  every: 'first-fault' | 'every-fault',
): Compilation {
  const unusable = new Map<string, string>()
  const ajv = new Ajv({
    ...options,
    allErrors: every === 'every-fault',
    meta: refersToMetaSchema(schema),
    code: { regExp: patternEngine(unusable) },
  })
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (wanted: boolean, list: unknown[]) => !wanted || areUnique(list),
  })
  for (const keyword of references) countSteps(ajv.RULES.all[keyword], generated)
  const compiled = ajv.compile(schema)
  return { check: (value) => (compiled(value) ? null : compiled.errors), unusable }
}

const references = ['$ref', '$dynamicRef', '$recursiveRef']

const options: Options = {
  strict: false,
  validateSchema: false,
  logger: false,
  verbose: true,
  // Inherited names such as `constructor` are no parameters.
  ownProperties: true,
  inlineRefs: 20,
  formats,
}

/** Only then is it worth the time to load the meta-schemas. */
function refersToMetaSchema(schema: SchemaObject): boolean {
  return /"\$ref":"https?:\/\/json-schema\.org\//.test(JSON.stringify(schema))
}

/** Patterns that cannot be run safely accept everything, and are reported. */
function patternEngine(unusable: Map<string, string>) {
  const engine = (source: string) => {
    const pattern = safePattern(source)
    if (!pattern.ok) unusable.set(source, pattern.reason)
    const test = (text: string) => {
      if (!pattern.ok) return true
      spend((10 + pattern.size / 2) * text.length)
      return pattern.test(text)
    }
    return { test, toString: () => `/${source}/` }
  }
  return Object.assign(engine, { code: 'safePattern' })
}

type Rule = Draft07['RULES']['all'][string]

/** Makes every use of a reference spend some of the budget, so that a schema cannot double its work at every link. */
function countSteps(rule: Rule, generated: typeof template): void {
  if (typeof rule !== 'object' || !('code' in rule.definition)) return
  const { definition } = rule
  const { code } = definition
  definition.code = (context, ruleType) => {
    const { gen } = context
    const step = gen.scopeValue('keyword', { ref: stepOfReference })
    gen.code(generated`${step}()`)
    code(context, ruleType)
  }
}

const stepOfReference = () => spend(10)
