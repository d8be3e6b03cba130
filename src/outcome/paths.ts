// Paths in what went wrong, as a model may see them: enough to find the file, and nothing about the machine.

export interface Places {
  /** Paths inside it are made relative to it. */
  readonly workspace: string
  /** Becomes `~`. */
  readonly home?: string | undefined
  /** The names of what stands at the top of the file system: only a path that begins with one of them can be of this machine. */
  readonly topLevel: ReadonlySet<string>
}

/**
 * Of paths outside the workspace and the home folder only the last part is kept. What cannot be a path of this machine stays as it
 * is: addresses such as https://…, routes, closing tags, regular expressions, comments.
 */
export function sanitizePaths(text: string, places: Places): string {
  if (isWindows(places)) return /[\\/]/.test(text) ? replaced(text, windowsPaths, places) : text
  return text.includes('/') ? replaced(text, paths, places) : text
}

/** In quotes a path may hold blanks; elsewhere it ends with the word. */
const paths = patternOf(
  '/(?!/)',
  String.raw`(?<![\w./~:\\<-])|(?<=[\w"']:)(?!//)|(?<=<)(?=/[^\s/<>]{1,256}/)`,
  String.raw`\s"'\x60:;,()<>[\]{}|`,
)
const windowsPaths = patternOf(
  String.raw`(?:[A-Za-z]:|\\{2,4}[\w.$-]{1,256})[\\/]`,
  String.raw`(?<!\w)(?<!\\(?=\\))`,
  String.raw`\s"'\x60:;,()<>[\]{}|*?`,
)

function patternOf(start: string, before: string, ends: string): RegExp {
  const quoted = String.raw`(?<quote>["'\x60])(?<quotedScheme>file://)?(?<quoted>${start}[^"'\x60\n]*)\k<quote>`
  return new RegExp(`${quoted}|(?:(?<scheme>file://)|${before})(?<bare>${start}[^${ends}]+)`, 'g')
}

function replaced(text: string, pattern: RegExp, places: Places): string {
  return text.replace(pattern, (found, ...rest) => {
    const { quote, quotedScheme, quoted, scheme, bare } = groupsOf(rest)
    if (bare !== undefined) return shown(bare, scheme !== undefined, places) ?? found
    if (quote === undefined || quoted === undefined) return found
    const short = shown(quoted, quotedScheme !== undefined, places)
    // What is no path as a whole may still be words with one among them.
    return `${quote}${short ?? replaced(found.slice(1, -1), pattern, places)}${quote}`
  })
}

function groupsOf(rest: readonly unknown[]): Partial<Record<string, string>> {
  return rest.at(-1) as Partial<Record<string, string>>
}

/** Undefined for what is no path of this machine. */
function shown(path: string, isFile: boolean, places: Places): string | undefined {
  const { workspace, home } = places
  const inWorkspace = below(path, workspace, places)
  if (inWorkspace !== undefined) return inWorkspace === '' ? '.' : inWorkspace.replace(/^[\\/]+/, '')
  const inHome = home === undefined ? undefined : below(path, home, places)
  if (inHome !== undefined) return `~${inHome}`
  if (!isFile && !isWindows(places) && !places.topLevel.has(firstName(path) ?? '')) return undefined
  return /[^\\/]+[\\/]*$/.exec(path)?.[0] ?? path
}

/** What follows the folder in the path; undefined where the path lies elsewhere. */
function below(path: string, folder: string, places: Places): string | undefined {
  if (/^[\\/]?$/.test(folder)) return undefined
  if (!isWindows(places))
    return path === folder || path.startsWith(`${folder}/`) ? path.slice(folder.length) : undefined
  const wanted = folder.split(/[\\/]+/).map((part) => part.replace(/\W/g, '\\$&'))
  return new RegExp(`^${wanted.join(String.raw`[\\/]+`)}(?=[\\\\/]|$)(.*)$`, 'is').exec(path)?.[1]
}

/** Steps that lead nowhere are skipped, and so are signs of the sentence around the path. */
function firstName(path: string): string | undefined {
  return /^(?:\/\.{0,2}(?=\/))*\/([^/]*?)[.!?*]*(?:\/|$)/.exec(path)?.[1]
}

function isWindows({ workspace }: Places): boolean {
  return /^(?:[A-Za-z]:|\\)[\\/]/.test(workspace)
}
