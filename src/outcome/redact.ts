// Hides secrets: known values first, in every spelling; then the user's patterns; then what is a secret by its shape.
// It guarantees that a text gives the same whole or in chunks, that no secret shows when the result is made visible (visible.ts),
// that markers survive a second time, and time linear in the text.

import { redactedMarker, type Stage } from './cover.ts'
import { createHiddenStage } from './hidden-stage.ts'
import { knownValueStep } from './known-values.ts'
import { patternStep } from './pattern-step.ts'
import { redactValue, rememberNames } from './redact-value.ts'
import { shapeStep } from './shape-step.ts'
import { hasHidden, settledLength, visibleText } from './visible.ts'

export { looksSecret } from './known-values.ts'

export interface RedactorOptions {
  /** Secrets whose values are known. Redacted wherever they occur, also encoded in one of the ways of spellings.ts. Default none. */
  readonly values?: readonly string[]
  /**
   * More patterns, as the source of regular expressions: without lookaround, back references and lazy repetition; `^` and `$`
   * stand for the ends of a line. Where they would take too long, the rest of the line is redacted. Default none.
   */
  readonly patterns?: readonly string[]
  /** Whether what is a secret by its shape, or by the name that it stands beside, is hidden too. Default true. */
  readonly shapes?: boolean
}

export interface Redactor {
  /**
   * The text with `[REDACTED]` in place of every secret.
   * @param cut The text was cut off at its end: what may be the beginning of a secret there is redacted too. Default false.
   */
  text(text: string, cut?: boolean): string
  /**
   * The value with every string in it redacted, keys too, and the marker in place of a number that is a known value or matches a
   * pattern; the same value when there was nothing to redact.
   */
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
export function createRedactor({ values = [], patterns = [], shapes = true }: RedactorOptions = {}): Redactor {
  const all = [knownValueStep(values), patternStep(patterns), shapes ? shapeStep : undefined]
  const steps = all.filter((step) => step !== undefined)
  const redactPlain = (text: string) =>
    steps.reduce(
      (shown, step) => (shown.length > shortText || step.mayChange(shown) ? step.start().take(shown, true) : shown),
      text,
    )
  const startStage = () => createHiddenStage(chain(steps.map((step) => step.start())), redactPlain)
  const text = (given: string) => (hasHidden(given) ? startStage().take(given, true) : redactPlain(given))
  const cutFrom = (shown: string) => Math.min(...steps.map((step) => step.cutFrom?.(shown) ?? shown.length))
  const isSecretNumber = secretNumbers(values, patterns.length > 0, text)
  const names = rememberNames(text, shapes)
  return {
    text: (given, cut = false) => (cut ? withoutBeginning(text(given), cutFrom) : text(given)),
    value: (value) => redactValue(value, { text, isSecretNumber, names }),
    stream: () => {
      const { take } = startStage()
      return { push: (chunk) => take(chunk, false), end: () => take('', true) }
    },
  }
}

function chain(stages: readonly Stage[]): Stage {
  return {
    take: (chunk, final) => stages.reduce((shown, stage) => stage.take(shown, final), chunk),
    holds: () => stages.some((stage) => stage.holds()),
  }
}

/** What was cut in two at the very end, an escape sequence or a character, does not count. */
function withoutBeginning(text: string, cutFrom: (text: string) => number): string {
  const whole = hasHidden(text) ? visibleText(text.slice(0, settledLength(text))) : text
  const shown = whole.replace(/\ufffd{1,3}$/, '')
  const from = cutFrom(shown)
  return shown.length - from >= leastOfSecret ? shown.slice(0, from) + redactedMarker : text
}

/** Smaller ones, which leading zeros may have stood before, are everywhere. */
const leastSecretNumber = 1_000

/** Whether a number is a known value, also one that lost leading zeros or its last digits, or has one among its digits. */
function secretNumbers(
  values: readonly string[],
  hasPatterns: boolean,
  text: (text: string) => string,
): (number: number) => boolean {
  const numeric = values.filter((value) => /^[+-]?[\d.]+(?:e[+-]?\d+)?$/i.test(value.trim()))
  if (numeric.length === 0 && !hasPatterns) return () => false
  const numbers = new Set(numeric.map(Number).filter((number) => Math.abs(number) >= leastSecretNumber))
  return (number) => numbers.has(number) || text(String(number)) !== String(number)
}
