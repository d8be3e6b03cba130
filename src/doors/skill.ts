// The door `legwork/skill`: scripts bundled in Agent Skills, under the names of specification 004.

import { resolve } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { nearest } from '../base/text.ts'
import { Catalogue } from '../catalogue/catalogue.ts'
import { createEngine, type Engine } from '../engine/engine.ts'
import { OpenWork } from '../engine/open-work.ts'
import type { Journal } from '../journal/journal.ts'
import { lazyJournal } from '../journal/lazy.ts'
import { memoryJournal } from '../journal/memory.ts'
import type { Call } from '../model/call.ts'
import type { Approve } from '../model/decision.ts'
import type { Trust } from '../model/effects.ts'
import { LegworkError, LimitError } from '../model/errors.ts'
import type { Listener } from '../model/event.ts'
import { limitSpecs } from '../model/limits.ts'
import type { Outcome } from '../model/outcome.ts'
import type { ToolDefinition } from '../model/tool.ts'
import { createRedactor, looksSecret } from '../outcome/redact.ts'
import { makePolicy } from '../policy/policy.ts'
import type { PolicySettings } from '../policy/settings.ts'
import type { Confinement } from '../run/confinement.ts'
import { metadataOf, type ScriptMetadata, type SkillMetadata, scriptMetadata } from '../skill/described.ts'
import { type Detected, detectScripts, type Script, scriptAt } from '../skill/detect.ts'
import { discoverSkills, usualPlaces } from '../skill/discover.ts'
import { SkillNotFoundError } from '../skill/errors.ts'
import { type ScriptExecutionResult, settle } from '../skill/result.ts'
import type { SkillSettings } from '../skill/settings.ts'
import type { Skill } from '../skill/skill.ts'
import { scriptTool, skillTools } from '../skill/tools.ts'

export type { ScriptMetadata, SkillMetadata } from '../skill/described.ts'
export {
  ArgumentSerializationError,
  InterpreterNotFoundError,
  PathSecurityError,
  ScriptNotFoundError,
  ScriptNotStartedError,
  ScriptPermissionError,
  ScriptRefusedError,
  SkillError,
  SkillNotFoundError,
  ToolRestrictionError,
} from '../skill/errors.ts'
export { type ScriptExecutionResult, type ScriptToolResult, toolResult } from '../skill/result.ts'

export interface SkillManagerOptions {
  /** Folders that are skills or hold some. Default: the usual ones in the workspace and in the home folder. */
  readonly skills?: readonly (string | SkillFolder)[]
  /** Longest a script may run, in seconds: 1 to 600. Default 30. */
  readonly timeout?: number
  /** The folder that relative paths and files in arguments stand in. Default: the working directory. */
  readonly workspace?: string
  /** How far scripts are shut in. Default `auto`: fully, where bubblewrap works. */
  readonly confine?: Confinement
  /** Whether a script that is shut in may use the network. Default false. */
  readonly network?: boolean
  /** What a script that is shut in may do in the workspace. Default `write`. */
  readonly workspaceAccess?: 'write' | 'read'
  /** Variables that scripts get on top of the usual ones, and that arguments may set anew. Default none. */
  readonly env?: Readonly<Record<string, string>>
  /** What `allowed-tools` means: nothing else may be used, or these need no question. Default `enforce`. */
  readonly allowedTools?: 'enforce' | 'preapprove'
  /** Default: the usual settings. The skills count as the owner's own. */
  readonly policy?: PolicySettings
  /** Asks a person where the policy wants it. Default: nobody. */
  readonly approve?: Approve
}

export interface SkillFolder {
  readonly path: string
  /** Default `community`. */
  readonly trust?: Trust
}

export interface ExecuteOptions {
  /** Longest this run may take, in seconds: 1 to 600. Default: the manager's. */
  readonly timeout?: number
  /** Ends the run. */
  readonly signal?: AbortSignal
}

interface FoundSkill {
  readonly skill: Skill
  readonly settings: SkillSettings
  /** Its scripts, once they were wanted, for the skill's life. */
  opened?: Promise<{ readonly detected: Detected }>
}

/** Finds skills, gives their instructions and runs their scripts, with a small engine of its own and a journal in memory. */
export class SkillManager {
  /** Longest a script may run, in seconds. */
  readonly timeout: number
  /** Every run, refused ones included. In memory. */
  readonly journal: Journal
  readonly #options: SkillManagerOptions
  readonly #workspace: string
  readonly #catalogue = new Catalogue()
  readonly #engine: Engine
  readonly #work = new OpenWork('This SkillManager is closed. Make another.')
  #skills: Map<string, FoundSkill> | undefined
  #warnings: readonly string[] = []
  #calls = 0

  constructor(options: SkillManagerOptions = {}) {
    this.#options = options
    this.timeout = checkTimeout(options.timeout ?? 30)
    this.#workspace = resolve(options.workspace ?? '.')
    this.journal = lazyJournal(':memory:', memoryJournal)
    const values = Object.values(options.env ?? {}).filter((value) => looksSecret(value, () => false))
    this.#engine = createEngine({
      catalogue: this.#catalogue,
      policy: makePolicy(options.policy),
      journal: this.journal,
      redactor: createRedactor({ values }),
      clock: systemClock,
      approve: options.approve,
    })
  }

  /** Looks for skills. No script is opened. */
  async discover(): Promise<readonly SkillMetadata[]> {
    return this.listSkills()
  }

  /** The skills that were found; looks for them first, if nobody has. */
  listSkills(): readonly SkillMetadata[] {
    return [...(this.#skills ?? this.#find()).values()].map(({ skill }) => metadataOf(skill))
  }

  /** What was wrong in looking for skills. */
  get warnings(): readonly string[] {
    return this.#warnings
  }

  /** The scripts of a skill, detected when this is first asked. */
  async listScripts(name: string): Promise<readonly ScriptMetadata[]> {
    const { detected } = await this.#open(name)
    return detected.scripts.map(scriptMetadata)
  }

  /** The skill's instructions with the arguments filled in; its scripts are detected then. */
  async invokeSkill(name: string, given: unknown = ''): Promise<string> {
    const { skill } = await this.#open(name)
    const outcome = await this.#execute({ tool: aliasOf(skill), input: { arguments: given } })
    if (outcome.ok) return String(outcome.value)
    throw new LegworkError('execution-failed', outcome.message)
  }

  /**
   * Runs one script, by its name or by its path from the skill's folder. Gives a result for every run that started, and
   * throws one of the errors of this door for one that did not.
   */
  async executeSkillScript(
    name: string,
    script: string,
    given: unknown = {},
    { timeout, signal }: ExecuteOptions = {},
  ): Promise<ScriptExecutionResult> {
    const timeoutMs = Math.round(checkTimeout(timeout ?? this.timeout) * 1_000)
    const { skill, settings, detected } = await this.#open(name)
    const known = findScript(detected.scripts, script)
    const refused = detected.refused.find((path) => path.replace(/^(.*\/)?([^/]+?)(\.\w+)?$/, '$2') === script)
    const asked = known ?? scriptAt(skill, refused ?? script)
    const call = { input: given, timeoutMs, ...(signal && { signal }) }
    const outcome = known
      ? await this.#execute({ tool: aliasOf(skill, known), ...call })
      : await this.#executeOnce(scriptTool(skill, asked, settings), call)
    const settled = settle(outcome, skill, asked, limitSpecs.maxOutputBytes.max)
    if (settled.ok) return settled.result
    throw settled.error
  }

  /** Detects the scripts of a skill anew; without a name, looks for all skills anew. */
  async refresh(name?: string): Promise<void> {
    if (name === undefined) return this.#forget([...(this.#skills?.values() ?? [])])
    const found = this.#skill(name)
    await this.#forget([found])
    const { skill, settings } = found
    const [again] = discoverSkills([{ path: skill.base, settings, isNamed: true }]).skills
    if (again) this.#skills?.set(name, again)
    else this.#skills?.delete(name)
  }

  /** Tells the listener of every event of every run, `log` events included, until the returned function is called. */
  on(listener: Listener): () => void {
    return this.#engine.on(listener)
  }

  /** Waits for what runs, then lets go of everything. */
  async close(): Promise<void> {
    this.#work.shut()
    await this.#work.settled()
    await this.#catalogue.close()
    this.journal.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #find(): Map<string, FoundSkill> {
    const { skills = usualPlaces(this.#workspace) } = this.#options
    const places = skills.map((folder) => {
      const { path, trust } = typeof folder === 'string' ? { path: folder, trust: undefined } : folder
      const isNamed = this.#options.skills !== undefined
      return { path: resolve(this.#workspace, path), settings: this.#settings(trust), isNamed }
    })
    const { skills: found, warnings } = discoverSkills(places)
    this.#warnings = warnings
    this.#skills = new Map(found.map((one) => [one.skill.name, one]))
    return this.#skills
  }

  #settings(trust: Trust | undefined): SkillSettings {
    const { confine, network, workspaceAccess, env, allowedTools } = this.#options
    return {
      workspace: this.#workspace,
      ownersOwn: true,
      ...(trust && { trust }),
      ...(confine && { confine }),
      ...(network !== undefined && { network }),
      ...(workspaceAccess && { workspaceAccess }),
      ...(env && { env }),
      ...(allowedTools && { allowedTools }),
    }
  }

  #skill(name: string): FoundSkill {
    const skills = this.#skills ?? this.#find()
    const found = skills.get(name)
    if (!found) throw new SkillNotFoundError(name, nearest(name, skills.keys()))
    return found
  }

  /** The skill with its scripts, detected and in the catalogue from then on. */
  async #open(name: string): Promise<FoundSkill & { readonly detected: Detected }> {
    const found = this.#skill(name)
    found.opened ??= this.#add(found)
    return { ...found, ...(await found.opened) }
  }

  async #add({ skill, settings }: FoundSkill): Promise<{ readonly detected: Detected }> {
    const detected = detectScripts(skill)
    const [prompt, ...scripts] = skillTools({ ...skill, hasPrompt: true }, detected, settings)
    const tools = [
      ...(prompt ? [withAlias(prompt, aliasOf(skill))] : []),
      ...scripts.map((tool, at) => withAlias(tool, aliasOf(skill, detected.scripts[at]))),
    ]
    await this.#catalogue.add({ name: skill.name, load: () => ({ tools }) })
    return { detected }
  }

  async #forget(skills: readonly FoundSkill[]): Promise<void> {
    for (const { skill, opened } of skills) {
      if (opened) await this.#catalogue.remove(skill.name)
      this.#skills?.delete(skill.name)
    }
    if (this.#skills?.size === 0) this.#skills = undefined
  }

  /** A tool that is in the catalogue for one call. */
  async #executeOnce(definition: ToolDefinition, call: Omit<Call, 'tool'>): Promise<Outcome> {
    const alias = JSON.stringify(++this.#calls)
    const name = { ...definition.name, path: [...definition.name.path, alias], aliases: [alias] }
    await this.#catalogue.add({ name: alias, load: () => ({ tools: [{ ...definition, name }] }) })
    return this.#execute({ tool: alias, ...call }).finally(() => this.#catalogue.remove(alias))
  }

  async #execute(call: Call): Promise<Outcome> {
    return this.#work.begin(() => this.#engine.execute(call))
  }
}

/** What leads to a tool of the manager's, whatever its name became. */
function aliasOf({ name }: Skill, script?: Script): string {
  return JSON.stringify([name, script?.path ?? null])
}

function withAlias(definition: ToolDefinition, alias: string): ToolDefinition {
  return { ...definition, name: { ...definition.name, aliases: [alias] } }
}

function checkTimeout(seconds: number): number {
  if (!(seconds >= 1 && seconds <= 600)) throw new LimitError('timeout', seconds, 1, 600)
  return seconds
}

/** By its name, by its name with the folder before it, or by its path. */
function findScript(scripts: readonly Script[], wanted: string): Script | undefined {
  return (
    scripts.find(({ path }) => path === wanted) ??
    scripts.find(({ name }) => name.join('.') === wanted) ??
    scripts.find(({ path }) => path === `scripts/${wanted}`)
  )
}
