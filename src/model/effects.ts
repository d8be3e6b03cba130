// What a tool may do to the world, and how several statements about it become one: the most cautious always wins.

export interface Effects {
  /** Said by somebody who is trusted: it leaves the world as it is, wherever it looks. Never a guess. */
  readonly readOnly?: boolean
  readonly destructive?: boolean
  readonly reversible?: boolean
  readonly idempotent?: boolean
  readonly network?: boolean
  readonly subprocess?: boolean
  readonly filesystem?: {
    readonly read?: boolean
    readonly write?: boolean
    readonly delete?: boolean
    readonly paths?: readonly string[]
  }
  readonly creates?: readonly string[]
  readonly modifies?: readonly string[]
  readonly deletes?: readonly string[]
  readonly interactive?: { readonly stdin?: Stdin; readonly prompts?: boolean; readonly tty?: boolean }
  readonly cost?: { readonly billable?: boolean; readonly estimate?: CostEstimate }
  /** The only part where the nearest statement wins: it says how long to wait, not how dangerous the tool is. */
  readonly duration?: { readonly typical?: string; readonly timeout?: string }
}

export const stdinNeeds = ['none', 'optional', 'required', 'password'] as const
export type Stdin = (typeof stdinNeeds)[number]

export const costEstimates = ['free', 'low', 'medium', 'high'] as const
export type CostEstimate = (typeof costEstimates)[number]

/** Where a tool's description came from, the least trusted first. */
export const trustLevels = ['inferred', 'user', 'community', 'org', 'vendor', 'native'] as const
export type Trust = (typeof trustLevels)[number]

/** The names that a rule `effect:NAME` may use. */
export const effectNames = [
  'destructive',
  'irreversible',
  'network',
  'write',
  'delete',
  'subprocess',
  'billable',
  'unknown',
] as const
export type EffectName = (typeof effectNames)[number]

/** Merges statements from the widest (the program) to the nearest (the option that was given). */
export function mergeEffects(...levels: readonly (Effects | undefined)[]): Effects {
  const said = levels.filter((level) => level !== undefined)
  return compact({
    readOnly: allTrue(said.map((level) => level.readOnly)),
    destructive: anyTrue(said.map((level) => level.destructive)),
    reversible: allTrue(said.map((level) => level.reversible)),
    idempotent: allTrue(said.map((level) => level.idempotent)),
    network: anyTrue(said.map((level) => level.network)),
    subprocess: anyTrue(said.map((level) => level.subprocess)),
    filesystem: compactOrNothing({
      read: anyTrue(said.map((level) => level.filesystem?.read)),
      write: anyTrue(said.map((level) => level.filesystem?.write)),
      delete: anyTrue(said.map((level) => level.filesystem?.delete)),
      paths: joined(said.map((level) => level.filesystem?.paths)),
    }),
    creates: joined(said.map((level) => level.creates)),
    modifies: joined(said.map((level) => level.modifies)),
    deletes: joined(said.map((level) => level.deletes)),
    interactive: compactOrNothing({
      stdin: highest(
        stdinNeeds,
        said.map((level) => level.interactive?.stdin),
      ),
      prompts: anyTrue(said.map((level) => level.interactive?.prompts)),
      tty: anyTrue(said.map((level) => level.interactive?.tty)),
    }),
    cost: compactOrNothing({
      billable: anyTrue(said.map((level) => level.cost?.billable)),
      estimate: highest(
        costEstimates,
        said.map((level) => level.cost?.estimate),
      ),
    }),
    duration: said.findLast((level) => level.duration !== undefined)?.duration,
  })
}

/** Whether anybody said if the tool destroys things. What nobody mentions is unknown, and unknown is not safe. */
export function effectsKnown(effects: Effects): boolean {
  return effects.destructive !== undefined
}

/** Whether the tool is known to leave the world as it is. */
export function changesNothing(effects: Effects): boolean {
  const { readOnly, destructive, network, filesystem, subprocess, cost, creates, modifies, deletes } = effects
  const saidHarmless = readOnly || (destructive === false && network === false && filesystem?.write === false)
  const changes = [filesystem?.delete, subprocess, cost?.billable]
  return saidHarmless && !changes.includes(true) && ![creates, modifies, deletes].some((list) => list?.length)
}

/** Whether the tool may write somewhere; what nobody mentions counts as yes. */
export function mayWrite(effects: Effects): boolean {
  const { readOnly, destructive, filesystem, creates, modifies, deletes } = effects
  if (readOnly) return false
  if (destructive || filesystem?.delete || [creates, modifies, deletes].some((list) => list?.length)) return true
  return filesystem?.write !== false
}

/** Whether a person is needed at a terminal for it. */
export function isInteractive(effects: Effects): boolean {
  const { stdin, prompts, tty } = effects.interactive ?? {}
  return stdin === 'required' || stdin === 'password' || prompts === true || tty === true
}

const tests: { readonly [Name in EffectName]: (effects: Effects) => boolean } = {
  destructive: (effects) => effects.destructive === true,
  irreversible: (effects) => effects.reversible === false,
  network: (effects) => effects.network === true,
  write: ({ filesystem, creates, modifies }) =>
    filesystem?.write === true || Boolean(creates?.length || modifies?.length),
  delete: ({ filesystem, deletes }) => filesystem?.delete === true || Boolean(deletes?.length),
  subprocess: (effects) => effects.subprocess === true,
  billable: (effects) => effects.cost?.billable === true,
  unknown: (effects) => !effectsKnown(effects),
}

export function hasEffect(effects: Effects, name: EffectName): boolean {
  return tests[name](effects)
}

function anyTrue(values: readonly (boolean | undefined)[]): boolean | undefined {
  return values.includes(true) ? true : values.includes(false) ? false : undefined
}

function allTrue(values: readonly (boolean | undefined)[]): boolean | undefined {
  return values.includes(false) ? false : values.includes(true) ? true : undefined
}

/** In a fixed order, so that the order of the levels does not show. */
function joined(lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  const said = lists.filter((list) => list !== undefined)
  return said.length ? [...new Set(said.flat())].sort() : undefined
}

function highest<T>(scale: readonly T[], values: readonly (T | undefined)[]): T | undefined {
  const ranks = values.filter((value) => value !== undefined).map((value) => scale.indexOf(value))
  return ranks.length ? scale[Math.max(...ranks)] : undefined
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

function compact<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>
}

function compactOrNothing<T extends object>(fields: T): Defined<T> | undefined {
  const kept = compact(fields)
  return Object.keys(kept).length ? kept : undefined
}
