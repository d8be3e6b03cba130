// In strict mode a model must give every parameter and writes null for those it leaves out. Here they are left out again,
// where the tool's own schema wants no null.

import { isObject, setOwn } from '../base/json.ts'
import type { JsonSchema } from '../model/schema.ts'
import { resolveRef, type SchemaObject } from '../validate/schema-walk.ts'

/** Deeper inputs are refused by the engine; until then they are passed on as they are. */
const maxDepth = 128

/** Returns the value itself where nothing had to go, else a changed copy. */
export function withoutNulls(schema: JsonSchema, value: unknown): unknown {
  return strip(schema, schema, value, 0)
}

/** Whether null fits a schema; one that does not say what it takes, takes it. */
export function allowsNull(root: unknown, given: unknown, depth = 0): boolean {
  const schema = follow(root, given)
  if (!schema || depth > 8) return true
  const { type, enum: members, anyOf, oneOf, allOf } = schema
  if (schema.nullable === true) return true
  if (typeof type === 'string' && type !== 'null') return false
  if (Array.isArray(type) && !type.includes('null')) return false
  if (Array.isArray(members) && !members.includes(null)) return false
  if ('const' in schema && schema.const !== null) return false
  const fits = (part: unknown) => allowsNull(root, part, depth + 1)
  return (
    [anyOf, oneOf].every((list) => !Array.isArray(list) || list.some(fits)) &&
    (!Array.isArray(allOf) || allOf.every(fits))
  )
}

function strip(root: unknown, given: unknown, value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return value
  const schema = branchOf(root, follow(root, given), value)
  if (!schema) return value
  if (Array.isArray(value)) return stripItems(root, schema, value, depth)
  return isObject(value) ? stripFields(root, schema, value, depth) : value
}

function stripItems(
  root: unknown,
  { items, prefixItems }: SchemaObject,
  list: readonly unknown[],
  depth: number,
): unknown {
  const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
  const stripped = list.map((item, at) => strip(root, at < first.length ? first[at] : items, item, depth + 1))
  return stripped.some((item, at) => item !== list[at]) ? stripped : list
}

function stripFields(root: unknown, schema: SchemaObject, fields: Record<string, unknown>, depth: number): unknown {
  const forms = propertiesOf(root, schema)
  const required = new Set(forms.flatMap((form) => (Array.isArray(form.required) ? form.required : [])))
  const stripped: Record<string, unknown> = {}
  let changed = false
  for (const [name, value] of Object.entries(fields)) {
    const form = forms.map(({ properties }) => own(properties, name)).find((found) => found !== undefined)
    if (value === null && form !== undefined && !required.has(name) && !allowsNull(root, form)) {
      changed = true
      continue
    }
    const field = strip(root, form, value, depth + 1)
    if (field !== value) changed = true
    setOwn(stripped, name, field)
  }
  return changed ? stripped : fields
}

/** The object schemas that hold together: the schema itself and what it says by `allOf`. */
function propertiesOf(root: unknown, schema: SchemaObject): SchemaObject[] {
  const more = Array.isArray(schema.allOf) ? schema.allOf.map((part) => follow(root, part)) : []
  return [schema, ...more.filter((part) => part !== undefined)]
}

/** Of several alternatives, the first that knows all the names in the value and agrees with its fixed values. */
function branchOf(root: unknown, schema: SchemaObject | undefined, value: object): SchemaObject | undefined {
  const alternatives = schema?.anyOf ?? schema?.oneOf
  if (!schema || !Array.isArray(alternatives) || 'properties' in schema) return schema
  const branches = alternatives.map((part) => follow(root, part)).filter((part) => part !== undefined)
  if (Array.isArray(value))
    return branches.find(({ items, prefixItems }) => items !== undefined || prefixItems !== undefined)
  return branches.find(({ properties }) => {
    return isObject(properties) && Object.entries(value).every(([name, field]) => agrees(own(properties, name), field))
  })
}

function agrees(form: unknown, field: unknown): boolean {
  if (form === undefined) return false
  if (!isObject(form) || field === null) return true
  if ('const' in form) return form.const === field
  return !Array.isArray(form.enum) || form.enum.includes(field)
}

function follow(root: unknown, given: unknown): SchemaObject | undefined {
  let schema = given
  for (let hops = 0; hops < 32 && isObject(schema); hops++) {
    if (schema.$ref === undefined) return schema
    schema = resolveRef(root, schema.$ref)
  }
  return undefined
}

function own(properties: unknown, name: string): unknown {
  return isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
}
