// A document's text as others may read it: without the tools that it defines, because how they are made is for their owner.

import type { Document } from './document.ts'

/** Everything that is not inside a `<tool>`. */
export function textWithoutTools({ text, tools }: Document): string {
  let rest = ''
  let at = 0
  for (const { source } of [...tools].sort((a, b) => a.source.start - b.source.start)) {
    // One that is inside another goes with it.
    if (source.start < at) continue
    rest += text.slice(at, source.start)
    at = source.end
  }
  return rest + text.slice(at)
}
