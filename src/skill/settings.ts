// What the owner says of skills: how far they are trusted and shut in, and what they are given.

import type { Trust } from '../model/effects.ts'
import type { Confinement } from '../run/confinement.ts'
import type { ResourceLimits } from '../run/limits.ts'

export interface SkillSettings {
  /** Default `community`. */
  readonly trust?: Trust
  /** How far scripts are shut in. Default `auto`: fully, where bubblewrap works. */
  readonly confine?: Confinement
  /** Whether a script that is shut in may use the network. Default false. */
  readonly network?: boolean
  /** What a script that is shut in may do in the workspace. Default `write`. */
  readonly workspaceAccess?: 'write' | 'read'
  /** Variables that scripts get on top of the usual ones, and that a call may set anew. Default none. */
  readonly env?: Readonly<Record<string, string>>
  /** More variables that a call may set. Default none. */
  readonly settable?: readonly string[]
  /** What `allowed-tools` means: nothing else may be used, or these need no question. Default `enforce`. */
  readonly allowedTools?: 'enforce' | 'preapprove'
  /** Whether whoever runs this gave the skills in code: then unknown effects need no question. Default false. */
  readonly ownersOwn?: boolean
  /** The folder that files in arguments are looked for in. */
  readonly workspace: string
  /** Paths in the workspace that no script may see, such as the journal. Default none. */
  readonly hidden?: readonly string[]
  /** Bounds on the memory, processor time and processes of each script. Default none. */
  readonly resources?: ResourceLimits
  /** Files in the workspace that a script that is shut in must not change, such as the configuration. Default none. */
  readonly readOnly?: readonly string[]
}
