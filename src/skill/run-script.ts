// Runs one script of a skill: what may not run is refused, what runs it is looked up, and the process is started with the
// skill's folder as its working directory.

import { readFileSync } from 'node:fs'
import type { Ran, RunContext } from '../model/tool.ts'
import { findProgram } from '../run/lookup.ts'
import { type ProcessResult, runProcess } from '../run/process.ts'
import type { ConfinementProfile } from '../run/profile.ts'
import { ranFromProcess } from '../run/ran.ts'
import { allowsScripts } from './allowed-tools.ts'
import type { Script } from './detect.ts'
import { missingDependency } from './missing-dependency.ts'
import { type ResolvedScript, resolveScript } from './resolve-script.ts'
import type { ScriptInput } from './script-input.ts'
import type { SkillSettings } from './settings.ts'
import type { Skill } from './skill.ts'
import { freshMs, isFresh, watchStart } from './start-watch.ts'

export type RunnableScript = Pick<Script, 'path' | 'type' | 'interpreter' | 'shebang' | 'hasInlineMetadata'>

export async function runScript(
  skill: Skill,
  script: RunnableScript,
  input: ScriptInput,
  context: RunContext,
  settings: SkillSettings,
): Promise<Ran> {
  const { allowedTools = [] } = skill
  if (settings.allowedTools !== 'preapprove' && !allowsScripts(skill.allowedTools)) {
    const message = `Tool 'Bash' not allowed for skill '${skill.name}', so its scripts do not run. Its allowed tools: ${allowedTools.join(', ')}.`
    return { ok: false, code: 'denied', reason: 'tool-restriction', message }
  }
  const resolved = await resolveSteady(skill, script.path)
  if (!resolved.ok) return resolved
  const command = commandFor(script, resolved.path)
  if (!command.ok) return command.ran

  const watch = watchStart(skill.realBase, resolved.path, context.signal)
  if (!isStill(resolved.path, skill, script.path)) {
    watch.stop()
    return exchanged(script.path)
  }
  const cwd = input.cwd === 'workspace' ? settings.workspace : skill.base
  const result = await runProcess({
    argv: [...command.words, ...input.words],
    cwd,
    env: environmentOf(skill, input, settings),
    stdin: input.stdin,
    maxOutputBytes: context.limits.maxOutputBytes,
    signal: watch.signal,
    confine: settings.confine ?? 'auto',
    profile: profileOf(skill, settings),
    onOutput: context.output,
  })
  return watch.stop() ? exchanged(script.path) : finished(result, script, context)
}

/** A file that was put there a moment ago gets a moment to rest: else a second change could not be told from the first. */
async function resolveSteady(skill: Skill, path: string): Promise<ResolvedScript> {
  const resolved = resolveScript(skill, path)
  if (!resolved.ok || !isFresh(resolved.path)) return resolved
  await new Promise((rested) => setTimeout(rested, freshMs))
  const again = resolveScript(skill, path)
  return again.ok && isFresh(again.path) ? exchanged(path) : again
}

/** Whether what is watched now is what was checked: it may have been exchanged before the watch began. */
function isStill(real: string, skill: Skill, path: string): boolean {
  const again = resolveScript(skill, path)
  return again.ok && again.path === real && !isFresh(real)
}

function exchanged(path: string): Extract<ResolvedScript, { readonly code: 'denied' }> {
  const message = `The script ${JSON.stringify(path)} was exchanged for another file while it was started. Run it again when nobody changes it.`
  return { ok: false, code: 'denied', reason: 'path-security', message }
}

type Command = { readonly ok: true; readonly words: readonly string[] } | { readonly ok: false; readonly ran: Ran }

/** The interpreter by the file's name; where that is missing, the one that the script's first line names. */
function commandFor({ interpreter, shebang, hasInlineMetadata }: RunnableScript, path: string): Command {
  if (hasInlineMetadata && isThere('uv')) return { ok: true, words: ['uv', 'run', '--quiet', '--script', path] }
  for (const words of [interpreter, shebang]) {
    const [program] = words
    if (program !== undefined && isThere(program)) return { ok: true, words: [...words, path] }
  }
  if (interpreter[0] === undefined) return { ok: false, ran: noScript(path) }
  const message = `The interpreter "${interpreter[0]}" for "${path}" was not found on the PATH. Install it.`
  return { ok: false, ran: { ok: false, code: 'not-runnable', reason: 'interpreter-not-found', message } }
}

function noScript(path: string): Ran {
  const message = `"${path}" is no script: its name does not tell what runs it, and it does not begin with "#!".`
  return { ok: false, code: 'not-runnable', reason: 'not-executable', message }
}

function isThere(program: string): boolean {
  return findProgram(program, '/', process.env.PATH).ok
}

/** What is shown before the script runs; what then runs is the same with links resolved. */
export function plannedWords({ interpreter, hasInlineMetadata }: RunnableScript, path: string): readonly string[] {
  return hasInlineMetadata && isThere('uv') ? ['uv', 'run', '--quiet', '--script', path] : [...interpreter, path]
}

let version: string | undefined

function environmentOf(skill: Skill, input: ScriptInput, settings: SkillSettings): Record<string, string> {
  version ??= String(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version)
  return {
    ...settings.env,
    ...input.env,
    PYTHONPATH: skill.base,
    SKILL_NAME: skill.name,
    SKILL_BASE_DIR: skill.base,
    SKILL_VERSION: skill.version,
    SKILLKIT_VERSION: version,
  }
}

function profileOf(skill: Skill, settings: SkillSettings): ConfinementProfile {
  const { workspace, workspaceAccess = 'write', hidden = [], readOnly = [], network = false, resources } = settings
  const place =
    workspaceAccess === 'read'
      ? { readable: [skill.base, workspace] }
      : { readable: [skill.base, ...readOnly], writable: [workspace] }
  return { ...place, workspace, hidden, network, ...(resources && { limits: resources }) }
}

/** The report shows the command as it was decided on. */
function finished(result: ProcessResult, script: RunnableScript, { plan }: RunContext): Ran {
  const ran = ranFromProcess(result)
  const process = ran.process && plan?.argv ? { ...ran.process, argv: plan.argv } : ran.process
  const missing = ran.ok || !process ? undefined : missingDependency(process, script.type)
  if (missing !== undefined) {
    const { warnings } = ran
    return {
      ok: false,
      code: 'not-runnable',
      reason: 'dependency-missing',
      message: missing,
      ...(process && { process }),
      ...(warnings && { warnings }),
    }
  }
  return process ? { ...ran, process } : ran
}
