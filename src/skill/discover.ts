// Finds skills below folders: every folder with a SKILL.md, a few levels deep. No script is opened.

import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { readSkill, type Skill } from './skill.ts'

/** A folder to look in, with what its owner says of the skills in it. */
export interface SkillPlace<Settings> {
  readonly path: string
  readonly settings: Settings
  /** Whether its owner named it: then it is a fault when it has no skill. */
  readonly isNamed: boolean
}

export interface Discovered<Settings> {
  readonly skills: readonly { readonly skill: Skill; readonly settings: Settings }[]
  readonly warnings: readonly string[]
}

const usualFolders = ['.claude/skills', '.agents/skills', 'skills']
const maxDepth = 3

/** Where skills usually are: in the project first, then in the home folder. */
export function usualPlaces(workspace: string, home = homedir()): readonly string[] {
  return [workspace, home].flatMap((folder) => usualFolders.map((name) => resolve(folder, name)))
}

/** Of two skills of one name the first wins, with a warning. */
export function discoverSkills<Settings>(places: readonly SkillPlace<Settings>[]): Discovered<Settings> {
  const found = new Map<string, { skill: Skill; settings: Settings }>()
  const seen = new Set<string>()
  const warnings: string[] = []
  for (const { path, settings, isNamed } of places) {
    const isNew = !seen.has(realOf(path) ?? '')
    const folders = skillsBelow(path, seen, 0)
    if (isNamed && isNew && folders.length === 0) warnings.push(noSkills(path))
    for (const skill of folders) {
      const first = found.get(skill.name)
      if (first) warnings.push(`There are two skills "${skill.name}": ${first.skill.base} wins over ${skill.base}.`)
      else found.set(skill.name, { skill, settings })
    }
  }
  return { skills: [...found.values()], warnings }
}

/** What is known without looking into any folder: those that were named and are not there. */
export function missingPlaces(places: readonly Pick<SkillPlace<unknown>, 'path' | 'isNamed'>[]): readonly string[] {
  return places.filter(({ path, isNamed }) => isNamed && realOf(path) === undefined).map(({ path }) => noSkills(path))
}

/** A skill's own folders are not looked into: what is in them belongs to it. */
function skillsBelow(folder: string, seen: Set<string>, depth: number): readonly Skill[] {
  const real = realOf(folder)
  if (real === undefined || seen.has(real)) return []
  seen.add(real)
  const skill = readSkill(folder, real)
  if (skill) return [skill]
  if (depth >= maxDepth) return []
  return entriesOf(folder).flatMap((entry) => {
    if (!isFolder(entry, folder)) return []
    return skillsBelow(join(folder, entry.name), seen, depth + 1)
  })
}

function isFolder(entry: Dirent, folder: string): boolean {
  if (entry.name.startsWith('.') || entry.name === 'node_modules') return false
  if (entry.isDirectory()) return true
  if (!entry.isSymbolicLink()) return false
  try {
    return statSync(join(folder, entry.name)).isDirectory()
  } catch {
    return false
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}

function noSkills(path: string): string {
  return realOf(path) === undefined
    ? `The folder "${path}" of skills does not exist. Create it, or correct the path.`
    : `There is no skill in "${path}". A skill is a folder with a SKILL.md in it.`
}
