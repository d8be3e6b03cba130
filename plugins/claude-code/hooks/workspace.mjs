// The workspace of a folder, as Legwork has it: the folder of the nearest legwork.jsonc, else the folder itself.

import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

export function workspaceOf(cwd) {
  const start = realpathSync(cwd)
  for (let folder = start; ; folder = dirname(folder)) {
    if (['legwork.jsonc', 'legwork.json'].some((name) => existsSync(join(folder, name)))) return folder
    if (folder === dirname(folder)) return start
  }
}
