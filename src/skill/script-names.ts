// Names for the scripts of one skill: the file's name; where two have the same, the folder before it; then the extension.

import { basename, dirname, extname } from 'node:path/posix'

/** The parts of each path's name. Distinct, and independent of the order of the paths. */
export function nameScripts(paths: readonly string[]): Map<string, readonly string[]> {
  const names = new Map<string, readonly string[]>()
  const taken = new Set<string>()
  let open = paths
  for (const form of forms) {
    const keyOf = (path: string) => form(path).join('\0')
    for (const [key, group] of Map.groupBy(open, keyOf)) {
      // A script directly in `scripts/` has the better right to the plain name.
      const primary = group.length === 1 ? group : group.filter((path) => dirname(path) === 'scripts')
      const [path] = primary
      if (path === undefined || primary.length > 1 || taken.has(key)) continue
      names.set(path, form(path))
      taken.add(key)
    }
    open = open.filter((path) => !names.has(path))
  }
  return names
}

const stem = (path: string) => basename(path, extname(path)) || basename(path)
const extension = (path: string) => extname(path).slice(1) || 'script'

/** The folder below `scripts/`, in parts. */
function folder(path: string): readonly string[] {
  const parts = dirname(path).split('/')
  return (parts[0] === 'scripts' ? parts.slice(1) : parts).filter((part) => part !== '.')
}

const forms: readonly ((path: string) => readonly string[])[] = [
  (path) => [stem(path)],
  (path) => [...folder(path), stem(path)],
  (path) => [...folder(path), stem(path), extension(path)],
  (path) => [...path.split('/').slice(0, -1), stem(path), extension(path)],
]
