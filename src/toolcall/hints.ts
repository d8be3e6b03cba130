// What a provider's subset of JSON Schema cannot say about a value is said in its description instead.

import type { SchemaObject } from '../validate/schema-walk.ts'

const sayable = [
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'enum',
  'const',
  'default',
]
const maxLength = 300

/** The schema's description with the constraints that its kept form lacks. */
export function described(schema: SchemaObject, kept: SchemaObject): SchemaObject {
  const lost = sayable.filter((keyword) => keyword in schema && !(keyword in kept))
  const hint = lost.map((keyword) => `${keyword}: ${JSON.stringify(schema[keyword])}`).join(', ')
  const description = typeof schema.description === 'string' ? schema.description : ''
  const told = hint && hint.length <= maxLength ? `${description} (${hint})`.trim() : description
  return told ? { ...kept, description: told } : kept
}
