// How bytes are written as text.

import { ContractError } from './errors.ts'

export type Encoding = 'utf-8' | 'base64' | 'hex'

const encodings: ReadonlyMap<unknown, Encoding> = new Map([
  ['utf-8', 'utf-8'],
  ['utf8', 'utf-8'],
  ['base64', 'base64'],
  ['hex', 'hex'],
])

/** Throws when there is no such encoding. Default `utf-8`. */
export function encodingOf(name: unknown = 'utf-8'): Encoding {
  const known = encodings.get(typeof name === 'string' ? name.toLowerCase() : name)
  if (known) return known
  throw new ContractError(
    'invalid-input',
    `"${String(name).slice(0, 100)}" is no encoding. Write utf-8, base64 or hex.`,
  )
}

/** Whether a text is written so; any text is UTF-8. */
export function isWritten(text: string, encoding: Encoding): boolean {
  switch (encoding) {
    case 'utf-8':
      return true
    case 'hex':
      return text.length % 2 === 0 && !/[^0-9a-fA-F]/.test(text)
    case 'base64':
      return !/[^A-Za-z0-9+/_-]/.test(text.trimEnd().replace(/={1,2}$/, ''))
    default:
      return encoding satisfies never
  }
}
