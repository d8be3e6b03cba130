// A redactor that can be told of more secrets while it is in use, such as a token that was refreshed.

import { createRedactor, type Redactor, type RedactorOptions } from './redact.ts'

export interface LearningRedactor extends Redactor {
  /** Hides this value too from now on; a stream that was begun before does not know it. */
  readonly learn: (value: string) => void
}

export function learningRedactor({ values = [], patterns = [] }: RedactorOptions): LearningRedactor {
  const known = new Set(values)
  let redactor = createRedactor({ values, patterns })
  return {
    text: (text, cut) => redactor.text(text, cut),
    value: (value) => redactor.value(value),
    stream: () => redactor.stream(),
    learn: (value) => {
      if (known.has(value)) return
      known.add(value)
      redactor = createRedactor({ values: [...known], patterns })
    },
  }
}
