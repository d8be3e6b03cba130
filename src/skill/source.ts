// Gives skills to the catalogue. Looking for them waits until a name is not found or a list is wanted; the scripts of each
// wait until one of its own names is.

import type { Source } from '../model/tool.ts'
import { discoverSkills, missingPlaces, type SkillPlace } from './discover.ts'
import type { SkillSettings } from './settings.ts'
import type { Skill } from './skill.ts'
import { loadSkill, toolNameOf } from './tools.ts'

/** All skills of all places. */
export function skillsSource(places: readonly SkillPlace<SkillSettings>[]): Source {
  const load = () => {
    const { skills, warnings } = discoverSkills(places)
    return { tools: [], sources: skills.map(({ skill, settings }) => skillSource(skill, settings)), warnings }
  }
  return { name: 'skills', lazy: true, load, warnings: missingPlaces(places) }
}

/** One skill. */
export function skillSource(skill: Skill, settings: SkillSettings): Source {
  const load = () => {
    const { tools, detected } = loadSkill(skill, settings)
    return { tools, warnings: [...skill.warnings, ...detected.warnings] }
  }
  return { name: `skill ${skill.name}`, lazy: true, mayHave: mayHave(skill), load }
}

/** Whether a spelling may be one of the skill's: every one of them has the letters of its name in it, or most of them. */
function mayHave(skill: Skill): (spelling: string) => boolean {
  const letters = plain(toolNameOf(skill)).slice(0, 24)
  return (spelling) => letters === '' || plain(spelling).includes(letters)
}

/** Letters beyond the alphabet are spelt by their numbers, so such a name rules nothing out. */
function plain(text: string): string {
  return /[^\x00-\x7f]/.test(text) ? '' : text.toLowerCase().replace(/[^a-z0-9]/g, '')
}
