// Skills on disk for a test, and a manager of them.

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished, type TestContext } from 'vitest'
import { SkillManager, type SkillManagerOptions } from '../../src/doors/skill.ts'
import { findProgram } from '../../src/run/lookup.ts'
import { temporaryFolder } from './temporary.ts'

export interface SkillOnDisk {
  /** The folder that holds the skills. */
  readonly root: string
  /** The skill's own folder. */
  readonly base: string
}

/** Writes one skill. A file whose text begins with `#!` may be run. */
export function makeSkill(
  files: Readonly<Record<string, string>>,
  { name = 'pdf-extractor', head = '', body = 'Do it.', root = temporaryFolder() } = {},
): SkillOnDisk {
  const base = join(root, name)
  const text = `---\nname: ${name}\ndescription: Does things\n${head ? `${head}\n` : ''}---\n${body}\n`
  for (const [path, content] of Object.entries({ 'SKILL.md': text, ...files })) {
    const file = join(base, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    if (content.startsWith('#!')) chmodSync(file, 0o755)
  }
  return { root, base }
}

/** A manager that is closed when the test ends. */
export function openManager(skill: SkillOnDisk, options: SkillManagerOptions = {}): SkillManager {
  const manager = new SkillManager({ skills: [skill.root], workspace: temporaryFolder(), ...options })
  onTestFinished(() => manager.close())
  return manager
}

/** How long something takes at best: what else the machine does at the time has no say in that. The benchmarks have the rest. */
export async function quickestMs(rounds: number, measured: () => Promise<number>): Promise<number> {
  let quickest = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) quickest = Math.min(quickest, await measured())
  return quickest
}

export function quickestDetectionMs(skill: SkillOnDisk): Promise<number> {
  return quickestMs(20, async () => {
    const manager = openManager(skill)
    manager.listSkills()
    const started = performance.now()
    await manager.listScripts('pdf-extractor')
    return performance.now() - started
  })
}

/** The last entry of the manager's journal for each run, the newest first. */
export function lastEntries(manager: SkillManager) {
  return manager.journal.read({ phase: 'end' })
}

/** Skips the test with a reason where a program is missing, except in CI, where it must be there. */
export function needs(context: TestContext, ...programs: readonly string[]): void {
  const missing = programs.filter((name) => !findProgram(name, '/', process.env.PATH).ok)
  if (missing.length === 0) return
  if (process.env.CI) throw new Error(`CI must have ${missing.join(' and ')}.`)
  context.skip(`${missing.join(' and ')} is not installed`)
}
