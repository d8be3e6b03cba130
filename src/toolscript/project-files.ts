// Which files a script may import: those of its own project, wherever their links lead.

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'

/** What stands behind a path in the project; nothing for what lies outside it, or is no file. */
export function projectFile(path: string, workspace: string): string | undefined {
  try {
    const real = realpathSync.native(path)
    const inside = relative(realpathSync.native(workspace), real)
    if (inside === '' || inside.startsWith('..') || isAbsolute(inside) || inside.split('/').includes('node_modules')) {
      return undefined
    }
    return statSync(real).isFile() ? real : undefined
  } catch {
    return undefined
  }
}

export function readProjectFile(path: string, workspace: string): string | undefined {
  const file = projectFile(path, workspace)
  try {
    return file === undefined ? undefined : readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** The file that a relative import means, as the checker would find it. */
export function resolveImport(specifier: string, importer: string, workspace: string): string | undefined {
  const plain = join(dirname(importer), specifier)
  const candidates = [plain, plain.replace(/\.js$/, '.ts'), `${plain}.ts`, `${plain}.js`, join(plain, 'index.ts')]
  return candidates.find((candidate) => projectFile(candidate, workspace) !== undefined)
}
