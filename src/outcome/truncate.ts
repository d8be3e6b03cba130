// Cuts a text to the length a model is shown, and says so.

export type TruncateMode = 'head' | 'tail' | 'middle'

const mark = '[TRUNCATED]'
/** What the mark is reckoned at, line breaks included. */
const reserved = 14

/**
 * At most `maxLength` characters: the beginning (`head`), the end (`tail`), or both with the cut between them (`middle`).
 * A character outside the basic plane is never split.
 */
export function truncateText(text: string, maxLength: number, mode: TruncateMode = 'head'): string {
  if (text.length <= maxLength) return text
  if (maxLength < reserved) return mark.slice(0, Math.max(0, maxLength))
  const room = maxLength - reserved
  switch (mode) {
    case 'head':
      return `${beginning(text, room)}\n${mark}`
    case 'tail':
      return `${mark}\n${end(text, room)}`
    case 'middle':
      return `${beginning(text, Math.ceil(room / 2))}\n${mark}\n${end(text, Math.floor(room / 2))}`
    default:
      return mode satisfies never
  }
}

function beginning(text: string, length: number): string {
  return text.slice(0, splitsPair(text, length) ? length - 1 : length)
}

function end(text: string, length: number): string {
  const from = text.length - length
  return text.slice(splitsPair(text, from) ? from + 1 : from)
}

function splitsPair(text: string, at: number): boolean {
  return at > 0 && /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at))
}
