// Bytes inside a value: images, sounds and files in base64, as MCP has them. No model can read them, and they would fill its context.

import { isObject, type Json, setOwn } from '../base/json.ts'
import { grouped } from '../base/text.ts'

/** The value with a note such as `[image: image/png, 12,345 bytes]` in the place of all bytes in it. For values of bounded depth. */
export function withoutBytes(value: Json): Json {
  if (Array.isArray(value)) {
    const items = value.map(withoutBytes)
    return items.every((item, at) => item === value[at]) ? value : items
  }
  if (!isObject(value)) return value
  const note = noteOf(value)
  let copy: Record<string, Json> | undefined
  for (const [name, field] of Object.entries(value)) {
    const told = name === note?.name ? note.text : withoutBytes(field)
    if (told === field) continue
    copy ??= { ...value }
    setOwn(copy, name, told)
  }
  return copy ?? value
}

/** The same as JSON. Almost no value has bytes, and to look for their names in its text takes no walk over it. */
export function textWithoutBytes(value: Json): string {
  const text = JSON.stringify(value)
  return text.includes('"data":"') || text.includes('"blob":"') ? JSON.stringify(withoutBytes(value)) : text
}

/** What stands for a block's bytes; undefined where it has none. */
export function bytesNote(block: Readonly<Record<string, unknown>>): string | undefined {
  return noteOf(block)?.text ?? (isObject(block.resource) ? noteOf(block.resource)?.text : undefined)
}

function noteOf(
  object: Readonly<Record<string, unknown>>,
): { readonly name: string; readonly text: string } | undefined {
  const { type, data, mimeType, uri, blob } = object
  if ((type === 'image' || type === 'audio') && isBase64(data))
    return { name: 'data', text: note(type, mimeType, data) }
  if (typeof uri === 'string' && isBase64(blob)) return { name: 'blob', text: note('file', mimeType, blob) }
  return undefined
}

function note(what: string, mediaType: unknown, data: string): string {
  const said = typeof mediaType === 'string' && /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(mediaType) ? `${mediaType}, ` : ''
  const digits = data.slice(data.indexOf(',') + 1).replace(/\s+/g, '')
  return `[${what}: ${said}${grouped(Buffer.byteLength(digits, 'base64'))} bytes]`
}

/** In any of the forms that servers write: with line breaks, without its end, as an address that holds it. */
function isBase64(text: unknown): text is string {
  return typeof text === 'string' && /^(?:data:[\w/+.-]{1,100};base64,)?[\w+/=\s-]+$/.test(text)
}
