// What a tool gave, as a language model is shown it on the way: as text, with nothing in it that cannot be seen, and not too long.

import { truncateText } from '../outcome/truncate.ts'
import { visibleText } from '../outcome/visible.ts'

/** A text as it is, anything else as JSON. Secrets go before length: one that is cut in two would no longer be found. */
export function shownToModel(result: unknown, limit: number, redact = (text: string) => text): string {
  const text = redact(typeof result === 'string' ? result : (JSON.stringify(result) ?? ''))
  const visible = visibleText(text)
  // What stood hidden between the parts of a secret is gone by now.
  return truncateText(visible === text ? text : redact(visible), limit)
}
