// What the client tells a hook: one JSON object on standard input.

import { statSync } from 'node:fs'

const mostBytes = 1_048_576

export async function readInput() {
  const chunks = []
  let bytes = 0
  for await (const chunk of process.stdin) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new Error('The input of the hook is larger than 1 MiB.')
    chunks.push(chunk)
  }
  const input = parse(Buffer.concat(chunks).toString('utf8'))
  const { session_id: session, cwd = process.env.CLAUDE_PROJECT_DIR } = input
  if (typeof session !== 'string' || session === '') throw new Error('The input of the hook has no "session_id".')
  if (typeof cwd !== 'string' || !statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`The input of the hook has no usable "cwd": ${JSON.stringify(cwd)}.`)
  }
  return { session, cwd }
}

/** A hook that fails is shown to the person, and the session goes on. */
export function failed(error) {
  process.stderr.write(`Legwork: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
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
