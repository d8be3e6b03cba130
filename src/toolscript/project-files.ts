// Which files a script may import: code and JSON of its own project, wherever their links lead, and nothing that is hidden.

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'

/** What stands behind a path in the project; nothing for what lies outside it, or is no file. */
export function projectFile(path: string, workspace: string): string | undefined {
  try {
    const real = realpathSync.native(path)
    const inside = relative(realpathSync.native(workspace), real)
    if (inside === '' || inside.startsWith('..') || isAbsolute(inside)) return undefined
    const isOpen = isCode(path) && isCode(real) && !inside.split(/[\\/]/).some(isClosed)
    return isOpen && statSync(real).isFile() ? real : undefined
  } catch {
    return undefined
  }
}

/** Whatever else lies there is no part of a program. */
const isCode = (path: string) => /\.(?:m?[jt]s|json)$/.test(path)

/** Names that begin with a dot hold secrets and settings, and so do Legwork's own files; what lies in packages is not the user's. */
const isClosed = (name: string) =>
  name.startsWith('.') || name === 'node_modules' || /^legwork[.-](?:jsonc?|lock)/i.test(name)

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
  const candidates = [plain, plain.replace(/\.(m?)js$/, '.$1ts'), `${plain}.ts`, `${plain}.js`, join(plain, 'index.ts')]
  return candidates.find((candidate) => projectFile(candidate, workspace) !== undefined)
}
