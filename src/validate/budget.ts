// How much work one check may cost. Schemas and patterns come from other people: a chain of `$ref` can double at every
// link, a pattern can be long, and nobody may make the host hang with them. Checks are synchronous, so one counter serves.

/** Thrown out of a check that would take too long. */
export class OutOfBudget extends Error {}

let remaining = Number.POSITIVE_INFINITY

/** Runs a check that may spend so many steps; a step is worth some ten nanoseconds. */
export function withBudget<T>(steps: number, check: () => T): T {
  const outer = remaining
  remaining = steps
  try {
    return check()
  } finally {
    remaining = outer
  }
}

export function spend(steps: number): void {
  remaining -= steps
  if (remaining < 0) throw new OutOfBudget()
}
