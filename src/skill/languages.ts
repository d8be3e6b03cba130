// The languages that scripts are written in: how each is known, what runs it, and how its comments look.

export interface Language {
  /** As `ScriptMetadata` has it. */
  readonly type: 'python' | 'bash' | 'node' | 'ruby' | 'perl' | 'other'
  /** What runs it, looked up on the path. */
  readonly interpreter: string
  readonly comments: 'hash' | 'slashes'
  /** A line at the left margin that only defines something; a file that has no other is a library. */
  readonly definition: RegExp
  /** What shows that a file wants to be run, whatever else is in it. */
  readonly entry: RegExp
}

const python: Language = {
  type: 'python',
  interpreter: 'python3',
  comments: 'hash',
  definition:
    /^(import\s|from\s|def\s|async\s+def\s|class\s|@|#|"""|'''|[rbuf]?["']|try:|except\b|else:|finally:|if\s+(typing\.)?TYPE_CHECKING|[A-Za-z_][\w.]*\s*(:[^=]*)?=(?!=)|__all__|[)\]}])/,
  entry: /^if\s+__name__\s*==|^if\s+['"]__main__['"]\s*==/m,
}

const shell: Language = {
  type: 'bash',
  interpreter: 'bash',
  comments: 'hash',
  definition: /^(#|(function\s+)?[\w:-]+\s*\(\)|function\s|[A-Za-z_]\w*=|export\s|readonly\s|declare\s|[})\]])/,
  entry: /^main\b|\$\{?[1-9@*]/m,
}

const node: Language = {
  type: 'node',
  interpreter: 'node',
  comments: 'slashes',
  definition:
    /^(\/\/|\/?\*|import\b(?!\s*\()|export\s|module\.exports|exports\.|(async\s+)?function\b|class\s|(const|let|var)\s|interface\s|type\s|declare\s|['"]use strict|[})\]])/,
  entry: /\bprocess\.(argv|stdin|stdout|exit)|\brequire\.main\b|\bimport\.meta\.main\b|\bconsole\.log\(/,
}

const ruby: Language = {
  type: 'ruby',
  interpreter: 'ruby',
  comments: 'hash',
  definition: /^(#|=begin|=end|require|load\s|module\s|class\s|def\s|end\b|[A-Z]\w*\s*=|[)\]}])/,
  entry: /__FILE__\s*==\s*\$(0|PROGRAM_NAME)|\bARGV\b|\bSTDIN\b|\$stdin\b/,
}

const perl: Language = {
  type: 'perl',
  interpreter: 'perl',
  comments: 'hash',
  definition: /^(#|use\s|no\s|package\s|sub\s|our\s|my\s|=\w|1;?$|__(END|DATA)__|[)\]}])/,
  entry: /@ARGV|\bSTDIN\b|<>/,
}

/** Node strips the types of a .ts file by itself, from version 22.18 on. */
const extensions: Readonly<Record<string, Language>> = {
  '.py': python,
  '.sh': shell,
  '.js': node,
  '.mjs': node,
  '.cjs': node,
  '.ts': node,
  '.rb': ruby,
  '.pl': perl,
}

export function languageOf(extension: string): Language | undefined {
  return Object.hasOwn(extensions, extension) ? extensions[extension] : undefined
}

/** The words of a first line `#!/usr/bin/env -S python3 -u`, without `env`: the interpreter and its arguments. */
export function shebangOf(text: string): readonly string[] {
  const [, line = ''] = /^#!\s*([^\r\n]*)/.exec(text) ?? []
  const words = line.trim().split(/\s+/).filter(Boolean)
  if (!/(^|\/)env$/.test(words[0] ?? '')) return words
  const rest = words.slice(1).filter((word) => word !== '-S')
  return rest.slice(rest.findIndex((word) => !word.includes('=')))
}

const interpreters: readonly (readonly [RegExp, Language])[] = [
  [/^python[\d.]*$/, python],
  [/^(bash|sh|dash|zsh|ksh)$/, shell],
  [/^(node|nodejs|bun|deno)$/, node],
  [/^ruby[\d.]*$/, ruby],
  [/^perl[\d.]*$/, perl],
]

/** The language of a script without a telling name, by its first line. */
export function languageOfShebang(words: readonly string[]): Language | undefined {
  const [program] = words
  if (program === undefined) return undefined
  const bare = program.replace(/^.*\//, '')
  const known = interpreters.find(([pattern]) => pattern.test(bare))?.[1]
  return known ? { ...known, interpreter: program } : { ...perl, type: 'other', interpreter: program }
}
