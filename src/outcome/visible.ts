// Makes text safe to print and to read: what steers a terminal, turns the reading order, or is there without being seen.

/**
 * Escape sequences and invisible characters are dropped; other control characters are shown as their pictures (`␀`, `␛`, `␍`),
 * characters that turn the reading order as their number (`<U+202E>`). Line ends become `\n`, half surrogates U+FFFD.
 * Kept are tabs, right-to-left letters, the joiners inside emoji and between letters of scripts that are not Latin, and the one
 * variation selector that belongs to an emoji.
 */
export function visibleText(text: string): string {
  if (!unsafe.test(text)) return text
  return text.toWellFormed().replace(commands, showCommand).replace(invisible, showInvisible)
}

function showCommand(part: string): string {
  if (part === '\r\n' || part === '\u2028' || part === '\u2029') return '\n'
  if (part.length > 1) return ''
  const code = part.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  if (code === 0x7f) return '\u2421'
  return code < 0xa0 ? numberOf(code) : ''
}

function showInvisible(part: string): string {
  return turning.test(part) ? numberOf(part.charCodeAt(0)) : ''
}

function numberOf(code: number): string {
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
}

/** Whether there is anything in the text that `visibleText` would drop. */
export function hasHidden(text: string): boolean {
  return hidden.test(text)
}

/** Everything that needs a second look; the rest is left as it is without one. */
const unsafe = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufff9-\ufffb\p{Surrogate}\p{Default_Ignorable_Code_Point}]/u
const hidden = /[\x1b\x80-\x9f\p{Default_Ignorable_Code_Point}]/u
const turning = /[\u202a-\u202e\u2066-\u2069]/

const commands = new RegExp(
  [
    // A command to the terminal, with its parameters: CSI.
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]`,
    // A text for the terminal up to its end: OSC, DCS, SOS, PM, APC. Without an end only its beginning is shown.
    String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\r\n]*(?:\x07|\x1b\\|\x9c)`,
    // Other escape sequences.
    String.raw`\x1b[ -/]+[0-~]|\x1b[0-OQ-WYZ\\\x60-~]`,
    String.raw`\r\n|[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufff9-\ufffb]`,
  ].join('|'),
  'gu',
)
const invisible = new RegExp(String.raw`\p{Default_Ignorable_Code_Point}(?<!${kept()})`, 'gu')

/** Invisible characters that belong to the text: looked for behind the place where one ends. */
function kept(): string {
  const emoji = String.raw`\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?`
  const letter = String.raw`(?!\p{Script=Latin}|\p{Default_Ignorable_Code_Point})[\p{L}\p{M}]`
  return [
    String.raw`${emoji}\u200d(?=\p{Extended_Pictographic})`,
    String.raw`${letter}[\u200c\u200d](?=${letter})`,
    String.raw`\p{Emoji}[\ufe0e\ufe0f]`,
    String.raw`\p{Script=Mongolian}[\u180b-\u180d\u180f]`,
  ].join('|')
}
