// How an issue says where it stands and what stands there: `files[0].name`, and a value cut to a length a person reads.

export type Segment = string | number

const longestKey = 60
const longestText = 60

/** `files[0].name`; keys that would blur the path stand in brackets and quotes. */
export function pathText(segments: readonly Segment[]): string {
  let path = ''
  for (const segment of segments) {
    if (typeof segment === 'number') path += `[${segment}]`
    else if (segment === '' || /[.[\]"\s]/.test(segment)) path += `[${quoted(segment)}]`
    else path += path ? `.${cut(segment, longestKey)}` : cut(segment, longestKey)
  }
  return path
}

/** What a sentence calls the place. */
export function placeName(path: string): string {
  return path === '' ? 'The input' : `"${path}"`
}

/** A value as a sentence shows it: scalars themselves, what is longer by its kind. */
export function preview(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  return String(value)
}

/** The same with its kind in front: `the string "12abc"`, `the number 5`. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return `the string ${preview(value)}`
  if (typeof value === 'number') return `the number ${value}`
  return preview(value)
}

export function quoted(text: string): string {
  return JSON.stringify(cut(text, longestText))
}

/** What stands at a place in a value; undefined where nothing does. */
export function valueAt(value: unknown, segments: readonly PropertyKey[]): unknown {
  let current = value
  for (const segment of segments) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, segment)) return undefined
    current = Reflect.get(current, segment)
  }
  return current
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text
}
