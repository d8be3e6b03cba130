// A program's commands as tools, one each.

import { isAbsolute, resolve } from 'node:path'
import { type Effects, mayWrite, mergeEffects, type Trust } from '../model/effects.ts'
import type { JsonSchema } from '../model/schema.ts'
import type { Planned, Ran, RunContext, ToolDefinition } from '../model/tool.ts'
import type { Confinement } from '../run/confinement.ts'
import { runProcess } from '../run/process.ts'
import type { ConfinementProfile } from '../run/profile.ts'
import { ranFromProcess } from '../run/ran.ts'
import { buildArgv } from './argv.ts'
import type { ProgramArgument, ProgramCommand, ProgramMetadata } from './metadata.ts'

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
  /** Paths in the workspace that it must not see when it is shut in. Default none. */
  readonly hidden?: readonly string[]
}

/** Every command that can be run, the program itself included. */
export function programTools(metadata: ProgramMetadata, options: ProgramOptions): readonly ToolDefinition[] {
  const tools: ToolDefinition[] = []
  const visit = (commands: ProgramMetadata['commands'], path: readonly string[], above: readonly Effects[]) => {
    for (const [word, command] of Object.entries(commands)) {
      const words = word === '' ? path : [...path, word]
      const effects = command.effects ? [...above, command.effects] : above
      const isGroup = command.commands && !command.arguments && !command.options
      if (!isGroup) tools.push(programTool(metadata, words, command, effects, options))
      if (command.commands) visit(command.commands, words, effects)
    }
  }
  visit(metadata.commands, [], metadata.effects ? [metadata.effects] : [])
  return tools
}

function programTool(
  metadata: ProgramMetadata,
  words: readonly string[],
  command: ProgramCommand,
  levels: readonly Effects[],
  options: ProgramOptions,
): ToolDefinition {
  const effects = mergeEffects(...levels)
  return {
    name: words.length ? { module: metadata.name, path: words } : { path: [metadata.name] },
    kind: 'program',
    description: command.description || metadata.description,
    input: { type: 'json', schema: inputSchema(command), coerce: true },
    effects,
    trust: options.trust ?? metadata.trust ?? 'inferred',
    plan: (input) => plan(metadata, words, command, input as Record<string, unknown>, options),
    run: (_input, context) => run(context, effects, options),
  }
}

function plan(
  metadata: ProgramMetadata,
  words: readonly string[],
  command: ProgramCommand,
  input: Readonly<Record<string, unknown>>,
  { command: program = metadata.name, workspace }: ProgramOptions,
): Planned {
  const built = buildArgv([located(program, workspace), ...words], command, input, metadata.endOfOptions)
  if (!built.ok) return built
  const named = (command.arguments ?? []).filter(({ type }) => type === 'file' || type === 'directory')
  const paths = named.flatMap(({ name }) => input[name] ?? []).map((path) => resolve(workspace, String(path)))
  const added = built.given.flatMap((option) => option.effects ?? [])
  const bare = [metadata.name, ...built.argv.slice(1)]
  return {
    ok: true,
    plan: {
      argv: built.argv,
      command: bare,
      ...(added.length && { effects: mergeEffects(...added) }),
      ...(paths.length && { paths }),
    },
  }
}

async function run(context: RunContext, effects: Effects, options: ProgramOptions): Promise<Ran> {
  const { plan, signal, limits, output } = context
  const result = await runProcess({
    argv: plan?.argv ?? [],
    cwd: options.workspace,
    env: options.env ?? {},
    maxOutputBytes: limits.maxOutputBytes,
    signal,
    confine: options.confine ?? 'processes',
    profile: profileOf(mergeEffects(effects, plan?.effects), options),
    onOutput: output,
  })
  return ranFromProcess(result)
}

/** What a program says it needs is what it gets, where it is shut in: the workspace to write to, the network. */
function profileOf(effects: Effects, { workspace, hidden = [] }: ProgramOptions): ConfinementProfile {
  const place = mayWrite(effects) ? { writable: [workspace] } : { readable: [workspace] }
  return { ...place, workspace, hidden, network: effects.network === true }
}

/** A command with a folder in it stands relative to the workspace; a bare name is looked up on the path. */
function located(program: string, workspace: string): string {
  return program.includes('/') && !isAbsolute(program) ? resolve(workspace, program) : program
}

function inputSchema(command: ProgramCommand): JsonSchema {
  const required = [
    ...(command.arguments ?? []).filter((argument) => argument.required !== false),
    ...(command.options ?? []).filter((option) => option.required === true),
  ]
  const parameters = [...(command.arguments ?? []), ...(command.options ?? [])]
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map((parameter) => [parameter.name, parameterSchema(parameter)])),
    ...(required.length && { required: required.map(({ name }) => name) }),
  }
}

const jsonTypes = { integer: 'integer', number: 'number', boolean: 'boolean' } as const

function parameterSchema({ type, description, enum: values, variadic }: ProgramArgument): JsonSchema {
  const plain = type in jsonTypes ? jsonTypes[type as keyof typeof jsonTypes] : 'string'
  const item = values ? { enum: values } : { type: plain }
  if (variadic || type === 'array') return { type: 'array', items: item, description }
  return { ...item, description }
}
