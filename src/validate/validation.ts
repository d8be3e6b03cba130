// What a check gives back.

import type { Issue } from '../model/schema.ts'

export type Validation =
  | { readonly ok: true; readonly value: unknown; readonly warnings: readonly Issue[] }
  | { readonly ok: false; readonly issues: readonly Issue[]; readonly warnings: readonly Issue[] }

export const noWarnings: readonly Issue[] = []

/** One fault of the input as a whole. */
export function refused(message: string, warnings = noWarnings): Validation {
  return { ok: false, issues: [{ path: '', code: 'INVALID_VALUE', message }], warnings }
}
