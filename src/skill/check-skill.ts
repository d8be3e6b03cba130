// The Agent Skills standard, strictly: what is wrong with a skill that is loaded all the same.

import { basename } from 'node:path'
import { isObject } from '../base/json.ts'
import { didYouMean, nearest } from '../base/text.ts'
import { type Skill, skillFile, textOf } from './skill.ts'

const knownFields = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools', 'version']
const maxLengths = { name: 64, description: 1_024, compatibility: 500 } as const

/** Every fault, as a sentence that says what to change. */
export function checkSkill(skill: Skill): readonly string[] {
  const { fields, base, file, warnings } = skill
  const name = textOf(fields.name)
  const faults = warnings.map((warning) => warning.replace(`${base}: `, ''))
  if (file !== skillFile) faults.push(`Its file is called "${file}". Rename it to "${skillFile}".`)
  if (name && !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) {
    faults.push(
      `The name "${name}" may have small letters, digits and single hyphens alone. Write "${plainName(name)}".`,
    )
  }
  for (const [field, most] of Object.entries(maxLengths)) {
    const { length } = textOf(fields[field])
    if (length > most) faults.push(`"${field}" has ${length} characters; at most ${most} are allowed. Shorten it.`)
  }
  const { metadata } = fields
  if (metadata !== undefined && !isObject(metadata))
    faults.push('"metadata" is no map. Write "key: value" lines below it.')
  else if (metadata && !Object.values(metadata).every((value) => typeof value === 'string')) {
    faults.push('"metadata" holds something that is no text. Put its values in quotes.')
  }
  for (const field of Object.keys(fields)) {
    if (knownFields.includes(field)) continue
    faults.push(
      `There is no field "${field}" in the standard.${didYouMean(nearest(field, knownFields, 1)) || ' Move it into "metadata".'}`,
    )
  }
  return faults
}

function plainName(name: string): string {
  return (
    basename(name)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'my-skill'
  )
}
