// What `legwork doctor` says of skills: each checked strictly, with what it brings.

import { count } from '../../base/text.ts'
import type { LoadedConfiguration } from '../../configuration/load.ts'
import { checkSkill } from '../../skill/check-skill.ts'
import { detectScripts } from '../../skill/detect.ts'
import { discoverSkills } from '../../skill/discover.ts'
import type { Skill } from '../../skill/skill.ts'
import { skillPlaces } from '../../sources.ts'
import { type Finding, fault, found } from './finding.ts'

export function configuredSkills(loaded: LoadedConfiguration): readonly Finding[] {
  const { skills, warnings } = discoverSkills(skillPlaces(loaded))
  return [...warnings.map((warning) => fault('skills', warning)), ...skills.map(({ skill }) => configuredSkill(skill))]
}

function configuredSkill(skill: Skill): Finding {
  const { scripts, libraries, warnings } = detectScripts(skill)
  const name = `skill ${skill.name}`
  const notTools = libraries.length ? [`not tools, because others import them: ${libraries.join(', ')}`] : []
  const about = [`${skill.base}, ${count(scripts.length, 'script')}`, ...notTools]
  const faults = [...checkSkill(skill), ...warnings]
  return faults.length ? fault(name, ...faults, ...about) : found(name, ...about)
}
