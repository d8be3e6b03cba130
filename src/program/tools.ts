// A program's commands as tools, one each.

import { isAbsolute, resolve } from 'node:path'
import { isObject } from '../base/json.ts'
import { durationMs, unknownEffects } from '../model/effect-faults.ts'
import { type Effects, effectsKnown, mayWrite, mergeEffects, type Trust } from '../model/effects.ts'
import { limitSpecs } from '../model/limits.ts'
import { anySchema, type Issue } from '../model/schema.ts'
import type { Planned, Ran, RunContext, ToolDefinition } from '../model/tool.ts'
import type { Confinement } from '../run/confinement.ts'
import type { ResourceLimits } from '../run/limits.ts'
import { runProcess } from '../run/process.ts'
import type { ConfinementProfile } from '../run/profile.ts'
import { ranFromProcess } from '../run/ran.ts'
import { type Arguments, buildArgv } from './argv.ts'
import { type CommandMapping, commandsOf, toolNameOf } from './commands.ts'
import type { AtipOption, AtipParameter, ProgramMetadata } from './metadata.ts'
import { deprecations, formatFaults } from './parameters.ts'
import { inputSchema, parametersOf } from './schema.ts'
import { type Shell, shellArgv } from './shell.ts'

export interface ProgramOptions {
  /** What is started. Default: the program's name, looked up on the path. */
  readonly command?: string
  /** Default: what the metadata says, else `inferred`. */
  readonly trust?: Trust
  /** How far it is shut in. Default `processes`. */
  readonly confine?: Confinement
  /** Variables it gets on top of the usual ones. Default none. */
  readonly env?: Readonly<Record<string, string>>
  /** Where it runs. */
  readonly workspace: string
  /** Bounds on its memory, processor time and processes. Default none. */
  readonly resources?: ResourceLimits
  /** Paths in the workspace that it must not see when it is shut in. Default none. */
  readonly hidden?: readonly string[]
  /** Files in the workspace that it must not change when it is shut in, such as the configuration. Default none. */
  readonly readOnly?: readonly string[]
  /** Whether the metadata is the owner's own work: then unknown effects need no question. Default false. */
  readonly ownersOwn?: boolean
  /** Whether arguments are taken as they are; what cannot be a command line is refused all the same. Default false. */
  readonly skipValidation?: boolean
  /** A shell that reads the command, though never an argument. Default none. */
  readonly shell?: Shell
}

/** Every command that can be run, the program itself included. */
export function programTools(metadata: ProgramMetadata, options: ProgramOptions): readonly ToolDefinition[] {
  return commandsOf(metadata).map((command) => {
    return programTool({ ...command, name: [command.toolName, ...command.path].join(' ') }, options)
  })
}

export function programTool(mapping: CommandMapping, options: ProgramOptions): ToolDefinition {
  const { tool, command } = mapping
  const isMisspelt = hasUnknownEffects(mapping)
  const said = declared(mapping.levels, isMisspelt)
  const answer = answerToPrompts(mapping, said)
  const { effects, isInferred: isAssumed } = withOmissions(answer ? answered(said) : said, tool)
  const isInferred = isAssumed || isMisspelt
  const timeout = effects.duration?.timeout === undefined ? undefined : durationMs(effects.duration.timeout)
  const description = command.description || tool.description
  return {
    name: toolNameOf(mapping),
    kind: 'program',
    description: command.deprecated ? `Deprecated. ${description}` : description,
    input: options.skipValidation ? anySchema : { type: 'json', schema: inputSchema(mapping), coerce: true },
    effects,
    trust: isInferred ? 'inferred' : (options.trust ?? tool.trust ?? 'inferred'),
    ...(options.ownersOwn && !isInferred && { ownersOwn: true }),
    ...(timeout !== undefined && { limits: { timeoutMs: Math.min(timeout, limitSpecs.timeoutMs.max) } }),
    fingerprint: () => JSON.stringify([options.command, options.shell, options.env, options.workspace]),
    plan: (input) => (isObject(input) ? plan(mapping, input, { answer, isMisspelt }, options) : notArguments),
    run: (input, context) => run(mapping, isObject(input) ? input : {}, context, effects, options),
  }
}

/** Validation lets nothing else through; without it anything may come. */
const notArguments: Planned = {
  ok: false,
  issues: [{ path: '', code: 'INVALID_TYPE', message: 'The arguments must be an object.' }],
}

/** The option that answers a program's questions in advance, where the metadata declares one and questions are all it asks. */
function answerToPrompts(mapping: CommandMapping, { interactive = {} }: Effects): AtipOption | undefined {
  const { prompts, tty, stdin } = interactive
  if (!prompts || tty || stdin === 'required' || stdin === 'password') return undefined
  const { options, globals } = parametersOf(mapping)
  const switches = [...options, ...globals].filter(({ type }) => type === 'boolean')
  for (const flag of ['--yes', '-y', '--force']) {
    const found = switches.find(({ flags }) => flags.includes(flag))
    if (found) return found
  }
  return undefined
}

/** What would have asked is answered without a person in front of it, so that a person is asked before it starts. */
function answered(effects: Effects): Effects {
  return { ...effects, destructive: true, interactive: { ...effects.interactive, prompts: false } }
}

/** In metadata that leaves things out, what nobody says of a command is what the metadata wants to be assumed. */
function withOmissions(effects: Effects, { partial, omitted }: ProgramMetadata) {
  if (partial !== true || effectsKnown(effects)) return { effects, isInferred: false }
  switch (omitted?.safetyAssumption) {
    case 'known-unsafe':
      return { effects: { ...effects, destructive: true }, isInferred: false }
    case 'known-safe':
    case 'same-as-included':
      return { effects, isInferred: false }
    default:
      return { effects, isInferred: true }
  }
}

function plan(
  mapping: CommandMapping,
  given: Arguments,
  { answer, isMisspelt }: { readonly answer: AtipOption | undefined; readonly isMisspelt: boolean },
  { command = mapping.toolName, workspace, shell }: ProgramOptions,
): Planned {
  const args = answer ? { ...given, [answer.name]: true } : given
  const built = buildArgv(mapping, args)
  if (!built.ok) return built
  const { positionals, options, globals } = parametersOf(mapping)
  const parameters = [...positionals, ...options, ...globals]
  const issues = parameters.flatMap((parameter) => formatFaults(parameter, args[parameter.name])) as Issue[]
  if (issues.length) return { ok: false, issues }
  const paths = parameters.flatMap((parameter) => pathsIn(parameter, args)).map((path) => resolve(workspace, path))
  const added = built.given.flatMap((option) => option.effects ?? [])
  const program = located(command, workspace)
  return {
    ok: true,
    plan: {
      argv: shell ? shellArgv(shell, command, built.words) : [program, ...built.words],
      command: [mapping.toolName, ...built.commandWords],
      ...(added.length && { effects: declared(added, isMisspelt) }),
      ...(paths.length && { paths }),
    },
  }
}

/** Whether something is said under the effects that nobody understands, be it of one option alone. */
function hasUnknownEffects(mapping: CommandMapping): boolean {
  const { options, globals } = parametersOf(mapping)
  const levels = [...mapping.levels, ...[...options, ...globals].flatMap(({ effects }) => effects ?? [])]
  return levels.some((level) => unknownEffects(level, '').length > 0)
}

/**
 * Metadata says what a program touches; that it touches nothing at all follows from that, and is not taken on its word. Where
 * something is misspelt, it may be what makes the command destructive: that it is not is then not known.
 */
function declared(levels: readonly Effects[], isMisspelt: boolean): Effects {
  const { readOnly: _, ...effects } = mergeEffects(...levels)
  if (!isMisspelt || effects.destructive) return effects
  const { destructive: __, ...others } = effects
  return others
}

function pathsIn({ name, type }: AtipParameter, args: Arguments): string[] {
  if (type !== 'file' && type !== 'directory') return []
  return [args[name] ?? []].flat().map(String)
}

async function run(
  mapping: CommandMapping,
  args: Arguments,
  { plan, signal, limits, output }: RunContext,
  effects: Effects,
  options: ProgramOptions,
): Promise<Ran> {
  const result = await runProcess({
    argv: plan?.argv ?? [],
    cwd: options.workspace,
    env: options.env ?? {},
    maxOutputBytes: limits.maxOutputBytes,
    signal,
    confine: options.confine ?? 'processes',
    profile: profileOf(plan?.effects ? mergeEffects(effects, plan.effects) : effects, options),
    onOutput: output,
  })
  const ran = ranFromProcess(result)
  const warnings = deprecations(mapping, args).map(({ message }) => message)
  return warnings.length ? { ...ran, warnings: [...(ran.warnings ?? []), ...warnings] } : ran
}

/** What a program says it needs is what it gets, where it is shut in: the workspace to write to, the network. */
function profileOf(effects: Effects, options: ProgramOptions): ConfinementProfile {
  const { workspace, hidden = [], readOnly = [], resources } = options
  const place = mayWrite(effects) ? { writable: [workspace], readable: readOnly } : { readable: [workspace] }
  const limits = resources && { limits: resources }
  return { ...place, workspace, hidden, network: effects.network === true, ...limits }
}

/** A command with a folder in it stands relative to the workspace; a bare name is looked up on the path. */
function located(program: string, workspace: string): string {
  return program.includes('/') && !isAbsolute(program) ? resolve(workspace, program) : program
}
