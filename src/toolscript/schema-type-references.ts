// What `$ref` leads to, each target a named type made once. Types that would be nothing but each other become `unknown`.

import { isObject } from '../base/json.ts'
import { camelCase } from '../model/name.ts'
import { type Type, unknownType } from './schema-type-text.ts'

interface Definition {
  readonly name: string
  /** Missing while it is being made. */
  type?: Type
  /** Whether its name stands anywhere; a short type stands there itself. */
  isNamed: boolean
}

export class References {
  readonly #root: unknown
  readonly #prefix: string
  readonly #taken: Set<string>
  readonly #convert: (schema: unknown, owner: string) => Type
  readonly #definitions = new Map<string, Definition>()
  /** Which named types each one stands on without an object or a list between: TypeScript allows no circle of these. */
  readonly #standsOn = new Map<string, Set<string>>()
  #anchors: ReadonlyMap<string, unknown> | undefined

  constructor(root: unknown, prefix: string, taken: Set<string>, convert: (schema: unknown, owner: string) => Type) {
    this.#root = root
    this.#prefix = prefix
    this.#taken = taken
    this.#convert = convert
  }

  /** The type of what a reference leads to; `owner` is the named type whose outermost layer the reference is part of. */
  typeOf(ref: unknown, owner: string | undefined): Type {
    const target = typeof ref === 'string' ? this.#target(ref) : undefined
    if (typeof ref !== 'string' || target === undefined) return unknownType
    const known = this.#definitions.get(ref)
    if (!known && this.#definitions.size >= maxDefinitions) return unknownType
    const definition = known ?? this.#declare(ref)
    if (owner !== undefined && !this.#link(owner, definition.name)) return unknownType
    if (!known) definition.type = this.#convert(target, definition.name)
    const { type } = definition
    if (type && !definition.isNamed && type.text.length <= maxInlineLength && !type.text.includes('\n')) return type
    definition.isNamed = true
    return { text: definition.name, joint: 'atom', members: type?.members ?? pendingMembers }
  }

  /** The named types that are in use, in the order they were met. */
  named(): ReadonlyMap<string, string> {
    const used = [...this.#definitions.values()].filter(({ isNamed }) => isNamed)
    return new Map(used.map(({ name, type }) => [name, type?.text ?? 'unknown']))
  }

  #declare(ref: string): Definition {
    const word = camelCase(ref.slice(ref.lastIndexOf('/') + 1).replace(/^#/, '') || 'root').slice(0, 40)
    const plain = `${this.#prefix}_${word}`
    let name = plain
    for (let number = 2; this.#taken.has(name); number++) name = `${plain}_${number}`
    this.#taken.add(name)
    const definition: Definition = { name, isNamed: false }
    this.#definitions.set(ref, definition)
    return definition
  }

  /** Notes that one type stands on another, unless that would close a circle. */
  #link(from: string, to: string): boolean {
    if (this.#standsOn.get(from)?.has(to)) return true
    const seen = new Set([to])
    for (const name of seen) for (const next of this.#standsOn.get(name) ?? []) seen.add(next)
    if (seen.has(from)) return false
    this.#standsOn.set(from, (this.#standsOn.get(from) ?? new Set()).add(to))
    return true
  }

  /** Undefined for what stands elsewhere or nowhere. */
  #target(ref: string): unknown {
    if (ref === '#') return this.#root
    if (!ref.startsWith('#')) return undefined
    if (!ref.startsWith('#/')) {
      this.#anchors ??= anchorsIn(this.#root)
      return this.#anchors.get(ref.slice(1))
    }
    return ref
      .slice(2)
      .split('/')
      .map(unescaped)
      .reduce((at: unknown, part) => {
        return typeof at === 'object' && at !== null && Object.hasOwn(at, part) ? Reflect.get(at, part) : undefined
      }, this.#root)
  }
}

const maxInlineLength = 60
/** Of a type that is not done yet nobody knows how many alternatives it has. */
const pendingMembers = 512
const maxDefinitions = 500
const maxSearched = 5_000

function unescaped(part: string): string {
  const text = part.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function anchorsIn(root: unknown): ReadonlyMap<string, unknown> {
  const anchors = new Map<string, unknown>()
  const found = new Set([root])
  for (const at of found) {
    if (isObject(at)) {
      for (const anchor of [at.$anchor, at.$dynamicAnchor]) {
        if (typeof anchor === 'string' && !anchors.has(anchor)) anchors.set(anchor, at)
      }
    }
    if (typeof at !== 'object' || at === null) continue
    for (const inner of Object.values(at)) if (found.size < maxSearched) found.add(inner)
  }
  return anchors
}
