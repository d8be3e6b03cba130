// The flags of bubblewrap for each kind of confinement. Pure: what is on the disk was found out before.

/** One place in the confined view of the file system. Later ones cover earlier ones. */
export type Mount =
  | { readonly as: 'read' | 'write'; readonly path: string; readonly from?: string }
  | { readonly as: 'link'; readonly path: string; readonly to: string }
  | { readonly as: 'hidden-file' | 'hidden-folder'; readonly path: string }

export interface View {
  readonly mounts: readonly Mount[]
  readonly network: boolean
  /** Whether it runs as root, to whom the settings of the kernel in /proc would be writable even without capabilities. */
  readonly root: boolean
}

/** The descriptor on which bubblewrap tells what becomes of the command. */
export const statusDescriptor = 3

/** Only the processes are kept together; files, network and permissions stay as they are. */
export function processesFlags(cwd: string): string[] {
  return ['--dev-bind', '/', '/', '--unshare-pid', '--proc', '/proc', ...always(cwd)]
}

/** A view of its own of everything: read-only system, private /tmp, no network unless given. */
export function fullFlags(system: readonly Mount[], view: View, cwd: string): string[] {
  return [
    '--unshare-all',
    ...(view.network ? ['--share-net'] : []),
    '--cap-drop',
    'ALL',
    ...system.flatMap(mountFlags),
    '--proc',
    '/proc',
    ...(view.root ? ['--remount-ro', '/proc'] : []),
    '--dev',
    '/dev',
    '--tmpfs',
    '/tmp',
    ...view.mounts.flatMap(mountFlags),
    ...always(cwd),
  ]
}

function always(cwd: string): string[] {
  return ['--die-with-parent', '--new-session', '--chdir', cwd, '--json-status-fd', String(statusDescriptor), '--']
}

function mountFlags(mount: Mount): string[] {
  switch (mount.as) {
    case 'read':
      return ['--ro-bind', mount.from ?? mount.path, mount.path]
    case 'write':
      return ['--bind', mount.from ?? mount.path, mount.path]
    case 'link':
      return ['--symlink', mount.to, mount.path]
    case 'hidden-file':
      return ['--ro-bind', '/dev/null', mount.path]
    case 'hidden-folder':
      return ['--tmpfs', mount.path]
    default:
      return mount satisfies never
  }
}
