// Where faults and rules stand in a file, for messages and for `policy why`.

import { codeFrame, type Place, placeOf } from '../base/text.ts'
import type { RulePlace } from '../model/decision.ts'
import type { ConfigurationFault } from '../model/errors.ts'
import type { TextFault } from './parse.ts'
import { showPath, unprintable } from './words.ts'

export function placedFault(text: string, { path, offset, message }: TextFault): ConfigurationFault {
  const place = placeOf(text, offset)
  return { path: path.length ? showPath(path) : '', message, ...place, frame: frameOf(text, place) }
}

/** Worked out when it is asked for: most rules never decide a call. */
export function rulePlace(file: string, text: string, offset: number): RulePlace {
  return {
    file,
    get line() {
      return placeOf(text, offset).line
    },
    get column() {
      return placeOf(text, offset).column
    },
    get frame() {
      return frameOf(text, placeOf(text, offset))
    },
  }
}

/** A file may come from anybody; what it holds must not disturb the terminal. */
function frameOf(text: string, place: Place): string {
  return codeFrame(text.replace(unprintable, '\uFFFD'), place)
}
