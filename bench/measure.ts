// Measuring two things side by side: turn and turn about in one run, so that a noisy machine disturbs both alike.

export interface Measurement {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** What we want, such as `≤ 1.15`. */
  readonly goal?: string
}

/** Milliseconds of each run, in order. */
export type Timings = readonly number[]

/** Runs the contestants by turns, after a few rounds that do not count. */
export async function sideBySide<Name extends string>(
  contestants: Readonly<Record<Name, () => unknown>>,
  { rounds, warmUp = Math.ceil(rounds / 10) }: { readonly rounds: number; readonly warmUp?: number },
): Promise<Record<Name, Timings>> {
  const names = Object.keys(contestants) as Name[]
  const timings = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  for (let round = -warmUp; round < rounds; round++) {
    for (const name of round % 2 ? names : names.toReversed()) {
      const started = performance.now()
      await contestants[name]()
      const took = performance.now() - started
      if (round >= 0) timings[name].push(took)
    }
  }
  return timings
}

export function percentile(timings: Timings, share: number): number {
  const sorted = timings.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const p50 = (timings: Timings) => percentile(timings, 0.5)

export function printTable(title: string, measurements: readonly Measurement[]): void {
  console.log(`\n${title}`)
  const rows = measurements.map(({ name, value, unit, goal = '' }) => [
    name,
    `${rounded(value)} ${unit}`,
    goal,
    verdict(value, goal),
  ])
  const widths = [0, 1, 2, 3].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  for (const row of rows)
    console.log(
      `  ${row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd()}`,
    )
}

function rounded(value: number): string {
  if (Number.isInteger(value)) return String(value)
  return value >= 100 ? value.toFixed(0) : value.toFixed(2)
}

function verdict(value: number, goal: string): string {
  const bound = /^([≤≥])\s*([\d.]+)/.exec(goal)
  if (!bound) return ''
  const met = bound[1] === '≤' ? value <= Number(bound[2]) : value >= Number(bound[2])
  return met ? 'met' : 'missed'
}
