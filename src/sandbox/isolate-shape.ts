// How large and how deep a JSON text is, told without making a value of it: what is too large is refused before it costs anything.

export interface Shape {
  readonly depth: number
  /** How many values there are, lists and objects included; one too many at most for an empty one. */
  readonly values: number
}

export function shapeOf(text: string): Shape {
  let [depth, deepest, values] = [0, 0, 1]
  for (let at = 0; at < text.length; at++) {
    const letter = text.charCodeAt(at)
    if (letter === quote) at = endOfText(text, at)
    else if (letter === comma) values++
    else if (letter === openList || letter === openObject) {
      values++
      deepest = Math.max(deepest, ++depth)
    } else if (letter === closeList || letter === closeObject) depth--
  }
  return { depth: deepest, values }
}

const [quote, backslash, comma, openList, closeList, openObject, closeObject] = [
  0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d,
]

/** Where the text that begins at a quotation mark ends. */
function endOfText(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end > 0; end = json.indexOf('"', end + 1)) {
    let slashes = 0
    while (json.charCodeAt(end - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return end
  }
  return json.length
}
