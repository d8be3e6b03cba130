/**
 * Makes two files from `src/configuration/schema.ts`: `schema.json`, the JSON Schema of `legwork.jsonc`, and the types in
 * `src/configuration/configuration.ts`.
 *
 * `node scripts/schema.ts` writes them; with `--check` it only says whether they are up to date.
 * The dialect is draft-07: nothing here needs a newer one, and every editor reads it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Shape } from '../src/configuration/check.ts'
import { configurationSchema } from '../src/configuration/schema.ts'
import { keysOfOtherClients, mcpServer } from '../src/configuration/schema-sources.ts'

type DescribedShape = Shape & { readonly title?: string; readonly description?: string }

/** The files by their paths from the root of the repository. */
export function renderSchema(): Readonly<Record<string, string>> {
  const { $schema, title, ...schema } = z.toJSONSchema(configurationSchema, {
    target: 'draft-7',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === mcpServer) jsonSchema.properties = { ...jsonSchema.properties, ...ofOtherClients() }
    },
  })
  const described = { $schema, title, allowComments: true, allowTrailingCommas: true, ...schema }
  return {
    'schema.json': `${JSON.stringify(described, null, 2)}\n`,
    'src/configuration/configuration.ts': renderTypes(described as DescribedShape),
  }
}

/** Editors strike through what is deprecated, and show the message. */
function ofOtherClients(): Record<string, z.core.JSONSchema.JSONSchema> {
  const entries = Object.entries(keysOfOtherClients).map(([name, advice]) => {
    const message = `A key of other clients, without effect here. ${advice}`.trim()
    return [name, { description: message, deprecated: true, deprecationMessage: message }] as const
  })
  return Object.fromEntries(entries)
}

function renderTypes(root: DescribedShape): string {
  const interfaces: string[] = []
  const typeOf = (shape: DescribedShape): string => {
    if (shape.anyOf) return shape.anyOf.map(typeOf).join(' | ')
    if (shape.enum) return shape.enum.map((value) => `'${value}'`).join(' | ')
    if (shape.type === 'array') return listOf(typeOf(shape.items ?? {}))
    if (typeof shape.additionalProperties === 'object') {
      return `Readonly<Record<string, ${typeOf(shape.additionalProperties)}>>`
    }
    if (shape.type !== 'object') return shape.type === 'integer' ? 'number' : (shape.type ?? 'unknown')
    const name = typeName(shape.title)
    const members = Object.entries<DescribedShape>(shape.properties ?? {}).filter(([, own]) => !own.deprecated)
    const at = interfaces.push('') - 1
    const lines = members.map(([key, own]) => {
      const optional = shape.required?.includes(key) ? '' : '?'
      return `  /** ${own.description} */\n  readonly ${key}${optional}: ${typeOf(own)}\n`
    })
    interfaces[at] = `export interface ${name} {\n${lines.join('')}}\n`
    return name
  }
  typeOf(root)
  return ['// Made by scripts/schema.ts from schema.ts. Change that one.\n', ...interfaces].join('\n')
}

function listOf(item: string): string {
  return item.includes('|') ? `readonly (${item})[]` : `readonly ${item}[]`
}

/** `MCP server` is `McpServerConfiguration`. */
function typeName(title = ''): string {
  const words = title.split(' ').map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
  return words.join('').replace(/(?<!^Configuration)$/, 'Configuration')
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  for (const [file, made] of Object.entries(renderSchema())) {
    const path = join(root, file)
    if (!process.argv.includes('--check')) {
      writeFileSync(path, made)
    } else if (!existsSync(path) || readFileSync(path, 'utf8') !== made) {
      console.error(`${file} is out of date. Run \`node scripts/schema.ts\`.`)
      process.exitCode = 1
    }
  }
}
