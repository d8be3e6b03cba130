// Misuse of the library, as exceptions. A tool that fails is never one of these: it is an Outcome.

/** Stable, so that a program may branch on them. */
export type ErrorCode =
  | 'invalid-configuration'
  | 'invalid-limit'
  | 'invalid-name'
  | 'invalid-rule'
  | 'invalid-tool'
  | 'invalid-call'
  | 'invalid-pattern'
  | 'duplicate-tool'
  | 'duplicate-source'
  | 'unknown-source'
  | 'journal-unavailable'
  | 'confinement-unavailable'
  | 'node-too-old'
  | 'closed'
  | 'unknown-provider'
  | 'invalid-reply'
  | 'unknown-command'
  | 'invalid-arguments'
  | 'policy-violation'
  | 'confirmation-required'
  | 'insufficient-trust'
  | 'execution-failed'
  | 'timed-out'
  | 'interactive-not-supported'
  | 'cost-exceeded'
  | 'path-security'
  | 'script-permission'
  | 'tool-restriction'
  | 'interpreter-not-found'
  | 'argument-serialization'
  | 'unknown-skill'
  | 'unknown-script'
  | 'invalid-state'
  | 'unknown-block'
  | 'invalid-document'
  | 'invalid-options'
  | 'unusable-file'

export class LegworkError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}

export class LimitError extends LegworkError {
  readonly limit: string
  readonly value: number

  constructor(limit: string, value: number, min: number, max: number) {
    super('invalid-limit', `The limit "${limit}" is ${value}; it must be a whole number from ${min} to ${max}.`)
    this.limit = limit
    this.value = value
  }
}

export class NameError extends LegworkError {
  readonly given: string
  readonly suggestion: string

  constructor(given: string, suggestion: string) {
    super(
      'invalid-name',
      `The tool name "${given}" is not "module:function" with both parts JavaScript identifiers. Write "${suggestion}".`,
    )
    this.given = given
    this.suggestion = suggestion
  }
}

/** A tool that was there first, and the spelling of it that another wants. */
export interface TakenSpelling {
  readonly id: string
  readonly source: string
  readonly spelling: string
}

export class DuplicateToolError extends LegworkError {
  readonly id: string

  constructor(id: string, source: string, other: TakenSpelling) {
    const what =
      other.id === id
        ? `The tool "${id}" of "${source}" is already given by "${other.source}".`
        : `The tools "${id}" of "${source}" and "${other.id}" of "${other.source}" would both be called "${other.spelling}".`
    super('duplicate-tool', `${what} Rename one of them.`)
    this.id = id
  }
}

export class RuleError extends LegworkError {
  readonly rule: string

  constructor(rule: string, message: string) {
    super('invalid-rule', message)
    this.rule = rule
  }
}

export class JournalError extends LegworkError {
  readonly path: string

  constructor(path: string, message: string, options?: ErrorOptions) {
    super('journal-unavailable', message, options)
    this.path = path
  }
}

/** One fault of a configuration file, with the place it stands at. */
export interface ConfigurationFault {
  /** Such as `programs.gh.trust`. */
  readonly path: string
  readonly message: string
  readonly line?: number
  readonly column?: number
  readonly frame?: string
}

/** All the faults of a configuration at once. */
export class ConfigurationError extends LegworkError {
  readonly file: string | undefined
  readonly faults: readonly ConfigurationFault[]

  constructor(file: string | undefined, faults: readonly ConfigurationFault[]) {
    const where = file ?? 'the options'
    super('invalid-configuration', faults.map((fault) => describeFault(where, fault)).join('\n\n'))
    this.file = file
    this.faults = faults
  }
}

function describeFault(where: string, { message, line, column, frame }: ConfigurationFault): string {
  const place = line === undefined ? where : `${where}:${line}:${column ?? 1}`
  return frame ? `${place}\n${message}\n${frame}` : `${place}: ${message}`
}
