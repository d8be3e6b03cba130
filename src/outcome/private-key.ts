// Private keys in text: the block from BEGIN to END, on one line or many, whole or cut off.

import type { Shape } from './patterns.ts'

const begin =
  '(?:-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----|Private-Lines: [0-9]{1,4})'
const keywords = ['-----begin ', '---- begin ssh2', 'private-lines:']

/** A key on one line, its line breaks escaped or gone. A mention of the heading alone is left as it is. */
export const privateKeyShape: Shape = {
  name: 'private-key',
  keywords,
  pattern: new RegExp(`${begin}(?:(?!----)[A-Za-z0-9+/=\\\\ \\t,:-]){16,16000}(?:-----END [A-Z0-9 ]{1,50}-----)?`, 'y'),
  isSecret: (found) => /[A-Za-z0-9+/=]{20}/.test(found.slice(20)),
}

/** The heading of a key that goes on on the lines below. In quotes that are closed at once it is only a mention. */
export const privateKeyHeading: Shape = {
  name: 'private-key-heading',
  keywords,
  pattern: new RegExp(
    `${begin}(?=(?:\\\\[nr]|[ \\t]){0,8}(?:(?:(?<=\\\\[nr])["'\`]|["'\`](?=[ \\t]*[+,\\\\]))[ \\t+,;\\\\]{0,8})?(?:[\\r\\n]|$))`,
    'y',
  ),
}

const ending = /-----END [A-Z0-9 ]{1,50}-----|---- END SSH2 [A-Z ]{1,40}----/
const header =
  /^[ \t>|+#*-]{0,8}(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|Subject|Private-(?:Lines|MAC|Hash))[:=]/
/** Digits alone, also quoted, indented or in a diff; or at the end of a line of a log. */
const digits =
  /^[ \t>|+#*"'`-]{0,8}([A-Za-z0-9+/=]{0,16384})(?:\\[nr]|[ \t"'`,;+\\]){0,8}$|[^A-Za-z0-9+/=][A-Za-z0-9+/=]{40,16384}$/
/** A line shorter than this is the last of its block, or the checksum below that. */
const fullLine = 16
const maxShortLines = 2
/** A longer line belongs to no key. */
export const maxKeyLine = 16_384

/** Tells, line by line after a heading, what belongs to the key. */
export interface KeyBody {
  /** How many characters of the line do: all of them while it goes on, some at its end, 0 when it is over. */
  readonly take: (line: string) => number
  readonly open: () => boolean
}

/** @param prefix What stands before the heading on its line, and so perhaps before all lines. */
export function createKeyBody(prefix: string): KeyBody {
  let open = true
  let shortLines = 0
  return {
    open: () => open,
    take: (line) => {
      const end = ending.exec(line)
      open = false
      if (line.length > maxKeyLine) return 0
      if (end) return end.index + end[0].length
      const own = line.startsWith(prefix) ? line.slice(prefix.length) : line
      open = header.test(own) || isBody(own)
      return open ? line.length : 0
    },
  }

  function isBody(line: string): boolean {
    const found = digits.exec(line)
    if (!found) return false
    const length = found[1]?.length ?? fullLine
    if (length >= fullLine) return shortLines === 0
    if (length > 0) shortLines++
    return shortLines <= maxShortLines
  }
}
