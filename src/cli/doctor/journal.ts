// What `legwork doctor` says of the journal: whether a call could write to it, and whether anything in it was changed.

import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { messageOf } from '../../base/json.ts'
import { count } from '../../base/text.ts'
import type { LoadedConfiguration } from '../../configuration/load.ts'
import { checkFolder } from '../../journal/file.ts'
import { openJournal } from '../../journal/open.ts'
import { journalOptions } from '../../settings.ts'
import type { Say } from '../progress.ts'
import { type Finding, fault, found } from './finding.ts'

export function examineJournal(loaded: LoadedConfiguration, say: Say): Finding {
  if (loaded.configuration.journal?.path === ':memory:') return found('journal', 'in memory: it ends with the process')
  const { path } = journalOptions(loaded)
  try {
    if (!existsSync(path)) return notMadeYet(path)
    // Opened as a call would: what may only be read lets nothing run.
    const journal = openJournal({ path })
    const onEntries = (entries: number) => say('Looking at the journal', count(entries, 'line'))
    const { ok, entries, faults } = journal.verify({ onEntries })
    journal.close()
    if (ok) return found('journal', `${path}, ${count(entries, 'line')}, whole`)
    return fault('journal', `${path} was changed: entry ${faults[0]?.seq}, ${faults[0]?.message}`)
  } catch (error) {
    return fault('journal', messageOf(error))
  }
}

/** Nothing is made here; the first call makes it, if it can. */
function notMadeYet(path: string): Finding {
  const folder = nearestThere(dirname(path))
  if (folder === dirname(path)) checkFolder(path, folder)
  const advice = 'Without a journal nothing runs. Set "journal.path" to a file in a folder of your own.'
  if (!statSync(folder).isDirectory())
    return fault('journal', `${path} cannot be made: "${folder}" is no folder.`, advice)
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch {
    return fault('journal', `${path} cannot be made: you may not write in "${folder}".`, advice)
  }
  return found('journal', `${path}, made at the first call`)
}

function nearestThere(path: string): string {
  const parent = dirname(path)
  return parent === path || existsSync(path) ? path : nearestThere(parent)
}
