// Hides secrets: known values first, in every spelling; then the user's patterns; then what is a secret by its shape.
// It guarantees that a text gives the same whole or in chunks, that markers survive a second time, and time linear in the text.

import { redactedMarker } from './cover.ts'
import { createHiddenStage } from './hidden-stage.ts'
import { knownValueStep } from './known-values.ts'
import { patternStep } from './pattern-step.ts'
import { redactValue, rememberNames } from './redact-value.ts'
import { shapeStep } from './shape-step.ts'
import { hasHidden } from './visible.ts'

export { looksSecret } from './known-values.ts'

export interface RedactorOptions {
  /** Secrets whose values are known. Redacted wherever they occur, also in base64, hexadecimal, percent-encoded or JSON-escaped. Default none. */
  readonly values?: readonly string[]
  /**
   * More patterns, as the source of regular expressions: without lookaround, back references and lazy repetition; `^` and `$`
   * stand for the ends of a line. They are run in linear time. Default none.
   */
  readonly patterns?: readonly string[]
}

export interface Redactor {
  /**
   * The text with `[REDACTED]` in place of every secret.
   * @param cut The text was cut off at its end: what may be the beginning of a secret there is redacted too. Default false.
   */
  text(text: string, cut?: boolean): string
  /** The value with every string in it redacted, keys too; the same value when there was nothing to redact. */
  value<T>(value: T): T
  /** For a text that comes in chunks: gives what can be shown already, whole lines as a rule. */
  stream(): RedactStream
}

export interface RedactStream {
  push(chunk: string): string
  end(): string
}

/** Short texts, which most are, are looked at before anything is set up for them. */
const shortText = 4_096
/** So much of a secret at the end of a text that was cut off may be anything. */
const leastOfSecret = 4

/** Throws `invalid-pattern` for a pattern that cannot be used. */
export function createRedactor({ values = [], patterns = [] }: RedactorOptions = {}): Redactor {
  const steps = [knownValueStep(values), patternStep(patterns), shapeStep].filter((step) => step !== undefined)
  const redactPlain = (text: string) =>
    steps.reduce(
      (shown, step) => (shown.length > shortText || step.mayChange(shown) ? step.start()(shown, true) : shown),
      text,
    )
  const text = (given: string) => redactPlain(hasHidden(given) ? createHiddenStage(redactPlain)(given, true) : given)
  const textCutOff = (given: string) => {
    const shown = text(given)
    const from = Math.min(...steps.map((step) => step.cutFrom?.(shown) ?? shown.length))
    return shown.length - from >= leastOfSecret ? shown.slice(0, from) + redactedMarker : shown
  }
  const names = rememberNames(text)
  return {
    text: (given, cut = false) => (cut ? textCutOff(given) : text(given)),
    value: (value) => redactValue(value, text, names),
    stream: () => {
      const stages = [createHiddenStage(redactPlain), ...steps.map((step) => step.start())]
      const run = (chunk: string, final: boolean) => stages.reduce((shown, stage) => stage(shown, final), chunk)
      return { push: (chunk) => run(chunk, false), end: () => run('', true) }
    },
  }
}
