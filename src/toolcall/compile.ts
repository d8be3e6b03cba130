// Tools of the catalogue as a provider wants them in its requests.

import type { Tool } from '../model/tool.ts'
import { describe } from './description.ts'
import { geminiSchema } from './gemini-schema.ts'
import { objectRoot } from './object-root.ts'
import { plainSchema } from './plain-schema.ts'
import { forProvider, type Provider } from './provider.ts'
import { type StrictDialect, strictSchema } from './strict.ts'
import type { CompiledTools, ParametersSchema } from './wire.ts'

export interface CompileOptions {
  /**
   * Whether OpenAI and Anthropic are to hold the model to the schema. A tool whose schema has no strict form goes without,
   * and so do those beyond what Anthropic takes in one request. Gemini has no such mode. Default false.
   */
  readonly strict?: boolean
  /** How long a description may be, its safety suffix included. Default 1 024 for OpenAI, 10 000 for the others. */
  readonly maxDescriptionLength?: number
}

/** The parts of a tool that a provider hears of. */
export type CompilableTool = Pick<Tool, 'description' | 'input' | 'effects'> & {
  readonly spellings: Pick<Tool['spellings'], 'provider'>
}

/** The provider's tool definitions, in the order of the tools. */
export function compileTools<P extends Provider>(
  provider: P,
  tools: readonly CompilableTool[],
  options: CompileOptions = {},
): CompiledTools<P> {
  return forProvider(provider, compilers)(tools, options)
}

type Compilers = {
  readonly [P in Provider]: (tools: readonly CompilableTool[], options: CompileOptions) => CompiledTools<P>
}

const compilers: Compilers = {
  openai: (tools, options) =>
    toolParts('openai', tools, options).map(({ strict, ...tool }) => {
      return { type: 'function', function: { ...tool, ...(strict && { strict }) } }
    }),
  'openai-responses': (tools, options) =>
    toolParts('openai', tools, options).map((tool) => ({ type: 'function', ...tool })),
  anthropic: (tools, options) =>
    toolParts('anthropic', tools, options).map(({ strict, parameters, ...tool }) => {
      return { ...tool, input_schema: parameters, ...(strict && { strict }) }
    }),
  gemini: (tools, { maxDescriptionLength = longDescription }) => {
    const functionDeclarations = tools.map((tool) => ({
      name: geminiName(tool.spellings.provider),
      description: describe(tool.description, tool.effects, maxDescriptionLength),
      parametersJsonSchema: geminiSchema(plainSchema(tool.input)),
    }))
    return functionDeclarations.length ? [{ functionDeclarations }] : []
  },
}

const longDescription = 10_000
const descriptionLengths: { readonly [Dialect in StrictDialect]: number } = {
  openai: 1_024,
  anthropic: longDescription,
}

/** What one request may hold: Anthropic makes one grammar of all its strict tools. */
const strictBounds: { readonly [Dialect in StrictDialect]: { readonly tools: number; readonly unions: number } } = {
  openai: { tools: Number.POSITIVE_INFINITY, unions: Number.POSITIVE_INFINITY },
  anthropic: { tools: 20, unions: 16 },
}

interface ToolParts {
  readonly name: string
  readonly description: string
  readonly parameters: ParametersSchema
  readonly strict: boolean
}

function toolParts(dialect: StrictDialect, tools: readonly CompilableTool[], options: CompileOptions): ToolParts[] {
  const { strict: wanted = false, maxDescriptionLength = descriptionLengths[dialect] } = options
  const left = { ...strictBounds[dialect] }
  return tools.map(({ spellings, description, effects, input }) => {
    const schema = plainSchema(input)
    const strict = wanted && left.tools > 0 ? strictSchema(dialect, schema) : undefined
    const fits = strict && strict.unions <= left.unions
    if (fits) {
      left.tools--
      left.unions -= strict.unions
    }
    return {
      name: spellings.provider,
      description: describe(description, effects, maxDescriptionLength),
      parameters: fits ? strict.schema : objectRoot(schema),
      strict: fits === true,
    }
  })
}

/** Gemini's names begin with a letter or an underscore. */
function geminiName(name: string): string {
  return /^[a-zA-Z_]/.test(name) ? name : `_${name}`
}

/** The spelling that a name from the provider stands for. */
export function spellingOf(provider: Provider, name: string): string {
  return provider === 'gemini' && /^_[^a-zA-Z_]/.test(name) ? name.slice(1) : name
}
