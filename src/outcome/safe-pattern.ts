// Reads a regular expression given by a user into a small machine that cannot hang: no step of it ever goes back in the text.
// V8's own engine backtracks (`^(a+)+$` takes it seconds on thirty characters), and no check of the source alone tells which
// patterns do, even `\w+x` being quadratic. So these patterns never reach it.

import { LegworkError } from '../model/errors.ts'
import { bothCases, controlLetters, invert, lineBreaks, namedClasses, single, type UnitRanges } from './unit-ranges.ts'

export type Assertion = 'line-start' | 'line-end' | 'word-boundary' | 'no-word-boundary'

/** `next` is where it goes on. Step 0 is the match. */
export type Step =
  | { readonly type: 'unit'; readonly ranges: UnitRanges; readonly next: number }
  | { readonly type: 'split'; readonly next: readonly number[] }
  | { readonly type: 'assert'; readonly assertion: Assertion; readonly next: readonly [number] }
  | { readonly type: 'match' }

export interface Machine {
  readonly steps: readonly Step[]
  readonly start: number
}

/** Keeps the cost for each character of a text within bounds. */
const maxSteps = 1_000
const maxLength = 2_000

/**
 * One machine for all the patterns. Throws `invalid-pattern` for the first that cannot be used.
 * `^` and `$` stand for the beginning and end of a line; `(?i:…)` ignores case; `.` takes no line break.
 */
export function compilePatterns(patterns: readonly string[]): Machine {
  const steps: Step[] = [{ type: 'match' }]
  const starts = patterns.map((pattern) => {
    const node = parse(pattern)
    if (isEmptyable(node))
      refuse(pattern, 'it matches the empty text. Ask for one character at least, such as "+" for "*"')
    const add = (step: Step) => {
      if (steps.length >= maxSteps) refuse(pattern, `it is too large. Make its repetitions smaller`)
      return steps.push(step) - 1
    }
    return assemble(node, 0, add)
  })
  steps.push({ type: 'split', next: starts })
  return { steps, start: steps.length - 1 }
}

type Node =
  | { readonly type: 'unit'; readonly ranges: UnitRanges }
  | { readonly type: 'assert'; readonly assertion: Assertion }
  | { readonly type: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | { readonly type: 'repeat'; readonly part: Node; readonly min: number; readonly max: number }

function refuse(pattern: string, why: string): never {
  throw new LegworkError('invalid-pattern', `The redaction pattern "${pattern}" cannot be used: ${why}.`)
}

function isEmptyable(node: Node): boolean {
  switch (node.type) {
    case 'unit':
      return false
    case 'assert':
      return true
    case 'sequence':
      return node.parts.every(isEmptyable)
    case 'choice':
      return node.parts.some(isEmptyable)
    case 'repeat':
      return node.min === 0 || isEmptyable(node.part)
    default:
      return node satisfies never
  }
}

/** Adds the steps of a node, which go on at `next`, and gives the first of them. */
function assemble(node: Node, next: number, add: (step: Step) => number): number {
  switch (node.type) {
    case 'unit':
      return add({ type: 'unit', ranges: node.ranges, next })
    case 'assert':
      return add({ type: 'assert', assertion: node.assertion, next: [next] })
    case 'sequence':
      return node.parts.reduceRight((after, part) => assemble(part, after, add), next)
    case 'choice':
      return add({ type: 'split', next: node.parts.map((part) => assemble(part, next, add)) })
    case 'repeat':
      return assembleRepeat(node.part, node.min, node.max, next, add)
    default:
      return node satisfies never
  }
}

function assembleRepeat(part: Node, min: number, max: number, next: number, add: (step: Step) => number): number {
  let first = next
  if (max === Number.POSITIVE_INFINITY) {
    const targets: number[] = [next]
    first = add({ type: 'split', next: targets })
    targets.push(assemble(part, first, add))
  } else {
    for (let left = max - min; left > 0; left--)
      first = add({ type: 'split', next: [next, assemble(part, first, add)] })
  }
  for (let left = min; left > 0; left--) {
    const repeated = assemble(part, first, add)
    if (repeated === first) break
    first = repeated
  }
  return first
}

/** The engine's own parser has said already that the pattern is well-formed; this one only has to understand it. */
function parse(pattern: string): Node {
  if (pattern.length > maxLength)
    refuse(pattern.slice(0, 40), `it is longer than ${maxLength} characters. Make it shorter`)
  try {
    new RegExp(pattern)
  } catch (error) {
    refuse(pattern, `it is no regular expression (${error instanceof Error ? error.message : 'bad syntax'})`)
  }
  let at = 0
  let ignoreCase = false
  const looking = (text: string) => pattern.startsWith(text, at)
  const take = (expression: RegExp) => {
    expression.lastIndex = at
    const match = expression.exec(pattern)
    if (match) at += match[0].length
    return match
  }

  const choice = (): Node => {
    const parts = [sequence()]
    while (take(/\|/y)) parts.push(sequence())
    return parts.length === 1 && parts[0] ? parts[0] : { type: 'choice', parts }
  }
  const sequence = (): Node => {
    const parts: Node[] = []
    while (at < pattern.length && !looking('|') && !looking(')')) parts.push(quantified(atom()))
    return { type: 'sequence', parts }
  }
  const quantified = (part: Node): Node => {
    const match = take(/[*+?]|\{(\d+)(,?)(\d*)\}/y)
    if (!match) return part
    if (looking('?')) {
      refuse(pattern, `"${match[0]}?" takes as little as it can. Say what stops it instead, such as [^"]+ for .+?"`)
    }
    const [sign, least = '', comma, most = ''] = match
    const min = sign === '+' ? 1 : Number(least)
    const max =
      sign === '?' ? 1 : most ? Number(most) : sign === '*' || sign === '+' || comma ? Number.POSITIVE_INFINITY : min
    return { type: 'repeat', part, min, max }
  }
  const atom = (): Node => {
    if (looking('(')) return group()
    if (take(/\^/y)) return { type: 'assert', assertion: 'line-start' }
    if (take(/\$/y)) return { type: 'assert', assertion: 'line-end' }
    if (take(/\\b/y)) return { type: 'assert', assertion: 'word-boundary' }
    if (take(/\\B/y)) return { type: 'assert', assertion: 'no-word-boundary' }
    if (take(/\./y)) return { type: 'unit', ranges: invert(lineBreaks) }
    if (looking('[')) return { type: 'unit', ranges: unitClass() }
    return { type: 'unit', ranges: inCase(unit()) }
  }
  const group = (): Node => {
    const outer = ignoreCase
    const [opening = '', on, off] = take(/\((?:\?(?::|<(?![=!])[^>]+>|([ims]*)(?:-([ims]*))?:))?/y) ?? []
    if (opening === '(' && looking('?')) {
      refuse(
        pattern,
        '"(?=", "(?!", "(?<=" and "(?<!" look around, which is not supported. Match the text around it too, or use \\b',
      )
    }
    if (on?.includes('i')) ignoreCase = true
    if (off?.includes('i')) ignoreCase = false
    const node = choice()
    at++
    ignoreCase = outer
    return node
  }
  const unitClass = (): UnitRanges => {
    const negated = take(/\[\^?/y)?.[0] === '[^'
    const ranges: (readonly [number, number])[] = []
    while (!looking(']')) {
      const from = unit()
      const [first, ...others] = from
      const to = first && !others.length && looking('-') && !looking('-]') ? rangeEnd() : undefined
      const [last, ...more] = to ?? []
      if (first && last && !more.length && first[0] === first[1]) ranges.push([first[0], last[0]])
      else ranges.push(...from, ...(to ? [...to, [45, 45] as const] : []))
    }
    at++
    return negated ? invert(inCase(ranges)) : inCase(ranges)
  }
  const rangeEnd = () => {
    at++
    return unit()
  }
  /** One character or escape, inside a class or outside. */
  const unit = (): UnitRanges => {
    if (!looking('\\')) return single(pattern.charCodeAt(at++))
    if (take(/\\(?:[1-9]|k)/y))
      refuse(pattern, 'it refers back to a group, which is not supported. Write the group again')
    if (take(/\\(?:[pP]|u\{)/y)) refuse(pattern, '"\\p" and "\\u{" are not supported. Write the characters in a class')
    const named = take(/\\[dDwWsS]/y)
    if (named) return namedClasses[named[0]] ?? []
    const code = take(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))/y)
    if (code) return single(Number.parseInt(code[1] ?? code[2] ?? '', 16))
    const control = take(/\\c([a-zA-Z])/y)
    if (control?.[1]) return single(control[1].charCodeAt(0) % 32)
    at++
    const letter = pattern.charAt(at++)
    return single(controlLetters[letter] ?? letter.charCodeAt(0))
  }
  const inCase = (ranges: UnitRanges) => (ignoreCase ? bothCases(ranges) : ranges)

  return choice()
}
