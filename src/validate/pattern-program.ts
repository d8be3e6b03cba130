// Runs a pattern in time that grows with the text and never explodes: all the ways a pattern could go on are followed at
// once, letter by letter, so that no letter is ever tried again. Lookaheads are worked out for all positions by running
// their reversed pattern from the end; lookbehinds likewise from the start.

import { spend } from './budget.ts'
import { type PatternNode, UnusablePattern } from './pattern-syntax.ts'

/** One program a lookaround, inner ones first, then the pattern itself. */
export interface PatternProgram {
  readonly looks: readonly Part[]
  readonly main: Part
}

interface Part {
  readonly steps: readonly Step[]
  readonly entry: number
  readonly backwards: boolean
}

type Step =
  | { readonly type: 'letter'; readonly matches: (code: number) => boolean; readonly next: number }
  | { readonly type: 'fork'; readonly ways: number[] }
  | { readonly type: 'start' | 'end' | 'boundary' | 'inside'; readonly next: number }
  | { readonly type: 'look'; readonly look: number; readonly negative: boolean; readonly next: number }
  | { readonly type: 'accept' }

const mostSteps = 10_000
/** Each takes a table as long as the text. */
const mostLooks = 16

export function compilePattern(tree: PatternNode): PatternProgram {
  const compilation: Compilation = { looks: [], known: new Map(), stepsLeft: mostSteps }
  const main = compilePart(tree, false, compilation)
  return { looks: compilation.looks, main }
}

export function runPattern({ looks, main }: PatternProgram, text: string, byCodePoint: boolean): boolean {
  const tables: Uint8Array[] = []
  for (const look of looks) {
    const table = new Uint8Array(text.length + 1)
    run(look, text, byCodePoint, tables, table)
    tables.push(table)
  }
  return run(main, text, byCodePoint, tables, undefined)
}

interface Compilation {
  readonly looks: Part[]
  readonly known: Map<PatternNode, number>
  stepsLeft: number
}

function compilePart(tree: PatternNode, backwards: boolean, compilation: Compilation): Part {
  const steps: Step[] = [{ type: 'accept' }]
  const add = (step: Step) => steps.push(step) - 1

  const build = (node: PatternNode, next: number): number => {
    if (--compilation.stepsLeft < 0) throw new UnusablePattern('is too large once its repetitions are written out')
    switch (node.type) {
      case 'letter':
        return add({ type: 'letter', matches: node.matches, next })
      case 'sequence': {
        const parts = backwards ? node.parts : node.parts.toReversed()
        return parts.reduce((after, part) => build(part, after), next)
      }
      case 'choice':
        return add({ type: 'fork', ways: node.parts.map((part) => build(part, next)) })
      case 'repeat':
        return buildRepeat(node, next)
      case 'look':
        return add({ type: 'look', look: lookOf(node, compilation), negative: node.negative, next })
      default:
        return add({ type: node.type, next })
    }
  }

  const buildRepeat = ({ body, min, max }: PatternNode & { type: 'repeat' }, next: number): number => {
    let entry = next
    if (max === Number.POSITIVE_INFINITY) {
      const ways: number[] = []
      entry = add({ type: 'fork', ways })
      ways.push(build(body, entry), next)
    } else {
      for (let left = max - min; left > 0; left--) entry = add({ type: 'fork', ways: [build(body, entry), next] })
    }
    for (let left = min; left > 0; left--) entry = build(body, entry)
    return entry
  }

  const entry = build(tree, 0)
  return { steps, entry, backwards }
}

function lookOf(node: PatternNode & { type: 'look' }, compilation: Compilation): number {
  const known = compilation.known.get(node)
  if (known !== undefined) return known
  const part = compilePart(node.body, node.ahead, compilation)
  const look = compilation.looks.push(part) - 1
  if (look >= mostLooks) throw new UnusablePattern('looks ahead or behind in too many places')
  compilation.known.set(node, look)
  return look
}

/** Whether the part ends anywhere; with a table, marks every position where it does. */
function run(
  { steps, entry, backwards }: Part,
  text: string,
  byCodePoint: boolean,
  tables: readonly Uint8Array[],
  table: Uint8Array | undefined,
): boolean {
  const anchored = steps[entry]?.type === 'start' && !backwards
  const seenAt = new Int32Array(steps.length).fill(-1)
  const waiting: number[] = []
  let current: number[] = []
  let position = backwards ? text.length : 0
  for (;;) {
    const ready: number[] = []
    let accepted = false
    waiting.push(entry)
    for (const at of current) waiting.push(at)
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      const step = steps[at]
      if (!step || seenAt[at] === position) continue
      seenAt[at] = position
      if (step.type === 'letter') ready.push(at)
      else if (step.type === 'accept') accepted = true
      else if (step.type === 'fork') for (const way of step.ways) waiting.push(way)
      else if (holds(step, text, position, tables)) waiting.push(step.next)
    }
    if (accepted && !table) return true
    if (accepted && table) table[position] = 1
    spend(2 + ready.length * 4)
    if (position === (backwards ? 0 : text.length) || (anchored && ready.length === 0)) return false
    const code = codeAt(text, position, byCodePoint, backwards)
    current = []
    for (const at of ready) {
      const step = steps[at]
      if (step?.type === 'letter' && step.matches(code)) current.push(step.next)
    }
    position += (code > 0xffff ? 2 : 1) * (backwards ? -1 : 1)
  }
}

function holds(step: Step, text: string, position: number, tables: readonly Uint8Array[]): boolean {
  switch (step.type) {
    case 'start':
      return position === 0
    case 'end':
      return position === text.length
    case 'boundary':
      return isWord(text, position - 1) !== isWord(text, position)
    case 'inside':
      return isWord(text, position - 1) === isWord(text, position)
    case 'look':
      return (tables[step.look]?.[position] === 1) !== step.negative
    default:
      return false
  }
}

/** The letter after the position, or before it when going backwards. */
function codeAt(text: string, position: number, byCodePoint: boolean, backwards: boolean): number {
  if (!byCodePoint) return text.charCodeAt(backwards ? position - 1 : position)
  if (!backwards) return text.codePointAt(position) ?? 0
  const pair = position > 1 ? (text.codePointAt(position - 2) ?? 0) : 0
  return pair > 0xffff ? pair : text.charCodeAt(position - 1)
}

function isWord(text: string, position: number): boolean {
  const code = text.charCodeAt(position)
  return (code > 96 && code < 123) || (code > 64 && code < 91) || (code > 47 && code < 58) || code === 95
}
