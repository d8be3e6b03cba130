// A skill's tools: one for each script, and one for its instructions where it has some.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Effects } from '../model/effects.ts'
import type { Schema } from '../model/schema.ts'
import type { Planned, ToolDefinition } from '../model/tool.ts'
import { preapproves } from './allowed-tools.ts'
import { declaredSchema } from './declared.ts'
import { type Detected, detectScripts, type Script } from './detect.ts'
import { promptOf } from './prompt.ts'
import { resolveScript } from './resolve-script.ts'
import { plannedWords, type RunnableScript, runScript } from './run-script.ts'
import { type ReadInput, readInput } from './script-input.ts'
import type { SkillSettings } from './settings.ts'
import type { Skill } from './skill.ts'

const mebibyte = 1_048_576
const changesNothing: Effects = { destructive: false, network: false, filesystem: { write: false } }

export function skillTools(skill: Skill, detected: Detected, settings: SkillSettings): readonly ToolDefinition[] {
  const scripts = detected.scripts.map((script) => scriptTool(skill, script, settings))
  return skill.hasPrompt ? [promptTool(skill, detected), ...scripts] : scripts
}

/** Reads, and is never asked about. */
function promptTool(skill: Skill, detected: Detected): ToolDefinition {
  return {
    name: { path: [toolNameOf(skill)] },
    kind: 'skill',
    description: skill.description,
    input: { type: 'json', schema: promptSchema },
    effects: changesNothing,
    trust: 'org',
    ownersOwn: true,
    labels: { skill: skill.name },
    run: async (input) => {
      const { text, warnings } = promptOf(skill, input, detected)
      return { ok: true, value: text, warnings }
    },
  }
}

const promptSchema = {
  type: 'object',
  properties: { arguments: { description: 'What the instructions are to be applied to, in words.' } },
  additionalProperties: true,
}

export type CallableScript = RunnableScript & Pick<Script, 'name' | 'description' | 'declared'>

export function scriptTool(skill: Skill, script: CallableScript, settings: SkillSettings): ToolDefinition {
  const read = (input: unknown): ReadInput => {
    const { env = {}, settable = [], workspace } = settings
    const names = [...Object.keys(env), ...settable]
    return readInput(input, { declared: script.declared, settable: names, workspace, skillFolder: skill.realBase })
  }
  const isPreapproved =
    settings.allowedTools === 'preapprove' && preapproves(skill.allowedTools, [...script.interpreter, script.path])
  return {
    name: { module: toolNameOf(skill), path: script.name },
    kind: 'skill',
    description: script.description,
    input: script.declared ? { type: 'json', schema: declaredSchema(script.declared), coerce: true } : freeForm,
    effects: {},
    trust: settings.trust ?? 'community',
    ...((settings.ownersOwn || isPreapproved) && { ownersOwn: true }),
    limits: { maxOutputBytes: 10 * mebibyte },
    labels: { skill: skill.name, script: script.path },
    fingerprint: () => textOf(skill, script),
    plan: (input) => plan(skill, script, read(input)),
    run: async (input, context) => {
      const given = read(input)
      if (!given.ok)
        return { ok: false, code: 'invalid-input', message: 'The input does not fit.', issues: given.issues }
      return runScript(skill, script, given.input, context, settings)
    },
  }
}

/** Anything fits, lists and text included; to a model it is an object that may have any key. */
const freeForm: Schema = {
  type: 'json',
  schema: {
    description:
      'Named parameters of any name, as the instructions of the skill have them: the script reads them as JSON on its standard input. For words on its command line write {"args": ["--all", "file.txt"]} and nothing else.',
    additionalProperties: true,
  },
}

/** What the file holds now, and what runs it. */
function textOf({ realBase }: Skill, { path, interpreter }: CallableScript): string {
  const file = join(realBase, path)
  return JSON.stringify([interpreter, existsSync(file) && readFileSync(file).toString('base64')])
}

function plan(skill: Skill, script: CallableScript, read: ReadInput): Planned {
  if (!read.ok) return read
  const missing = existsSync(join(skill.realBase, script.path)) ? undefined : resolveScript(skill, script.path)
  if (missing && !missing.ok && missing.code === 'not-runnable') {
    return { ok: false, issues: [{ path: '', code: 'INVALID_VALUE', message: missing.message }], refusal: missing }
  }
  const { words, paths } = read.input
  const path = `${skill.base}/${script.path}`
  return { ok: true, plan: { argv: [...plannedWords(script, path), ...words], ...(paths.length && { paths }) } }
}

/** Letters, digits and what commonly stands between them: nothing in a skill's name may look like a rule's. */
export function toolNameOf({ name }: Skill): string {
  return name.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|[-.]+$/g, '') || 'skill'
}

export function loadSkill(
  skill: Skill,
  settings: SkillSettings,
): { tools: readonly ToolDefinition[]; detected: Detected } {
  const detected = detectScripts(skill)
  return { tools: skillTools(skill, detected, settings), detected }
}
