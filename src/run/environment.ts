// What a child process sees of the host's environment: a short list of names, and nothing else unless the tool's owner says so.

const allowed = [
  'PATH',
  'HOME',
  'TMPDIR',
  'TZ',
  'TERM',
  'LANG',
  'LC_ALL',
  'LC_ADDRESS',
  'LC_COLLATE',
  'LC_CTYPE',
  'LC_IDENTIFICATION',
  'LC_MEASUREMENT',
  'LC_MESSAGES',
  'LC_MONETARY',
  'LC_NAME',
  'LC_NUMERIC',
  'LC_PAPER',
  'LC_TELEPHONE',
  'LC_TIME',
  // Without these nothing starts on Windows; they do not exist elsewhere.
  'SystemRoot',
  'ComSpec',
  'PATHEXT',
  'TEMP',
] as const

/** The allowed part of an environment with the owner's own variables on top. */
export function childEnvironment(
  source: NodeJS.ProcessEnv,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  // A shell at its first level reads the user's start-up files when its input is no terminal; at the second it does not.
  const environment: Record<string, string> = { SHLVL: '1' }
  for (const name of allowed) {
    const value = source[name]
    if (value !== undefined) environment[name] = value
  }
  return Object.assign(environment, extra)
}
