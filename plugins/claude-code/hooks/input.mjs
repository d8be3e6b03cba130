// What the client tells a hook: one JSON object on standard input.

import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'

const mostBytes = 1_048_576
const mostPathLength = 4_096

/** The session by a short name of its own, and the file that the client keeps of it, where it says so. */
export async function readSession() {
  const { session_id: id, transcript_path: transcript, ...input } = parse(await readText())
  if (typeof id !== 'string' || id === '') throw new Error('The input of the hook has no "session_id".')
  const session = createHash('sha256').update(id).digest('hex').slice(0, 32)
  const isPath = typeof transcript === 'string' && transcript.length <= mostPathLength
  return { session, transcript: isPath ? transcript : undefined, input }
}

/** The folder that the session works in. */
export function folderIn({ cwd = process.env.CLAUDE_PROJECT_DIR }) {
  if (typeof cwd === 'string' && statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return cwd
  const shown = JSON.stringify(cwd)?.slice(0, 200)
  throw new Error(`The input of the hook has no usable "cwd": ${shown}.`)
}

/** A hook that fails is shown to the person, and the session goes on. */
export function failed(error) {
  process.stderr.write(`Legwork: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

async function readText() {
  const chunks = []
  let bytes = 0
  for await (const chunk of process.stdin) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new Error('The input of the hook is larger than 1 MiB.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parse(text) {
  let value
  try {
    value = JSON.parse(text)
  } catch {
    // Told below.
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new Error('The input of the hook is no JSON object. It is meant to be run by Claude Code.')
}
