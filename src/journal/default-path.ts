// Where a journal is kept when nobody says.

import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

export interface DefaultPathOptions {
  /** The folder of the configuration file, if there is one. */
  readonly workspace?: string | undefined
  /** Default: this process's. */
  readonly environment?: { readonly [name: string]: string | undefined }
  /** Default: this user's. */
  readonly home?: string
}

/** `.legwork/legwork.db` beside the configuration, else the same name in the user's state folder. */
export function defaultJournalPath({
  workspace,
  environment = process.env,
  home = homedir(),
}: DefaultPathOptions = {}): string {
  if (workspace !== undefined) return join(workspace, '.legwork', 'legwork.db')
  const named = environment.XDG_STATE_HOME
  const state = named && isAbsolute(named) ? named : join(home, '.local', 'state')
  return join(state, 'legwork', 'legwork.db')
}
