// What `legwork doctor` finds: one thing, how it is, and what to say of it.

export interface Finding {
  readonly name: string
  /** `warning`: it works, and something about it is not as somebody meant it. `missing`: only some need it. `fault`: it does not work. */
  readonly status: 'ok' | 'warning' | 'missing' | 'fault'
  /** The first line goes beside the name, the others below. */
  readonly message: string
}

type Find = (name: string, ...lines: readonly string[]) => Finding

export const found: Find = (name, ...lines) => ({ name, status: 'ok', message: lines.join('\n') })
export const missing: Find = (name, ...lines) => ({ name, status: 'missing', message: lines.join('\n') })
export const fault: Find = (name, ...lines) => ({ name, status: 'fault', message: lines.join('\n') })

/** Well, but for the warnings, if there are any. */
export function foundWith(name: string, message: string, warnings: readonly string[]): Finding {
  return { name, status: warnings.length ? 'warning' : 'ok', message: [message, ...warnings].join('\n') }
}
