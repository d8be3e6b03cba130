// A shell for programs whose owner wants one. It reads the owner's own text; whatever a model wrote reaches it as `"$@"`,
// which no shell expands.

/** True for `/bin/sh`, or the path of another shell that knows `-c`. */
export type Shell = boolean | string

export function shellArgv(which: Shell, command: string, words: readonly string[]): readonly string[] {
  const program = typeof which === 'string' ? which : '/bin/sh'
  return [program, '-c', `${command} "$@"`, program, ...words]
}
