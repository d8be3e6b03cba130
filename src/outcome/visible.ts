// Makes text safe to print and to read: what steers a terminal, turns the reading order, or is there without being seen.

/**
 * Escape sequences and invisible characters are dropped; other control characters are shown as their pictures (`␀`, `␛`, `␍`),
 * characters that turn the reading order as their number (`<U+202E>`). Line ends become `\n`, half surrogates U+FFFD.
 * Kept are tabs, right-to-left letters, the joiners inside emoji and between letters of scripts that are not Latin, and the one
 * variation selector that belongs to an emoji. Takes time linear in the text.
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
  return code === 0x7f ? '\u2421' : numberOf(code)
}

function showInvisible(part: string): string {
  return turning.test(part) ? numberOf(part.charCodeAt(0)) : ''
}

function numberOf(code: number): string {
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
}

/** Whether there is anything in the text that `visibleText` would drop or make a line end of, and so bring together what it takes apart. */
export function hasHidden(text: string): boolean {
  return hidden.test(text)
}

/** How much of a text stands whatever follows it: all but an escape sequence, or a pair of surrogates, of which the end is missing. */
export function settledLength(text: string): number {
  const from = text.search(openSequence)
  if (from >= 0) return from
  return /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length
}

// All that follows is made of these, so that no two of them can disagree on what is hidden.
const invisibles = String.raw`\p{Default_Ignorable_Code_Point}\ufff9-\ufffb`
const introducers = String.raw`\x1b\x80-\x9f`
const otherControls = String.raw`\0-\x08\x0b-\x1a\x1c-\x1f\x7f`
const lineEnds = String.raw`\u2028\u2029`

const hidden = new RegExp(`[${introducers}${lineEnds}${invisibles}]`, 'u')
/** Everything that needs a second look; the rest is left as it is without one. */
const unsafe = new RegExp(String.raw`[${introducers}${otherControls}${lineEnds}${invisibles}\p{Surrogate}]`, 'u')
const turning = /[\u202a-\u202e\u2066-\u2069]/

/** A command to the terminal, with its parameters: CSI. */
const command = String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*`
/**
 * A text for the terminal up to its end: OSC, DCS, SOS, PM, APC. Without an end only its beginning is shown. What begins another
 * one ends it, as in a terminal: no stretch is looked at for two of them.
 */
const string = String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07${introducers}\r\n]*`
const otherEscape = String.raw`\x1b[ -/]`

const commands = new RegExp(
  [
    `${command}[@-~]`,
    String.raw`${string}(?:\x07|\x1b\\|\x9c)`,
    String.raw`${otherEscape}+[0-~]|\x1b[0-OQ-WYZ\\\x60-~]`,
    String.raw`\r\n|[${introducers}${otherControls}${lineEnds}]`,
  ].join('|'),
  'gu',
)
const openSequence = new RegExp(String.raw`(?:${command}|${string}\x1b?|${otherEscape}*)$`, 'u')
const invisible = new RegExp(`[${invisibles}](?<!${kept()})`, 'gu')

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
