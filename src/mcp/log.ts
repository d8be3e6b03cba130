// What a server logs while calls are on their way. Its messages do not say which call they belong to, so every one gets them.

import type { Level } from '../model/entry.ts'
import type { RunContext } from '../model/tool.ts'
import { visibleText } from '../outcome/visible.ts'

export interface LogMessage {
  readonly level: string
  readonly data: unknown
  readonly logger?: string | undefined
}

export type LogListener = (message: LogMessage) => void

/** A server may say much; a call keeps so much of it, of its log and of its progress. */
export const maxMessages = 1_000
export const maxLength = 4_096

const levels: Readonly<Record<string, Level>> = {
  warning: 'warning',
  error: 'error',
  critical: 'error',
  alert: 'error',
  emergency: 'error',
}

/** Passes on to one call what it is to hear. */
export function logListener(log: RunContext['log']): LogListener {
  let amount = 0
  return ({ level, data, logger }) => {
    if (++amount > maxMessages) return
    const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '')
    const message = logger === undefined ? text : `${logger}: ${text}`
    log(levels[level] ?? 'info', visibleText(message.slice(0, maxLength)))
  }
}
