// Redacts the strings and numbers of a JSON value, each for itself and as what its name says it is. Copies only what changes.

import { isObject, setOwn } from '../base/json.ts'
import { redactedMarker } from './cover.ts'
import { isSecretValue, type SecretKind, secretKindOf } from './secret-value.ts'

type RedactText = (text: string) => string

/** The name of a field: how it is shown, and what it announces. */
interface Name {
  readonly shown: string
  readonly kind: SecretKind | undefined
}

/** Names come again and again: a thousand short ones are remembered. */
export function rememberNames(text: RedactText, doAnnounce = true): (name: string) => Name {
  const known = new Map<string, Name>()
  return (name) => {
    const found = known.get(name)
    if (found) return found
    const made = { shown: text(name), kind: doAnnounce ? secretKindOf(name) : undefined }
    if (known.size >= 1_000) known.clear()
    if (name.length <= 64) known.set(name, made)
    return made
  }
}

export interface ValueRules {
  readonly text: RedactText
  readonly isSecretNumber: (number: number) => boolean
  readonly names: (name: string) => Name
}

/** The type is kept but for secret numbers, which become strings. Values are at most 256 levels deep. */
export function redactValue<T>(value: T, { text, isSecretNumber, names }: ValueRules): T {
  return copyValue(value, undefined) as T

  /** @param kind What the name of the field announces. */
  function copyValue(item: unknown, kind: SecretKind | undefined): unknown {
    if (typeof item === 'string') return kind && isSecretValue(kind, item, 'quoted') ? redactedMarker : text(item)
    if (typeof item === 'number') return isSecretNumber(item) ? redactedMarker : item
    if (Array.isArray(item)) return copyList(item, kind)
    return isObject(item) ? copyObject(item) : item
  }

  /** An option such as `--token` announces the argument after it. */
  function copyList(list: readonly unknown[], kind: SecretKind | undefined): unknown {
    let changed = false
    const copy = list.map((item, at) => {
      const before = list[at - 1]
      const option = typeof before === 'string' && /^--?[A-Za-z]/.test(before) ? names(before).kind : undefined
      const redacted = copyValue(item, option ?? kind)
      changed ||= !Object.is(redacted, item)
      return redacted
    })
    return changed ? copy : list
  }

  function copyObject(object: Record<string, unknown>): unknown {
    let changed = false
    const copy: Record<string, unknown> = {}
    for (const key of Object.keys(object)) {
      const item = object[key]
      const { shown, kind } = names(key)
      const redacted = copyField(object, key, item, kind)
      changed ||= shown !== key || !Object.is(redacted, item)
      setOwn(copy, Object.hasOwn(copy, shown) ? `${shown} ${Object.keys(copy).length + 1}` : shown, redacted)
    }
    return changed ? copy : object
  }

  /** In a list of variables or headers, `name` or `key` announces `value`. */
  function copyField(
    object: Record<string, unknown>,
    key: string,
    item: unknown,
    kind: SecretKind | undefined,
  ): unknown {
    if (typeof item === 'string' && /^(?:proxy-)?authorization$/i.test(key)) {
      const line = text(`authorization: ${item}`)
      return line.slice('authorization: '.length)
    }
    const named = key === 'value' ? (object.name ?? object.key) : undefined
    return copyValue(item, typeof named === 'string' ? names(named).kind : kind)
  }
}
