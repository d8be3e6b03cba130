// The project's own Legwork: the one in the nearest node_modules of a folder or of one above it, where Node itself would look for it.
// Anybody may put such a folder into /tmp, so one that belongs to another user than us and root is refused.

import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The file to run, if there is one. Throws where somebody else may have put it there. */
export function ownCommand(cwd, uid = process.getuid?.()) {
  for (let folder = realpathSync(cwd); ; folder = dirname(folder)) {
    const command = commandIn(join(folder, 'node_modules'), uid)
    if (command !== undefined || folder === dirname(folder)) return command
  }
}

function commandIn(modules, uid) {
  const place = join(modules, 'legwork')
  if (!isThere(place)) return undefined
  refuseForeign([modules, place], uid)
  // What is run is what was looked at, whatever becomes of a link meanwhile.
  const folder = resolved(place)
  const described = folder && resolved(join(folder, 'package.json'))
  if (described === undefined) return undefined
  refuseForeign([folder, described], uid)
  const bin = binOf(described)
  const file = bin === undefined ? undefined : resolved(join(folder, bin))
  if (file === undefined) return undefined
  refuseForeign([dirname(file), file], uid)
  return file
}

/** A link counts as well as what it leads to. */
function refuseForeign(paths, uid) {
  if (uid === undefined) return
  for (const path of paths) {
    const owners = [lstatSync(path), statSync(path, { throwIfNoEntry: false })].flatMap((found) => found?.uid ?? [])
    const owner = owners.find((each) => each !== uid && each !== 0)
    if (owner === undefined) continue
    const advice = 'If you trust it, make it yours with "chown"; else remove it.'
    throw new Error(`"${path}" belongs to another user (${owner}, you are ${uid}), so it was not run. ${advice}`)
  }
}

function isThere(path) {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

function resolved(path) {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

function binOf(described) {
  try {
    return String(JSON.parse(readFileSync(described, 'utf8')).bin.legwork)
  } catch {
    return undefined
  }
}
