// A redactor that can be told of more secrets while it is in use, such as a token that was refreshed.

import { createRedactor, type Redactor, type RedactorOptions } from './redact.ts'

export interface LearningRedactor extends Redactor {
  /** Hides this value too from now on; a stream that was begun before does not know it. */
  readonly learn: (value: string) => void
  /** Hides known values and the owner's patterns alone: for descriptions and schemas, where an example is no secret. */
  readonly known: <T>(value: T) => T
}

export function learningRedactor({ values = [], patterns = [] }: RedactorOptions): LearningRedactor {
  const known = new Set(values)
  let redactor = createRedactor({ values, patterns })
  let exact: Redactor | undefined
  return {
    text: (text, cut) => redactor.text(text, cut),
    value: (value) => redactor.value(value),
    stream: () => redactor.stream(),
    learn: (value) => {
      if (known.has(value)) return
      known.add(value)
      redactor = createRedactor({ values: [...known], patterns })
      exact = undefined
    },
    known: (value) => {
      exact ??= createRedactor({ values: [...known], patterns, shapes: false })
      return exact.value(value)
    },
  }
}
