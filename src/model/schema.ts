// How a tool's input and output are described: by JSON Schema, or by any validator that speaks Standard Schema.

export type JsonSchema = boolean | { readonly [keyword: string]: unknown }

/** The part of the Standard Schema interface (version 1) that Legwork uses. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    /** Standard JSON Schema: the same schema as JSON Schema, where the vendor can say it. */
    readonly jsonSchema?: { readonly input: (options: { readonly target: string }) => Record<string, unknown> }
  }
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export type InferOutput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output']

export type Schema =
  | {
      readonly type: 'json'
      readonly schema: JsonSchema
      /** Turns text that is exactly a number into a number, and the like. For programs and skill arguments alone. */
      readonly coerce?: boolean
    }
  | { readonly type: 'standard'; readonly schema: StandardSchema }

/** What every tool accepts whose description says nothing about its input. */
export const anySchema: Schema = { type: 'json', schema: true }

/** One fault found in an input. */
export interface Issue {
  /** Where, such as `title` or `files[0].name`; empty for the input itself. */
  readonly path: string
  readonly code: IssueCode
  /** The code that the system itself has for it, where it has codes of its own, such as a document's `UNCLOSED_ELEMENT`. */
  readonly fault?: string
  readonly message: string
}

export type IssueCode =
  | 'MISSING_REQUIRED'
  | 'INVALID_TYPE'
  | 'INVALID_ENUM'
  | 'INVALID_FORMAT'
  | 'INVALID_VALUE'
  | 'UNKNOWN_PARAMETER'
  | 'UNKNOWN_COMMAND'
  | 'FORBIDDEN_KEY'
  | 'TOO_DEEP'
  | 'TOO_LARGE'
  | 'NOT_JSON'
  /** Part of a schema cannot be enforced; always a warning. */
  | 'UNCHECKED'
