// What a fully confined process sees of the disk: the system, the folders it was given, and never a credential.

import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { makeFolder } from '../base/make-folder.ts'
import type { Mount, View } from './bubblewrap.ts'
import { heldFolders, hiddenMounts, placesInside, withReal } from './guarded.ts'
import type { ResourceLimits } from './limits.ts'
import { exists, homes, isFolder, isInside, realPath } from './paths.ts'
import { programPaths } from './program-paths.ts'

export interface ConfinementProfile {
  /**
   * Folders and files it may read. Inside a folder of `writable` they can be neither changed nor replaced; so a file there must
   * not be a link. The working directory and the program's own folder are readable in any case. Default none.
   */
  readonly readable?: readonly string[]
  /** Folders it may write to as well. Default none. */
  readonly writable?: readonly string[]
  /** Default false. */
  readonly network?: boolean
  /** Paths inside those folders that it must neither see nor replace, such as the journal. Missing ones do no harm. Default none. */
  readonly hidden?: readonly string[]
  /** The folder whose `.env*` files are hidden, as those of the working directory are. Default none. */
  readonly workspace?: string
  readonly limits?: ResourceLimits
}

/** Where people keep credentials, below the home folder. */
const credentials = [
  '.ssh .aws .config .gnupg .azure .kube .docker .oci .terraform.d .password-store .local/share/keyrings .mozilla',
  '.netrc .npmrc .yarnrc.yml .pypirc .git-credentials .pgpass .my.cnf .boto .s3cfg .vault-token .dockercfg',
  '.cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml .gradle/gradle.properties',
  '.bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history',
].flatMap((line) => line.split(' '))

/** Compiled code, which the command runs as it finds it (cli/compiled-code.ts). */
const compiledCode = '.cache/legwork'

/** The view for one process. `programs` are the paths of what will be run: the program, and what runs it if it is a script. */
export function viewOf(profile: ConfinementProfile, cwd: string, programs: readonly string[]): View {
  const mounts: Mount[] = []
  const writable = profile.writable?.flatMap(places) ?? []
  const add = (as: 'read' | 'write', paths: readonly string[]) => {
    for (const path of paths) if (!mounts.some((mount) => isInside(path, mount.path))) mounts.push({ as, path })
  }
  add('write', writable)
  // What is said to be read-only stays so inside a folder that is not, by every name.
  const readable = readablePlaces(profile.readable ?? [], mounts)
  for (const path of new Set(readable)) if (!writable.includes(path)) mounts.push({ as: 'read', path })
  add('read', cwd === '/' ? [] : places(cwd))
  add('read', programs.flatMap(programPaths))

  keepPlaceOfCode(writable)
  const environments = new Set([cwd, profile.workspace ?? cwd])
  const secrets = [...environments].flatMap(environmentFiles)
  const hidden = hiddenMounts([...homePaths(), ...secrets, ...(profile.hidden ?? [])], mounts.map(withReal))
  const held = heldFolders([...readable, ...hidden.map(({ path }) => path)], mounts)
  const ordered = [...mounts, ...held].sort((a, b) => a.path.length - b.path.length)
  const root = process.geteuid?.() === 0
  return { mounts: [...ordered, ...hidden], network: profile.network ?? false, root }
}

/** What is not there cannot be hidden: where a process could make that folder itself, it is made before. */
function keepPlaceOfCode(writable: readonly string[]): void {
  for (const home of homes()) {
    const folder = join(home, compiledCode)
    if (exists(folder) || !writable.some((path) => isInside(folder, path))) continue
    try {
      makeFolder(folder, 0o700)
    } catch {
      // Where this user may not make it, neither may the process.
    }
  }
}

/** A link inside a folder that is shown leads there by itself, and nothing can be mounted on it. */
function readablePlaces(paths: readonly string[], writable: readonly Mount[]): string[] {
  const shown = [...writable.map(({ path }) => path), ...paths.flatMap(places)]
  const isShown = (path: string) => shown.some((folder) => folder !== path && isInside(path, folder))
  const roots = writable.map(withReal)
  return paths.flatMap((path) => {
    const [real, ...named] = places(path)
    return real === undefined ? [] : [real, ...named.filter((name) => !isShown(name)), ...placesInside(real, roots)]
  })
}

/** Why a profile cannot be kept to, or nothing. */
export function refuseProfile({ readable = [], writable = [], hidden = [] }: ConfinementProfile): string | undefined {
  const root = [...readable, ...writable].find((path) => realPath(path) === '/')
  if (root !== undefined) {
    return `Full confinement would be none with "${root}" inside, which is the whole disk. Name the folders that are needed.`
  }
  // Of a folder that may be read, what lies behind the link is guarded and the link is not.
  const guarded = [...readable.filter((path) => !isFolder(path)), ...hidden]
  const linked = guarded.find((path) => writable.some((folder) => isByLink(path, folder)))
  if (linked === undefined) return undefined
  return `"${linked}" is to be guarded in a folder that may be written to, and is a link or lies behind one, which could be replaced. Put the file itself in its place.`
}

/** Whether the way from a folder to a path inside it leads over a link. */
function isByLink(path: string, folder: string): boolean {
  if (path === folder || !isInside(path, folder)) return false
  const real = realPath(path)
  return real !== undefined && real !== join(realPath(folder) ?? folder, relative(folder, path))
}

/** A path where its links lead and where it was named, so that both spellings work inside. Nothing for one that is missing. */
function places(path: string): string[] {
  const real = realPath(path)
  return real === undefined ? [] : [...new Set([real, path])]
}

function environmentFiles(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.startsWith('.env'))
    return names.map((name) => join(folder, name))
  } catch {
    return []
  }
}

const homePaths = () => homes().flatMap((home) => [...credentials, compiledCode].map((name) => join(home, name)))
