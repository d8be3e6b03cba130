// The words that the schema of the configuration is written in.

import { z } from 'zod'
import type { Json } from '../base/json.ts'
import { safePattern } from '../base/safe-pattern.ts'

/** An object with these keys and no others; the title becomes the name of its type. */
export function group<Shape extends z.core.$ZodLooseShape>(title: string, shape: Shape) {
  return z.strictObject(shape).meta({ title })
}

/** A key that may be left out: what it is for, and what holds without it. A default in prose stands in the sentence. */
export function key<Schema extends z.ZodType>(schema: Schema, about: string, fallback?: Json) {
  const meta = fallback === undefined ? {} : { default: fallback }
  const description = fallback === undefined ? about : `${about} Default: ${JSON.stringify(fallback)}.`
  return z.exactOptional(schema.meta({ ...schema.meta(), description, ...meta }))
}

/** Text that is not empty, with an example for the messages. */
export function text(example?: string) {
  const schema = z.string().min(1)
  return example === undefined ? schema : schema.meta({ examples: [example] })
}

/** Text of a given form; the sentence says what to write. */
export function matching(pattern: RegExp, sentence: string, example: string) {
  return z
    .string()
    .regex(pattern)
    .meta({ patternErrorMessage: sentence, examples: [example] })
}

/** A regular expression. */
export function regularExpression(example: string) {
  return z
    .string()
    .refine((source) => safePattern(source).ok)
    .meta({ format: 'regex', examples: [example] })
}
