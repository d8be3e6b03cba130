// A machine of steps run deterministically, in both directions. States are sets of steps, made when first met and kept while
// there is room, so that a character costs one look-up, and at worst a pass over the machine.

import type { Assertion, Machine, Step } from './safe-pattern.ts'
import { forEachStep, has, join, keyOf, meet, put, type StepSet } from './step-set.ts'
import { lineBreaks, type UnitRanges, wordUnits } from './unit-ranges.ts'

/** What may be under way at a place in the text, given all that comes before it. */
export interface Forward {
  readonly set: StepSet
  readonly before: Kind
  /** Nothing is under way. */
  readonly idle: boolean
  readonly taken: (Taken | undefined)[]
}

export interface Taken {
  /** The steps that take the unit. */
  readonly by: StepSet
  /** A match ended before the unit. */
  readonly matched: boolean
  readonly to: Forward
}

/** Which steps would lead from a place in the text to the end of a match, given all that comes after it. */
export interface Backward {
  readonly set: StepSet
  readonly after: Kind
  /** Whether a match may end here. */
  readonly mayEnd: boolean
  readonly earlier: (Backward | undefined)[]
}

/** Of the unit beside a place: a line break or no unit at all, a word's, any other. */
type Kind = 'edge' | 'word' | 'other'

export type LazyAutomaton = ReturnType<typeof createLazyAutomaton>

const maxStates = 4_096

export function createLazyAutomaton({ steps, start }: Machine) {
  const { classes, kinds, takers } = classify(steps)
  const endClass = kinds.length
  const words = Math.ceil(steps.length / 32)
  const none: StepSet = new Uint32Array(words)
  const closures = closuresOf(steps)
  const forwards = new Map<string, Forward>()
  const backwards = new Map<string, Backward>()

  const forward = (set: StepSet, before: Kind): Forward =>
    remember(forwards, before + keyOf(set), () => {
      const idle = set.every((bits, at) => bits === (at === start >>> 5 ? (1 << start) >>> 0 : 0))
      return { set, before, idle, taken: [] }
    })
  const idleIn = (before: Kind) => {
    const set = new Uint32Array(words)
    put(set, start)
    return forward(set, before)
  }

  /** Goes on over a unit of a class, or with `endClass` to the end of the text. */
  const takeForward = (state: Forward, unitClass: number): Taken => {
    const after = kinds[unitClass] ?? 'edge'
    const reached = reachOf(state.set, closures(state.before, after).onward)
    const by = meet(reached, takers[unitClass] ?? none)
    const set = new Uint32Array(words)
    put(set, start)
    forEachStep(by, (step) => put(set, nextOf(steps[step])))
    const taken = { by, matched: has(reached, 0), to: forward(set, after) }
    state.taken[unitClass] = taken
    return taken
  }

  const takeBackward = (state: Backward, unitClass: number): Backward => {
    const before = kinds[unitClass] ?? 'edge'
    const leading = reachOf(state.set, closures(before, state.after).back)
    if (state.mayEnd) join(leading, closures(before, state.after).back(0))
    const set = new Uint32Array(words)
    forEachStep(takers[unitClass] ?? none, (step) => {
      if (has(leading, nextOf(steps[step]))) put(set, step)
    })
    const earlier = backward(set, before, true)
    state.earlier[unitClass] = earlier
    return earlier
  }
  const backward = (set: StepSet, after: Kind, mayEnd: boolean): Backward =>
    remember(backwards, `${after} ${mayEnd}${keyOf(set)}`, () => ({ set, after, mayEnd, earlier: [] }))

  return {
    /** The class of each code unit. */
    classes,
    endClass,
    takeForward,
    takeBackward,
    atTextStart: () => idleIn('edge'),
    /** The same place with everything under way given up. */
    giveUp: (state: Forward) => idleIn(state.before),
    /** Before the end of the text, where a match may end, and where none does. */
    atTextEnd: () => backward(none, 'edge', true),
    atNoEnd: () => backward(none, 'edge', false),
  }

  function remember<S extends Forward | Backward>(states: Map<string, S>, key: string, make: () => S): S {
    const known = states.get(key)
    if (known) return known
    if (states.size >= maxStates) forget(states)
    const state = make()
    states.set(key, state)
    return state
  }
}

/** Unlinks the states, so that those in use do not keep all the others. */
function forget(states: Map<string, Forward | Backward>): void {
  for (const state of states.values()) {
    if ('taken' in state) state.taken.length = 0
    else state.earlier.length = 0
  }
  states.clear()
}

/** Units that all steps treat alike share a class; `takers` are the steps that take the units of a class. */
function classify(steps: readonly Step[]) {
  const distinct = new Map<UnitRanges, number[]>([
    [wordUnits, []],
    [lineBreaks, []],
  ])
  for (const [number, step] of steps.entries()) {
    if (step.type !== 'unit') continue
    const users = distinct.get(step.ranges)
    if (users) users.push(number)
    else distinct.set(step.ranges, [number])
  }
  const edges = [...new Set([...distinct.keys()].flat().flatMap(([first, last]) => [first, last + 1]))].sort(
    (a, b) => a - b,
  )
  const classes = new Uint16Array(65_536)
  const numbers = new Map<string, number>()
  const kinds: Kind[] = []
  const takers: StepSet[] = []
  for (const [at, from] of [0, ...edges].entries()) {
    const holders = [...distinct].filter(([ranges]) => ranges.some(([first, last]) => first <= from && from <= last))
    const users = holders.flatMap(([, numbersOfSteps]) => numbersOfSteps)
    const kind = wordOrEdge(from)
    const key = `${kind} ${users}`
    const unitClass = numbers.get(key) ?? kinds.length
    if (!numbers.has(key)) {
      const set = new Uint32Array(Math.ceil(steps.length / 32))
      for (const user of users) put(set, user)
      numbers.set(key, unitClass)
      kinds.push(kind)
      takers.push(set)
    }
    classes.fill(unitClass, from, edges[at] ?? 65_536)
  }
  return { classes, kinds, takers }
}

function wordOrEdge(unit: number): Kind {
  const within = (ranges: UnitRanges) => ranges.some(([first, last]) => first <= unit && unit <= last)
  if (within(wordUnits)) return 'word'
  return within(lineBreaks) ? 'edge' : 'other'
}

/** The steps that are reached from a step, or from which a step is reached, without taking a unit; worked out when asked for. */
function closuresOf(steps: readonly Step[]) {
  const comesFrom: number[][] = steps.map(() => [])
  for (const [number, step] of steps.entries()) {
    if (step.type === 'split' || step.type === 'assert') for (const next of step.next) comesFrom[next]?.push(number)
  }
  const made = new Map<string, { readonly onward: Reach; readonly back: Reach }>()
  return (before: Kind, after: Kind) => {
    const known = made.get(before + after)
    if (known) return known
    const forth = (step: number) => onward(steps[step], before, after)
    const closures = {
      onward: remembered(steps.length, forth),
      back: remembered(steps.length, (step) => (comesFrom[step] ?? []).filter((from) => forth(from).includes(step))),
    }
    made.set(before + after, closures)
    return closures
  }
}

type Reach = (step: number) => StepSet

function remembered(count: number, edges: (step: number) => readonly number[]): Reach {
  const sets: (StepSet | undefined)[] = []
  return (step) => {
    const known = sets[step]
    if (known) return known
    const set = new Uint32Array(Math.ceil(count / 32))
    const waiting = [step]
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (has(set, at)) continue
      put(set, at)
      waiting.push(...edges(at))
    }
    sets[step] = set
    return set
  }
}

/** Where a step leads without taking a unit. */
function onward(step: Step | undefined, before: Kind, after: Kind): readonly number[] {
  if (step?.type === 'split') return step.next
  return step?.type === 'assert' && holds(step.assertion, before, after) ? step.next : nowhere
}

const nowhere: readonly number[] = []

function holds(assertion: Assertion, before: Kind, after: Kind): boolean {
  switch (assertion) {
    case 'line-start':
      return before === 'edge'
    case 'line-end':
      return after === 'edge'
    case 'word-boundary':
      return (before === 'word') !== (after === 'word')
    case 'no-word-boundary':
      return (before === 'word') === (after === 'word')
    default:
      return assertion satisfies never
  }
}

function nextOf(step: Step | undefined): number {
  return step?.type === 'unit' ? step.next : 0
}

function reachOf(set: StepSet, reach: Reach): StepSet {
  const reached = new Uint32Array(set.length)
  forEachStep(set, (step) => join(reached, reach(step)))
  return reached
}
