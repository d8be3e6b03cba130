// Node's own SQLite. It is not imported by its name: a Node that is too old to have it would fail in its own words, before anybody
// could say what to do.

import { LegworkError } from '../model/errors.ts'

const oldest = 24

export const sqlite = load()

function load(): typeof import('node:sqlite') {
  const [major = 0] = process.versions.node.split('.').map(Number)
  if (major >= oldest) return process.getBuiltinModule('node:sqlite')
  const message = `Legwork needs Node ${oldest} or later; this is Node ${process.versions.node}. Get one from https://nodejs.org.`
  throw new LegworkError('node-too-old', message)
}
