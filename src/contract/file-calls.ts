// What a contract does to files, as calls on the one path: the policy decides on each, whatever the contract was named by, and
// each is in the journal and among the outcome's calls. What was read does not go through the outcome: it would be redacted.

import { createHash } from 'node:crypto'
import type { Effects } from '../model/effects.ts'
import type { DeniedReason } from '../model/outcome.ts'
import { anySchema } from '../model/schema.ts'
import type { Ran, RunContext, ToolDefinition } from '../model/tool.ts'
import { asContractError, ContractError } from './errors.ts'
import {
  type Entry,
  type Files,
  type ListOptions,
  listFolder,
  type ReadFile,
  readBytes,
  type WriteOptions,
  writeBytes,
} from './files.ts'
import { errorOf } from './surroundings.ts'

export interface FileCalls {
  readonly read: (path: unknown, signal: AbortSignal) => Promise<ReadFile>
  readonly write: (path: unknown, bytes: Buffer, options: WriteOptions, signal: AbortSignal) => Promise<Written>
  readonly list: (path: unknown, options: ListOptions, signal: AbortSignal) => Promise<readonly Entry[]>
}

export interface Written {
  readonly modifiedAt: string
}

export function fileCalls({ callTool }: Pick<RunContext, 'callTool'>, files: Files | undefined): FileCalls {
  async function call<T>(tool: FileTool, path: unknown, about: object, signal: AbortSignal, act: Act<T>): Promise<T> {
    if (!files) throw new ContractError('denied', 'This run has no folder of files. Give one as "root".')
    if (typeof path !== 'string' || path === '' || path.includes('\0'))
      throw new ContractError('invalid-input', 'Give a "path".')
    let made: { readonly value: T } | undefined
    const run: ToolDefinition['run'] = async (_input, context) => {
      try {
        made = { value: await act(files, path, context.signal) }
        return { ok: true, value: null }
      } catch (error) {
        return asRan(asContractError(error))
      }
    }
    const outcome = await callTool(
      { ...common, ...tool, run },
      {
        input: { path, ...about },
        signal,
        caller: { front: 'contract' },
      },
    )
    if (!outcome.ok) throw errorOf(outcome)
    if (made) return made.value
    throw new ContractError('tool-failed', `"${path.slice(0, 200)}" was taken care of by another call.`)
  }

  return {
    read: (path, signal) => call(readTool, path, {}, signal, readBytes),
    list: (path, options, signal) =>
      call(listTool, path, options, signal, (from, folder, stop) => listFolder(from, folder, options, stop)),
    write: (path, bytes, options, signal) => {
      // A person's yes holds for what is written, too.
      const about = { ...options, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
      const beginsWith = bytes.subarray(0, 200).toString('utf8')
      return call(writeTool, path, { ...about, beginsWith }, signal, (into, file) =>
        writeBytes(into, file, bytes, options),
      )
    },
  }
}

type FileTool = Pick<ToolDefinition, 'name' | 'description' | 'effects'>
type Act<T> = (files: Files, path: string, signal: AbortSignal) => Promise<T>

const common = { kind: 'contract', input: anySchema, trust: 'org', ownersOwn: true } as const
const reading: Effects = { destructive: false, network: false, filesystem: { read: true, write: false, delete: false } }
const writing: Effects = { destructive: false, network: false, filesystem: { read: false, write: true, delete: false } }

const readTool: FileTool = {
  name: { module: 'core', path: ['fs', 'read_file'] },
  description: 'Reads a file for a contract.',
  effects: reading,
}
const listTool: FileTool = {
  name: { module: 'core', path: ['fs', 'list_dir'] },
  description: 'Lists a folder for a contract.',
  effects: reading,
}
const writeTool: FileTool = {
  name: { module: 'core', path: ['fs', 'write_file'] },
  description: 'Writes a file for a contract.',
  effects: writing,
}

function asRan({ code, message }: ContractError): Ran {
  const reason: DeniedReason = 'path-security'
  return code === 'denied' ? { ok: false, code, message, reason } : { ok: false, code: 'tool-failed', message }
}
