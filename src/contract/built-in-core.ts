// The contracts of `impl/` and `core/` that need nothing but their input, streams and files.

import { createHash } from 'node:crypto'
import { encodingOf } from './encoding.ts'
import { ContractError } from './errors.ts'
import { compute } from './pure.ts'
import { type PureName, textOf } from './pure-functions.ts'
import type { Step } from './surroundings.ts'

/** Its input is a copy of plain data that is not too large; what it gives back is looked at by whoever called it. */
export type Contract = (input: Record<string, unknown>, step: Step) => unknown

export const coreContracts: Readonly<Record<string, Contract>> = {
  'impl/echo': ({ value }) => ({ val: value }),
  'impl/set': (input) => input,
  'impl/is_even': ({ value }) => ({ ok: typeof value === 'number' && value % 2 === 0 }),
  'impl/gt': ({ value, limit }) => ({ ok: typeof value === 'number' && typeof limit === 'number' && value > limit }),
  'core/object/merge': pure('merge'),
  'core/array/append': pure('append'),
  'core/string/format': pure('format'),
  'core/json/encode': pure('encode'),
  'core/json/decode': pure('decode'),
  'core/parse/json': parser('json'),
  'core/parse/toml': parser('toml'),
  'core/parse/csv': parser('csv'),
  'core/hash/sha256': async (input, step) => {
    const bytes = await givenBytes(input, step)
    const digest = createHash('sha256').update(bytes).digest()
    return { hex: digest.toString('hex'), base64: digest.toString('base64'), bytes: bytes.length }
  },
  'core/fs/read_file': async ({ path, encoding }, { files, signal }) => {
    const how = encodingOf(encoding)
    const { bytes, modifiedAt } = await files.read(path, signal)
    return { data: bytes.toString(how), encoding: how, size: bytes.length, mtime: modifiedAt }
  },
  'core/fs/write_file': async ({ path, data = '', encoding, append, createParents }, { files, signal }) => {
    const bytes = Buffer.from(textOf(data, 'data'), encodingOf(encoding))
    const options = { append: append === true, createParents: createParents === true }
    const { modifiedAt } = await files.write(path, bytes, options, signal)
    return { bytesWritten: bytes.length, mtime: modifiedAt }
  },
  'core/fs/list_dir': async ({ path = '.', recursive, includeHidden }, { files, signal }) => {
    const options = { recursive: recursive === true, includeHidden: includeHidden === true }
    return { entries: await files.list(path, options, signal) }
  },
  'core/stream/read': (input, { streams }) => streams.read(input),
  'core/stream/close': (input, { streams }) => streams.close(input),
}

function pure(name: PureName): Contract {
  return (input, { signal }) => compute(name, input, signal)
}

/** Takes the text itself, or that of a file or a stream. */
function parser(name: PureName): Contract {
  return async ({ path, stream, ...input }, step) => {
    const text = input.text ?? (await givenBytes({ path, stream }, step)).toString('utf8')
    return compute(name, { ...input, text }, step.signal)
  }
}

async function givenBytes(
  { data, encoding, path, stream }: Record<string, unknown>,
  { files, streams, signal }: Step,
): Promise<Buffer> {
  if (data !== undefined) return Buffer.from(textOf(data, 'data'), encodingOf(encoding))
  if (path !== undefined) return (await files.read(path, signal)).bytes
  if (stream !== undefined) return streams.drain(stream)
  throw new ContractError('invalid-input', 'Nothing is given to read. Give the text itself, a "path" or a "stream".')
}
