// Fills in `${VAR}`, `${VAR:-default}` and `${env:VAR}` in every text of a configuration, once: what a variable holds is
// never read for variables again. As in a shell, an empty variable counts as unset where there is a default. `$${` is a
// plain `${`.

import { isObject, setOwn } from '../base/json.ts'
import { type Path, quoted } from './words.ts'

export interface Expanded {
  readonly value: unknown
  /** The variables that were filled in, and where. */
  readonly used: readonly { readonly variable: string; readonly value: string }[]
  /** The texts in which a default was taken. */
  readonly defaulted: readonly Path[]
  readonly faults: readonly VariableFault[]
}

export interface VariableFault {
  readonly path: Path
  /** The text at fault, such as `${GH_TOKEN}`. */
  readonly reference: string
  readonly message: string
}

/** The environment must hold plain values; inherited ones do not count. */
export function expandVariables(value: unknown, environment: Readonly<Record<string, string | undefined>>): Expanded {
  const used: { variable: string; value: string }[] = []
  const defaulted: Path[] = []
  const faults: VariableFault[] = []

  const expandText = (text: string, path: Path): string =>
    text.replaceAll(reference, (found: string) => {
      if (found === '$${') return '${'
      const { variable, fallback } = wellFormed.exec(found)?.groups ?? {}
      if (variable === undefined) {
        faults.push({ path, reference: found, message: malformed(found) })
        return found
      }
      const held = Object.hasOwn(environment, variable) ? environment[variable] : undefined
      if (held !== undefined && (held !== '' || fallback === undefined)) {
        used.push({ variable, value: held })
        return held
      }
      if (fallback === undefined) faults.push({ path, reference: found, message: unset(variable) })
      else defaulted.push(path)
      return fallback ?? found
    })

  const expand = (given: unknown, path: Path): unknown => {
    if (typeof given === 'string') return expandText(given, path)
    if (Array.isArray(given)) return given.map((item, at) => expand(item, [...path, at]))
    if (!isObject(given)) return given
    const copy = {}
    for (const key of Object.keys(given)) setOwn(copy, key, expand(given[key], [...path, key]))
    return copy
  }

  return { value: expand(value, []), used, defaulted, faults }
}

const reference = /\$\$\{|\$\{[^}]*\}?/g
const wellFormed = /^\$\{(?:env:)?(?<variable>[A-Za-z_][A-Za-z0-9_]*)(?::-(?<fallback>[^}]*))?\}$/

function unset(variable: string): string {
  return `The variable ${quoted(variable)} is not set. Set it, or give it a default: "\${${variable}:-default}".`
}

function malformed(found: string): string {
  return `${quoted(found)} names no variable. Write "\${NAME}", "\${NAME:-default}" or "\${env:NAME}", or "$\${" for a plain "\${".`
}
