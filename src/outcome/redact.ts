// Hides secrets: known values first, in every spelling; then the user's patterns; then what is a secret by its shape.
// It guarantees that a text gives the same whole or in chunks, that markers survive a second time, and time linear in the text.

import { isObject, setOwn } from '../base/json.ts'
import { redactedMarker, type Stage } from './cover.ts'
import { createHiddenStage } from './hidden-stage.ts'
import { knownValueStages } from './known-values.ts'
import { patternStages } from './pattern-stage.ts'
import { isSecretValue, type SecretKind, secretKindOf } from './secret-value.ts'
import { createShapeStage } from './shape-stage.ts'
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
  /** The text with `[REDACTED]` in place of every secret. */
  text(text: string): string
  /** The value with every string in it redacted, keys too; the same value when there was nothing to redact. */
  value<T>(value: T): T
  /** For a text that comes in chunks: gives what can be shown already, whole lines as a rule. */
  stream(): RedactStream
}

export interface RedactStream {
  push(chunk: string): string
  end(): string
}

/** Throws `invalid-pattern` for a pattern that cannot be used. */
export function createRedactor({ values = [], patterns = [] }: RedactorOptions = {}): Redactor {
  const makers = [knownValueStages(values), patternStages(patterns), createShapeStage].filter(
    (maker) => maker !== undefined,
  )
  const run = (stages: readonly Stage[], chunk: string, final: boolean) =>
    stages.reduce((text, stage) => stage(text, final), chunk)
  const redactPlain = (text: string) =>
    run(
      makers.map((make) => make()),
      text,
      true,
    )

  const text = (given: string) => {
    if (given === '') return given
    return redactPlain(hasHidden(given) ? createHiddenStage(redactPlain)(given, true) : given)
  }
  return {
    text,
    value: (value) => redactValue(value, text),
    stream: () => {
      const stages = [createHiddenStage(redactPlain), ...makers.map((make) => make())]
      return { push: (chunk) => run(stages, chunk, false), end: () => run(stages, '', true) }
    },
  }
}

/** A type is kept, since only strings change, and they stay strings. */
function redactValue<T>(value: T, text: (text: string) => string): T {
  return copyRedacted(value, undefined, text) as T
}

/** Values are at most 256 levels deep, so this may be recursive. `kind`: what the name of the field announces. */
function copyRedacted(value: unknown, kind: SecretKind | undefined, text: (text: string) => string): unknown {
  if (typeof value === 'string') return kind && isSecretValue(kind, value, 'quoted') ? redactedMarker : text(value)
  if (Array.isArray(value)) return copyList(value, kind, text)
  return isObject(value) ? copyObject(value, text) : value
}

function copyList(list: readonly unknown[], kind: SecretKind | undefined, text: (text: string) => string): unknown {
  let changed = false
  const copy = list.map((item, at) => {
    const before = list[at - 1]
    const ofOption = typeof before === 'string' && /^--?[A-Za-z]/.test(before) ? secretKindOf(before) : undefined
    const redacted = copyRedacted(item, ofOption ?? kind, text)
    changed ||= !Object.is(redacted, item)
    return redacted
  })
  return changed ? copy : list
}

function copyObject(object: Record<string, unknown>, text: (text: string) => string): unknown {
  let changed = false
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(object)) {
    const item = object[key]
    const shown = text(key)
    const redacted = copyField(object, key, item, text)
    changed ||= shown !== key || !Object.is(redacted, item)
    setOwn(copy, Object.hasOwn(copy, shown) ? `${shown} ${Object.keys(copy).length + 1}` : shown, redacted)
  }
  return changed ? copy : object
}

function copyField(
  object: Record<string, unknown>,
  key: string,
  item: unknown,
  text: (text: string) => string,
): unknown {
  if (typeof item === 'string' && /^(?:proxy-)?authorization$/i.test(key)) {
    const line = `authorization: ${item}`
    const redacted = text(line)
    return redacted === line ? item : redacted.slice('authorization: '.length)
  }
  const { name, key: keyField } = object
  const named = key === 'value' ? [name, keyField].find((field) => typeof field === 'string') : undefined
  return copyRedacted(item, secretKindOf(typeof named === 'string' ? named : key), text)
}
