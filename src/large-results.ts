// Large results joined: what is too long for a client is kept beside the journal, and read in parts by address or by a tool.

import { existsSync } from 'node:fs'
import type { Clock } from './base/clock.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import { defineTool } from './function/define-tool.ts'
import { functionSource } from './function/source.ts'
import { memoryResults } from './journal/memory-results.ts'
import { fileResults, type ResultBytes, type ResultStore, resultsFolder } from './journal/results.ts'
import type { LargeResults, ResultPart } from './model/large-result.ts'
import type { Limits } from './model/limits.ts'
import type { Source } from './model/tool.ts'
import { previewOf, wholeResult } from './outcome/preview.ts'
import type { Redactor } from './outcome/redact.ts'

/** The results beside a journal, and the tool that reads them, which is there as soon as there is something to read. */
export function openResults(
  journalPath: string | undefined,
  { clock, ...options }: Pick<LargeResultsOptions, 'redactor' | 'limits'> & { readonly clock: Clock },
  catalogue: Catalogue,
): { readonly large: LargeResults; readonly hasSome: boolean; readonly addReader: () => Promise<void> } {
  const folder = journalPath === undefined ? undefined : resultsFolder(journalPath)
  const store = folder === undefined ? memoryResults({ clock }) : fileResults({ folder, clock })
  let adding: Promise<unknown> | undefined
  const addReader = async () => {
    // A tool of that name that the owner made goes before ours.
    adding ??= catalogue.add(resultSource(large)).catch(() => {})
    await adding
  }
  const large = createLargeResults({ ...options, store, onFirst: addReader })
  return { large, hasSome: folder !== undefined && existsSync(folder), addReader }
}

export interface LargeResultsOptions {
  readonly store: ResultStore
  readonly redactor: Redactor
  readonly limits: Pick<Limits, 'maxResultLength' | 'maxOutputBytes'>
  /** Told when there is something to read. */
  readonly onFirst: () => Promise<void>
}

const prefix = 'legwork://results/'
const readerName = 'legwork:readResult'
const defaultPartBytes = 32_768
const maxPartBytes = 1_048_576
/** No character is longer, so that each part goes further. */
const minPartBytes = 4

export function createLargeResults({ store, redactor, limits, onFirst }: LargeResultsOptions): LargeResults {
  const keep: LargeResults['keep'] = async (outcome) => {
    // A part that was asked for is handed over, else nobody would ever get to the end.
    if (outcome.tool === readerName) return undefined
    const whole = wholeResult(outcome, redactor, limits.maxOutputBytes)
    if (whole.text.length <= limits.maxResultLength) return undefined
    // The call has run: a disk that is full, or a folder that is not ours, does not undo that.
    const stored = await store.put(whole.text, whole.mediaType).catch(() => undefined)
    if (!stored) return undefined
    await onFirst()
    const { id, mediaType, bytes } = stored
    const uri = `${prefix}${id}`
    const expiresAt = new Date(stored.expiresAt).toISOString()
    return { uri, mediaType, bytes, expiresAt, preview: previewOf(whole, uri, bytes) }
  }

  return { keep, read: (uri) => readResult(store, uri) }
}

async function readResult(store: ResultStore, given: string): Promise<ResultPart | undefined> {
  const address = parseAddress(given)
  if (!address) return undefined
  const { id, offset, length } = address
  const found = await store.read(id, offset, length)
  return found && wholeCharacters(found, offset)
}

/** Undefined for anything but `legwork://results/<id>`, with a whole `offset` and `length` or without. */
function parseAddress(uri: string): { id: string; offset: number; length: number } | undefined {
  const [, id = '', query = ''] = /^legwork:\/\/results\/([0-9a-f-]{36})(?:\?([\w=&]{1,100}))?$/.exec(uri) ?? []
  if (id === '') return undefined
  const asked = new URLSearchParams(query)
  const number = (name: string, fallback: number) => {
    const text = asked.get(name)
    return text === null ? fallback : /^\d{1,15}$/.test(text) ? Number(text) : undefined
  }
  const offset = number('offset', 0)
  const length = number('length', defaultPartBytes)
  if (offset === undefined || length === undefined) return undefined
  return { id, offset, length: Math.min(Math.max(length, minPartBytes), maxPartBytes) }
}

/** A part begins and ends with whole characters, wherever it was asked for. */
function wholeCharacters({ id, mediaType, bytes, part }: ResultBytes, asked: number): ResultPart {
  let from = 0
  while (asked > 0 && from < part.length && isContinuation(part[from])) from++
  let to = part.length
  if (asked + to < bytes) {
    while (to > from && isContinuation(part[to - 1])) to--
    const lead = part[to - 1] ?? 0
    const isWhole = lead < 0x80 || part.length - to + 1 === lengthOf(lead)
    to = isWhole ? part.length : to - 1
  }
  const next = asked + to
  return {
    uri: `${prefix}${id}`,
    mediaType,
    text: part.toString('utf8', from, to),
    offset: asked + from,
    ...(next < bytes && { nextOffset: next }),
    bytes,
  }
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

function lengthOf(lead: number): number {
  return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
}

/** The address of a part, which may say itself where that begins; what stands beside it goes before that. */
function partAddress(uri: string, given: Readonly<Record<string, unknown>>): string {
  const [whole = '', query = ''] = uri.split('?', 2)
  const asked = new URLSearchParams(query)
  for (const [name, value] of Object.entries(given)) if (value !== undefined) asked.set(name, String(value))
  return asked.size ? `${whole}?${asked}` : whole
}

/** The tool by which scripts and every other front read a result. */
export function resultSource({ read }: Pick<LargeResults, 'read'>): Source {
  const reader = defineTool({
    name: readerName,
    description: 'Reads a long result in parts. Go on at "nextOffset" until there is none.',
    input: {
      type: 'object',
      properties: {
        uri: {
          type: 'string',
          description: 'The address, such as legwork://results/0190…, with ?offset=… or without.',
        },
        offset: { type: 'integer', minimum: 0, description: 'Where to begin, in bytes. Default 0.' },
        length: {
          type: 'integer',
          minimum: 1,
          maximum: maxPartBytes,
          description: `How many bytes. Default ${defaultPartBytes}.`,
        },
      },
      required: ['uri'],
      additionalProperties: false,
    },
    effects: { destructive: false, network: false, filesystem: { write: false } },
    run: async ({ uri, offset, length }) => {
      const part = await read(partAddress(String(uri), { offset, length }))
      if (part) return { ...part }
      throw new Error(`There is no result at "${uri}" any more. Call the tool again that gave it.`)
    },
  })
  return functionSource('legwork', [reader])
}
