// The errors of the door to skills: what stops a script before it starts. A script that fails is a result, not an error.

import { didYouMean } from '../base/text.ts'
import { type ErrorCode, LegworkError } from '../model/errors.ts'
import type { NotRunnableReason } from '../model/outcome.ts'
import type { Issue } from '../model/schema.ts'

/** What all of them are. */
export class SkillError extends LegworkError {
  readonly skill: string
  /** The script as it was asked for; empty where the skill itself is at fault. */
  readonly script: string

  constructor(code: ErrorCode, skill: string, script: string, message: string) {
    super(code, message)
    this.skill = skill
    this.script = script
  }
}

export class SkillNotFoundError extends SkillError {
  constructor(skill: string, near: readonly string[]) {
    super('unknown-skill', skill, '', `There is no skill "${skill}".${didYouMean(near)}`)
  }
}

export class ScriptNotFoundError extends SkillError {
  constructor(skill: string, script: string, message: string) {
    super('unknown-script', skill, script, message)
  }
}

/** The script is not inside its skill. */
export class PathSecurityError extends SkillError {
  constructor(skill: string, script: string, message: string) {
    super('path-security', skill, script, message)
  }
}

/** The file has rights, or is of a kind, that no script may have. */
export class ScriptPermissionError extends SkillError {
  constructor(skill: string, script: string, message: string) {
    super('script-permission', skill, script, message)
  }
}

/** The skill's own `allowed-tools` say no. */
export class ToolRestrictionError extends SkillError {
  readonly allowedTools: readonly string[]

  constructor(skill: string, script: string, message: string, allowedTools: readonly string[]) {
    super('tool-restriction', skill, script, message)
    this.allowedTools = allowedTools
  }
}

/** What runs the script is not on the path. */
export class InterpreterNotFoundError extends SkillError {
  readonly interpreter: string

  constructor(skill: string, script: string, message: string, interpreter: string) {
    super('interpreter-not-found', skill, script, message)
    this.interpreter = interpreter
  }
}

/** The arguments are no JSON, or not what the script says that it takes. */
export class ArgumentSerializationError extends SkillError {
  readonly issues: readonly Issue[]

  constructor(skill: string, script: string, issues: readonly Issue[]) {
    const faults = issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join(' ')
    super('argument-serialization', skill, script, `The arguments of "${script}" cannot be passed on. ${faults}`)
    this.issues = issues
  }
}

/** The policy or a person says no, or nobody was there to ask. */
export class ScriptRefusedError extends SkillError {
  constructor(skill: string, script: string, message: string, code: 'policy-violation' | 'confirmation-required') {
    super(code, skill, script, message)
  }
}

/** It could not be started, for the reason given. */
export class ScriptNotStartedError extends SkillError {
  readonly reason: NotRunnableReason | 'cancelled' | 'too-busy'

  constructor(skill: string, script: string, message: string, reason: ScriptNotStartedError['reason']) {
    super('execution-failed', skill, script, message)
    this.reason = reason
  }
}
