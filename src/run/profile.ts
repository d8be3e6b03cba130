// What a fully confined process sees of the disk: the system, the folders it was given, and never a credential.

import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import type { Mount, View } from './bubblewrap.ts'
import type { ResourceLimits } from './limits.ts'

export interface ConfinementProfile {
  /** Folders and files it may read. The working directory and the program's own folder are readable in any case. Default none. */
  readonly readable?: readonly string[]
  /** Folders it may write to as well. Default none. */
  readonly writable?: readonly string[]
  /** Default false. */
  readonly network?: boolean
  /** Paths inside those folders that it must not see, such as the journal. Missing ones do no harm. Default none. */
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

/** Named files of /etc, and not /etc: the rest holds the hashes of passwords and private keys. */
const systemFiles = ['alternatives', 'group', 'hosts', 'ld.so.cache', 'localtime', 'passwd']
const networkFiles = ['nsswitch.conf', 'resolv.conf', 'services', 'ssl/certs', 'ssl/openssl.cnf', 'pki/tls/certs']
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store']

const systems = new Map<boolean, readonly Mount[]>()

/** The read-only system, as this machine has it. */
export function systemMounts(network: boolean): readonly Mount[] {
  const known = systems.get(network) ?? findSystem(network)
  systems.set(network, known)
  return known
}

/** The view for one process. `programs` are the paths of what will be run: the program, and what runs it if it is a script. */
export function viewOf(profile: ConfinementProfile, cwd: string, programs: readonly string[]): View {
  const mounts: Mount[] = []
  const writable = profile.writable?.flatMap(places) ?? []
  const readable = profile.readable?.flatMap(places).filter((path) => !writable.includes(path)) ?? []
  const add = (as: 'read' | 'write', paths: readonly string[]) => {
    for (const path of paths) if (!mounts.some((mount) => isInside(path, mount.path))) mounts.push({ as, path })
  }
  add('write', writable)
  // What is said to be read-only stays so inside a folder that is not.
  for (const path of readable) mounts.push({ as: 'read', path })
  add('read', cwd === '/' ? [] : places(cwd))
  add('read', programs.flatMap(programPaths))
  mounts.sort((a, b) => a.path.length - b.path.length)

  const environments = new Set([cwd, profile.workspace ?? cwd])
  const secrets = [...environments].flatMap(environmentFiles)
  const hidden = hiddenMounts([...credentialPaths(), ...secrets, ...(profile.hidden ?? [])], mounts)
  return { mounts: [...mounts, ...hidden], network: profile.network ?? false }
}

/** A folder that would show everything cannot be given. */
export function refuseRoot(profile: ConfinementProfile): string | undefined {
  const given = [...(profile.readable ?? []), ...(profile.writable ?? [])]
  return given.find((path) => realPath(path) === '/')
}

/**
 * The folder of a program, where its links lead, and the installation that a `bin` belongs to. Of a program that lies
 * in the home folder itself or above it, the file alone.
 */
function programPaths(program: string): string[] {
  const paths = [program, realPath(program) ?? program].flatMap((file) => {
    const folder = dirname(file)
    if (isAboveHome(folder)) return [file]
    const installation = dirname(folder)
    const isInstallation =
      /^(s?bin|shims|libexec)$/.test(basename(folder)) &&
      basename(installation) !== '.local' &&
      !isAboveHome(installation) &&
      ['lib', 'lib64', 'libexec'].some((name) => exists(join(installation, name)))
    return [isInstallation ? installation : folder]
  })
  return paths.filter((path) => exists(path) && !systemFolders.some((folder) => isInside(path, folder)))
}

function isAboveHome(folder: string): boolean {
  return folder === '/' || homes().some((home) => isInside(home, folder))
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

/** Covers each path wherever a mount shows it. Only what exists: covering what does not would create it on the user's disk. */
function hiddenMounts(paths: readonly string[], mounts: readonly Mount[]): Mount[] {
  const shown = mounts.map(({ path }) => ({ path, real: realPath(path) ?? path }))
  const hidden = new Map<string, Mount>()
  for (const path of paths) {
    if (!exists(path)) continue
    const real = realPath(path)
    if (real === undefined) continue
    const as = statSync(real).isDirectory() ? 'hidden-folder' : 'hidden-file'
    for (const mount of shown) {
      if (!isInside(real, mount.real)) continue
      const place = join(mount.path, relative(mount.real, real))
      hidden.set(place, { as, path: place })
    }
  }
  return [...hidden.values()].sort((a, b) => a.path.length - b.path.length)
}

const credentialPaths = () => homes().flatMap((home) => credentials.map((name) => join(home, name)))

let knownHomes: { readonly variable: string; readonly homes: readonly string[] } | undefined

/** The home folder by the environment, and by the user database: they may differ. */
function homes(): readonly string[] {
  const variable = homedir()
  if (knownHomes?.variable === variable) return knownHomes.homes
  let account = variable
  try {
    account = userInfo().homedir
  } catch {
    // A user without an entry in the database.
  }
  const all = new Set([variable, account].flatMap((home) => [home, realPath(home) ?? home]))
  knownHomes = { variable, homes: [...all].filter((home) => home !== '/') }
  return knownHomes.homes
}

function findSystem(network: boolean): readonly Mount[] {
  const mounts: Mount[] = []
  for (const path of systemFolders) {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (!stats) continue
    mounts.push(stats.isSymbolicLink() ? { as: 'link', path, to: readlinkSync(path) } : { as: 'read', path })
  }
  for (const name of network ? [...systemFiles, ...networkFiles] : systemFiles) {
    const path = join('/etc', name)
    const from = realPath(path)
    if (from !== undefined) mounts.push({ as: 'read', path, from })
  }
  return mounts
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}
