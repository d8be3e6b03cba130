// The command line of one box: Deno with exactly the permissions of a toolscript, and bubblewrap around it. Pure but for the
// question which library folders there are.

import { lstatSync, readlinkSync } from 'node:fs'
import { statusDescriptor } from '../run/bubblewrap.ts'
import { realPath } from '../run/paths.ts'
import { bootModule } from './deno-boot.ts'

export interface BoxPlan {
  /** The Deno binary. */
  readonly deno: string
  /** The run's own address, `http://127.0.0.1:PORT/run/<capability>`. */
  readonly url: string
  /** All that it may connect to: `127.0.0.1:PORT`. */
  readonly host: string
  /** What `Deno.cwd()` says. */
  readonly cwd: string
  readonly memoryMb: number
}

/** Deno reserves this much for itself; below it, it does not start. */
const ownMb = 560
const mebibyte = 1_048_576

const boxed = { deno: '/bin/deno', importMap: '/run/imports.json', cache: '/tmp/deno' } as const
const scratchBytes = 64 * mebibyte

/** The import map of a run: `toolscript` comes from the gateway, and never from a cache. */
export function importMap(url: string, stamp: string | number): string {
  return JSON.stringify({ imports: { toolscript: `${url}/runtime/tools.ts?_t=${stamp}` } })
}

/** Network to the run's address alone, one variable, and nothing else: no read, no write, no run, no npm, no other import. */
export function denoFlags({ host, memoryMb }: Pick<BoxPlan, 'host' | 'memoryMb'>, importMapFile: string): string[] {
  return [
    'run',
    '--quiet',
    '--no-check',
    '--no-prompt',
    '--no-config',
    '--no-lock',
    '--no-npm',
    `--allow-net=${host}`,
    `--allow-import=${host}`,
    '--allow-env=TOOLSCRIPT_GATEWAY_URL',
    `--v8-flags=--max-old-space-size=${memoryMb}`,
    `--import-map=${importMapFile}`,
  ]
}

export interface BoxCommand {
  readonly argv: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

/** Everything that the process gets. `files`: the import map, and a folder for caches where bubblewrap gives none. */
export function boxCommand(
  plan: BoxPlan,
  files: { readonly importMap: string; readonly cache: string },
  wall: { readonly bubblewrap?: string; readonly prlimit?: string },
): BoxCommand {
  const { bubblewrap, prlimit } = wall
  const places = bubblewrap === undefined ? { deno: plan.deno, ...files } : boxed
  const boot = `data:text/javascript;base64,${Buffer.from(bootModule).toString('base64')}`
  const deno = [places.deno, ...denoFlags(plan, places.importMap), boot]
  const confined = bubblewrap === undefined ? deno : [bubblewrap, ...wallFlags(plan, files.importMap), ...deno]
  const limits = ['--core=0', `--data=${(ownMb + plan.memoryMb) * mebibyte}`, '--']
  return {
    argv: prlimit === undefined ? confined : [prlimit, ...limits, ...confined],
    environment: {
      TOOLSCRIPT_GATEWAY_URL: plan.url,
      DENO_DIR: places.cache,
      DENO_NO_UPDATE_CHECK: '1',
      NO_COLOR: '1',
      PATH: '/bin',
    },
  }
}

/**
 * Libraries, Deno, an empty folder where the caller's stands, and nothing else of the disk. The network is the host's, because
 * the gateway is there: Deno's own permission is the wall.
 */
function wallFlags({ deno, cwd }: BoxPlan, importMapFile: string): string[] {
  const root = process.geteuid?.() === 0
  return [
    '--unshare-all',
    '--share-net',
    '--die-with-parent',
    '--new-session',
    ...['--cap-drop', 'ALL'],
    ...libraryFlags(deno),
    ...['--ro-bind', realPath(deno) ?? deno, boxed.deno],
    ...['--proc', '/proc', ...(root ? ['--remount-ro', '/proc'] : [])],
    ...['--dev', '/dev', '--size', String(scratchBytes), '--tmpfs', '/tmp'],
    ...['--ro-bind', importMapFile, boxed.importMap],
    ...(cwd === '/' ? [] : ['--dir', cwd]),
    ...['--chdir', cwd, '--json-status-fd', String(statusDescriptor), '--'],
  ]
}

function libraryFlags(deno: string): string[] {
  const store = /^\/(?:nix|gnu)\/store(?=\/)/.exec(realPath(deno) ?? deno)?.[0]
  const folders = ['/usr/lib', '/usr/lib64', '/lib', '/lib64', ...(store === undefined ? [] : [store])]
  return folders.flatMap((path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (!stats) return []
    return stats.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
  })
}
