// Reads the arguments of a call in a program's text, such as `add_argument("--out", type=Path, help="…")`: enough for
// literals, without understanding the language. Linear in the text.

export interface CallArguments {
  /** In order, as they are written. */
  readonly positional: readonly string[]
  /** `name=value`, for languages that have it. */
  readonly named: Readonly<Record<string, string>>
}

/** The arguments of the call whose opening bracket stands at a place; nothing when it does not close. */
export function readCall(text: string, open: number): CallArguments | undefined {
  const positional: string[] = []
  const named: Record<string, string> = Object.create(null)
  const add = (written: string) => {
    const word = withoutComments(written).trim()
    if (word === '') return
    const [, name, value = ''] = /^([A-Za-z_]\w*)\s*=(?!=)\s*([\s\S]*)$/.exec(word) ?? []
    if (name === undefined) positional.push(word)
    else named[name] = value
  }
  let depth = 0
  let start = open + 1
  for (let at = open; at < text.length && at < open + 4_000; at++) {
    const letter = text[at]
    if (letter === '"' || letter === "'" || letter === '`') at = endOfText(text, at)
    else if (letter === '#' && /\s/.test(text[at - 1] ?? '')) at = endOfLine(text, at)
    else if (letter === '(' || letter === '[' || letter === '{') depth++
    else if (letter === ')' || letter === ']' || letter === '}') {
      depth--
      if (depth > 0) continue
      add(text.slice(start, at))
      return { positional, named }
    } else if (letter === ',' && depth === 1) {
      add(text.slice(start, at))
      start = at + 1
    }
  }
  return undefined
}

/** The texts that an expression consists of, joined; nothing when it is anything else. */
export function literalOf(expression: string | undefined): string | undefined {
  if (expression === undefined) return undefined
  const parts = expression.match(literal)
  if (!parts || expression.replace(literal, '').replace(/[\s()+]/g, '') !== '') return undefined
  return parts.map(unquoted).join('')
}

/** The texts of a list; nothing when it has anything else. */
export function literalList(expression: string | undefined): readonly string[] | undefined {
  const [, inside] = /^[[(]([\s\S]*)[\])]$/.exec(expression?.trim() ?? '') ?? []
  if (inside === undefined) return undefined
  const texts = inside.match(literal)
  if (!texts || inside.replace(literal, '').replace(/[\s,]/g, '') !== '') return undefined
  return texts.map(unquoted)
}

const literal = /[rRuUfF]?(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)/g

function unquoted(text: string): string {
  const start = /^["'`]/.test(text) ? 0 : 1
  const quote = /^("""|''')/.test(text.slice(start, start + 3)) ? 3 : 1
  const inside = text.slice(start + quote, -quote)
  if (!inside.includes('\\')) return inside
  return inside.replace(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter))
}

function endOfText(text: string, start: number): number {
  const letter = text[start] ?? ''
  const long = letter.repeat(3)
  if (letter !== '`' && text.startsWith(long, start)) {
    const end = text.indexOf(long, start + 3)
    return end < 0 ? text.length : end + 2
  }
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === letter) return at
  }
  return text.length
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\n', start)
  return end < 0 ? text.length : end
}

function withoutComments(written: string): string {
  return written.replace(/^(\s*(#|\/\/).*\n)+/g, '')
}
