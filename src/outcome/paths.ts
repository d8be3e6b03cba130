// Paths in what went wrong, as a model may see them: enough to find the file, and nothing about the machine.

export interface Places {
  /** Paths inside it are made relative to it. */
  readonly workspace: string
  /** Becomes `~`. */
  readonly home?: string | undefined
}

/** Of paths outside the workspace and the home folder only the last part is kept. Addresses such as https://… stay whole. */
export function sanitizePaths(text: string, places: Places): string {
  if (!text.includes('/')) return text
  return text.replace(
    paths,
    (_found, quote: string | undefined, quoted: string | undefined, bare: string | undefined) =>
      quote === undefined ? sanitized(bare ?? '', places) : `${quote}${sanitized(quoted ?? '', places)}${quote}`,
  )
}

/** In quotes a path may hold blanks; elsewhere it ends with the word. */
const paths = new RegExp(
  [
    String.raw`(["'\x60])(?:file://)?(/(?!/)[^"'\x60\n]*)\1`,
    String.raw`(?:file://|(?<![\w./~:\\-])|(?<=[\w"']:)(?!//))(/(?!/)[^\s"'\x60:;,()<>[\]{}|]+)`,
  ].join('|'),
  'g',
)

function sanitized(path: string, { workspace, home }: Places): string {
  if (path === workspace) return '.'
  if (isInside(path, workspace)) return path.slice(workspace.length + 1)
  if (home !== undefined && path === home) return '~'
  if (home !== undefined && isInside(path, home)) return `~${path.slice(home.length)}`
  const last = /[^/]+\/?$/.exec(path)?.[0]
  return last ?? path
}

function isInside(path: string, folder: string): boolean {
  return folder !== '/' && path.startsWith(`${folder}/`)
}
