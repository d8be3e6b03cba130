// `allowed-tools` of a SKILL.md: separated by commas or spaces, or a YAML list; an entry may say more in brackets, such as
// `Bash(git:*)`.

/** The entries; nothing where the field is missing or empty, which restricts nothing. */
export function readAllowedTools(field: unknown): readonly string[] | undefined {
  const texts = Array.isArray(field) ? field.map(String) : typeof field === 'string' ? [field] : []
  const entries = texts.flatMap((text) => text.match(/[^\s,()]+(?:\([^)]*\))?/g) ?? [])
  return entries.length ? entries : undefined
}

/** Whether scripts may run at all: some entry speaks of `Bash`. */
export function allowsScripts(entries: readonly string[] | undefined): boolean {
  return entries === undefined || entries.some((entry) => /^Bash(\(|$)/.test(entry))
}

/** Whether a command is allowed in advance: by `Bash` for all commands, or by `Bash(words:*)` for those that begin so. */
export function preapproves(entries: readonly string[] | undefined, command: readonly string[]): boolean {
  return (entries ?? []).some((entry) => {
    const [, inside] = /^Bash(?:\((.*)\))?$/.exec(entry) ?? [undefined, undefined]
    if (entry === 'Bash' || inside === '*') return true
    if (inside === undefined) return false
    const words = inside.replace(/:\*$/, '').split(/\s+/).filter(Boolean)
    const isPrefix = inside.endsWith(':*')
    return words.every((word, at) => command[at] === word) && (isPrefix || words.length === command.length)
  })
}
