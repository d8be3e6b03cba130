// Which tools a script names: every use of the imported `tools`, as the path that follows it. What cannot be told is a shorter
// path, and a shorter path stands for everything below it.

import { isObject } from '../base/json.ts'
import type { ToolDescription } from '../model/tool.ts'

export interface ToolReference {
  /** The names after `tools`: `['github', 'createIssue']`; empty when any tool may be meant. */
  readonly path: readonly string[]
  readonly start: number
  readonly end: number
  /** Where the call ends whose function this is. */
  readonly callEnd?: number
}

interface Node extends Record<string, unknown> {
  readonly type: string
  readonly start: number
  readonly end: number
}

/** From the syntax tree of a module, as ESTree has it. */
export function toolReferences(program: unknown): readonly ToolReference[] {
  const found: ToolReference[] = []
  if (!isNode(program)) return found
  const names = new Set<string>()
  for (const statement of nodes(program.body)) {
    if (statement.type !== 'ImportDeclaration' || !isNode(statement.source)) continue
    if (statement.source.value !== 'toolscript') continue
    for (const specifier of nodes(statement.specifiers)) {
      const local = nameOf(specifier.local)
      if (specifier.type !== 'ImportSpecifier') found.push({ path: [], start: specifier.start, end: specifier.end })
      else if (nameOf(specifier.imported) === 'tools' && local !== undefined) names.add(local)
    }
  }
  visit(program, names, found)
  return found
}

/** The modules that are named, or all. */
export function namedModules(references: readonly ToolReference[]): readonly string[] | 'all' {
  const modules = references.map(({ path }) => path[0])
  const named = modules.filter((module) => module !== undefined)
  return named.length < modules.length ? 'all' : [...new Set(named)]
}

/** The tools that a script may call. */
export function namedTools(
  references: readonly ToolReference[],
  tools: readonly ToolDescription[],
): readonly ToolDescription[] {
  const paths = references.map(({ path }) => `${['tools', ...path].join('.')}.`)
  return tools.filter(({ spellings }) => {
    const script = `${spellings.script}.`
    return paths.some((path) => script.startsWith(path) || path.startsWith(script))
  })
}

/** Types say nothing of what is called, but for the expressions that some of them wrap. */
const wrappers = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'TSTypeAssertion'])

function visit(node: Node, names: ReadonlySet<string>, found: ToolReference[]): void {
  const { type, start, end } = node
  if (type === 'ImportDeclaration' || (type.startsWith('TS') && !wrappers.has(type) && !holdsCode(type))) return
  if (type === 'ImportExpression' && isNode(node.source) && node.source.value === 'toolscript') {
    found.push({ path: [], start, end })
  }
  const destructured = type === 'VariableDeclarator' && isNode(node.init) ? pathOf(node.init, names) : undefined
  if (destructured && isNode(node.id) && node.id.type === 'ObjectPattern') {
    for (const path of patternPaths(node.id, destructured)) found.push({ path, start, end })
    return
  }
  const callee = type === 'CallExpression' && isNode(node.callee) ? node.callee : undefined
  const called = callee && pathOf(callee, names)
  if (callee && called) found.push({ path: called, start: callee.start, end: callee.end, callEnd: end })
  const path = pathOf(node, names)
  if (path) found.push({ path, start, end })
  for (const child of childrenOf(node)) {
    if (child === callee && called) visitComputed(child, names, found)
    else if (path && child === node.object) visitComputed(child, names, found)
    else visit(child, names, found)
  }
}

const holdsCode = (type: string) => /^TS(Module|Enum|ExportAssignment|ParameterProperty|Abstract)/.test(type)

/** In `tools[expression]`, the expression may name tools too. */
function visitComputed(node: Node, names: ReadonlySet<string>, found: ToolReference[]): void {
  for (const child of childrenOf(node)) {
    if (child === node.object || child === node.expression) visitComputed(child, names, found)
    else visit(child, names, found)
  }
}

/** The path from `tools` to this expression; nothing when it begins elsewhere. */
function pathOf(node: Node, names: ReadonlySet<string>): readonly string[] | undefined {
  const name = node.type === 'Identifier' ? nameOf(node) : undefined
  if (name !== undefined) return names.has(name) ? [] : undefined
  if ((node.type === 'ChainExpression' || wrappers.has(node.type)) && isNode(node.expression)) {
    return pathOf(node.expression, names)
  }
  if (node.type !== 'MemberExpression' || !isNode(node.object)) return undefined
  const path = pathOf(node.object, names)
  const key = path && keyOf(node.property, node.computed === true)
  return key === undefined ? path : [...(path ?? []), key]
}

function patternPaths(pattern: Node, path: readonly string[]): (readonly string[])[] {
  return nodes(pattern.properties).flatMap((property) => {
    const key = property.type === 'Property' ? keyOf(property.key, property.computed === true) : undefined
    if (key === undefined || !isNode(property.value)) return [path]
    const inner = property.value.type === 'AssignmentPattern' ? property.value.left : property.value
    const below = [...path, key]
    return isNode(inner) && inner.type === 'ObjectPattern' ? patternPaths(inner, below) : [below]
  })
}

function keyOf(key: unknown, computed: boolean): string | undefined {
  if (!isNode(key)) return undefined
  if (!computed && key.type === 'Identifier') return nameOf(key)
  return typeof key.value === 'string' ? key.value : undefined
}

/** Names that stand for themselves, such as the key in `{tools: 1}`, are no expressions. */
function childrenOf(node: Node): Node[] {
  const skipsKey = node.computed !== true && node.shorthand !== true
  return Object.entries(node).flatMap(([name, value]) => {
    if (skipsKey && (name === 'property' || name === 'key')) return []
    if (name === 'label' || name === 'typeAnnotation' || name === 'typeArguments') return []
    return isNode(value) ? [value] : nodes(value)
  })
}

const nodes = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : [])

const nameOf = (value: unknown): string | undefined =>
  isNode(value) && typeof value.name === 'string' ? value.name : undefined

function isNode(value: unknown): value is Node {
  return isObject(value) && typeof value.type === 'string'
}
