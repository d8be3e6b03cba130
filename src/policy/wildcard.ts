// Text in which `*` stands for any characters, also none. Each piece between the stars is looked for once, from where the
// one before it ended, so no pattern can make a match slow.

export function wildcard(pattern: string): (text: string) => boolean {
  const [start = '', ...pieces] = pattern.split('*')
  const end = pieces.pop()
  if (end === undefined) return (text) => text === pattern
  return (text) => {
    const last = text.length - end.length
    if (last < start.length || !text.startsWith(start) || !text.endsWith(end)) return false
    let at = start.length
    for (const piece of pieces) {
      const found = text.indexOf(piece, at)
      if (found === -1 || found + piece.length > last) return false
      at = found + piece.length
    }
    return true
  }
}
