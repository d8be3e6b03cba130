// Sets of the steps of a machine, one bit each.

export type StepSet = Uint32Array

export function put(set: StepSet, step: number): void {
  set[step >>> 5] = (set[step >>> 5] ?? 0) | (1 << (step & 31))
}

export function has(set: StepSet, step: number): boolean {
  return ((set[step >>> 5] ?? 0) & (1 << (step & 31))) !== 0
}

export function meet(a: StepSet, b: StepSet): StepSet {
  const both = new Uint32Array(a.length)
  for (let at = 0; at < a.length; at++) both[at] = (a[at] ?? 0) & (b[at] ?? 0)
  return both
}

/** Whether two sets have a step in common. */
export function meets(a: StepSet, b: StepSet): boolean {
  for (let at = 0; at < a.length; at++) if (((a[at] ?? 0) & (b[at] ?? 0)) !== 0) return true
  return false
}

export function join(into: StepSet, more: StepSet): void {
  for (let at = 0; at < into.length; at++) into[at] = (into[at] ?? 0) | (more[at] ?? 0)
}

export function forEachStep(set: StepSet, act: (step: number) => void): void {
  for (let at = 0; at < set.length; at++) {
    for (let rest = set[at] ?? 0; rest !== 0; rest &= rest - 1) act(at * 32 + 31 - Math.clz32(rest & -rest))
  }
}

export function keyOf(set: StepSet): string {
  let key = ''
  for (let at = 0; at < set.length; at++) key += String.fromCharCode((set[at] ?? 0) & 0xffff, (set[at] ?? 0) >>> 16)
  return key
}
