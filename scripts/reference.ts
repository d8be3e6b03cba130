/**
 * Makes `docs/configuration-reference.md` from `schema.json`: every key of `legwork.jsonc` with its values, default and meaning.
 *
 * `node scripts/reference.ts` writes the page; with `--check` it only says whether it is up to date.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Shape {
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly deprecated?: boolean
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly required?: readonly string[]
  readonly anyOf?: readonly Shape[]
  readonly items?: Shape
  readonly properties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: Shape | boolean
}

interface Section {
  /** Such as `mcpServers.NAME.legwork`. */
  readonly path: string
  readonly shape: Shape
}

const intro = `# Configuration reference

Every key of \`legwork.jsonc\`. All are optional unless marked. How the file is found, and how variables expand, is told in
[configuration.md](configuration.md). This page is made from [\`schema.json\`](../schema.json) by \`node scripts/reference.ts\`.
`

export function renderReference(schema: Shape): string {
  const sections = sectionsOf({ path: '', shape: schema })
  const places = new Map(sections.map(({ path, shape }) => [shape, path]))
  return [intro, ...sections.map((section) => renderSection(section, places))].join('\n')
}

/** Every object with keys of its own, the outer ones first. */
function sectionsOf({ path, shape }: Section): Section[] {
  if (shape.anyOf) return shape.anyOf.flatMap((each) => sectionsOf({ path, shape: each }))
  if (shape.items) return sectionsOf({ path: `${path}[]`, shape: shape.items })
  if (typeof shape.additionalProperties === 'object') {
    return sectionsOf({ path: `${path}.NAME`, shape: shape.additionalProperties })
  }
  if (!shape.properties) return []
  const below = Object.entries(shape.properties).flatMap(([key, own]) =>
    sectionsOf({ path: path ? `${path}.${key}` : key, shape: own }),
  )
  return [{ path, shape }, ...below]
}

function renderSection({ path, shape }: Section, places: ReadonlyMap<Shape, string>): string {
  const heading = path ? `## \`${path}\`\n` : '## The file\n'
  const rows = Object.entries(shape.properties ?? {}).flatMap(([key, own]) => {
    if (own.deprecated) return []
    const must = shape.required?.includes(key) ? ' (required)' : ''
    const cells = [`\`${key}\`${must}`, valuesOf(own, places), defaultOf(own), meaningOf(own)]
    return [`| ${cells.map(escaped).join(' | ')} |`]
  })
  return `${heading}\n| key | value | default | means |\n|---|---|---|---|\n${rows.join('\n')}\n`
}

function valuesOf(shape: Shape, places: ReadonlyMap<Shape, string>): string {
  if (shape.anyOf) return shape.anyOf.map((each) => valuesOf(each, places)).join(' or ')
  if (shape.enum) return shape.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ')
  if (shape.items) return `list of ${valuesOf(shape.items, places)}`
  if (typeof shape.additionalProperties === 'object') {
    return `names, each with ${valuesOf(shape.additionalProperties, places)}`
  }
  const place = places.get(shape)
  if (place !== undefined) return `[keys](#${anchorOf(place)})`
  if (shape.type === 'integer' || shape.type === 'number') return rangeOf(shape)
  if (shape.type === 'string') return exampleOf(shape)
  return shape.type === 'boolean' ? '`true`, `false`' : (shape.type ?? 'anything')
}

function rangeOf({ minimum, maximum }: Shape): string {
  const bounds = [minimum, maximum].map((bound) => bound?.toLocaleString('en-GB'))
  return bounds.every((bound) => bound !== undefined) ? `${bounds[0]} to ${bounds[1]}` : 'a number'
}

function exampleOf({ examples }: Shape): string {
  const [example] = examples ?? []
  return example === undefined ? 'text' : `text, such as \`${JSON.stringify(example)}\``
}

function defaultOf(shape: Shape): string {
  return shape.default === undefined ? '' : `\`${JSON.stringify(shape.default)}\``
}

/** The sentence without the default, which has a column of its own. */
function meaningOf({ description = '', default: fallback }: Shape): string {
  return fallback === undefined ? description : description.replace(/ Default: .*$/s, '')
}

/** As Markdown on the web makes it of a heading. */
function anchorOf(path: string): string {
  return path.toLowerCase().replace(/[^a-z0-9-]/g, '')
}

function escaped(cell: string): string {
  return cell.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const page = join(root, 'docs/configuration-reference.md')
  const made = renderReference(JSON.parse(readFileSync(join(root, 'schema.json'), 'utf8')))
  if (!process.argv.includes('--check')) {
    writeFileSync(page, made)
  } else if (!existsSync(page) || readFileSync(page, 'utf8') !== made) {
    console.error('docs/configuration-reference.md is out of date. Run `node scripts/reference.ts`.')
    process.exitCode = 1
  }
}
