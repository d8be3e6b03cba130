// A skill's instructions, as a tool gives them: with the arguments filled in, and with what else is in the folder.

import { isObject } from '../base/json.ts'
import type { Detected } from './detect.ts'
import { readInstructions, type Skill } from './skill.ts'

export interface Prompt {
  readonly text: string
  readonly warnings: readonly string[]
}

export function promptOf(skill: Skill, input: unknown, { scripts, resources }: Detected): Prompt {
  const { text, warnings } = readInstructions(skill)
  const list = (title: string, items: readonly string[]) =>
    items.length ? `\n\n${title}:\n${items.map((item) => `- ${item}`).join('\n')}` : ''
  const tools = scripts.map(({ name, path, description }) => {
    const [said = ''] = description.split('\n', 1)
    return `${skill.name}.${name.join('.')} (${path})${said && `: ${said}`}`
  })
  const filled = fillIn(text, argumentsOf(input))
  return { text: `${filled}${list('Scripts', tools)}${list(`Resources in ${skill.base}`, resources)}`, warnings }
}

/** Text as it is, else JSON; empty for none. */
function argumentsOf(input: unknown): string {
  const given = isObject(input) && Object.keys(input).length <= 1 ? (input.arguments ?? input) : input
  if (typeof given === 'string') return given
  if (given === undefined || given === null || (isObject(given) && Object.keys(given).length === 0)) return ''
  return JSON.stringify(given)
}

/** Arguments that the instructions have no place for come at their end. */
function fillIn(text: string, given: string): string {
  if (text.includes('$ARGUMENTS')) return text.replaceAll('$ARGUMENTS', () => given)
  return given ? `${text}\n\nARGUMENTS: ${given}` : text
}
