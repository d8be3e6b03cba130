// Looks at the steps of a compose file before any of them runs.

import { isObject } from '../base/json.ts'
import type { Issue } from '../model/schema.ts'

const keys = new Set(['call', 'in', 'out', 'slots', 'children', 'collectPath'])
/** Keys for people. */
const notes = new Set(['name', 'id', 'description', 'comment', 'summary'])
const maxDepth = 32

export function composeIssues(steps: unknown, path: string, depth = 0): readonly Issue[] {
  if (!Array.isArray(steps)) return [fault(path, 'Write a list of steps.')]
  if (depth > maxDepth) return [fault(path, `Steps stand more than ${maxDepth} levels deep.`)]
  return steps.flatMap((step, at) => stepIssues(step, `${path}[${at}]`, depth))
}

function stepIssues(step: unknown, path: string, depth: number): readonly Issue[] {
  if (!isObject(step)) return [fault(path, 'A step is an object with "call". Write call: …')]
  const unknown = Object.keys(step).filter((key) => !keys.has(key) && !notes.has(key))
  return [
    ...(typeof step.call === 'string' && step.call !== ''
      ? []
      : [fault(`${path}.call`, 'A step needs a "call": what it runs.')]),
    ...(step.in === undefined || isObject(step.in) ? [] : [fault(`${path}.in`, 'Write an object of inputs.')]),
    ...outIssues(step.out, `${path}.out`),
    ...(step.collectPath === undefined || typeof step.collectPath === 'string'
      ? []
      : [fault(`${path}.collectPath`, 'Write a path, such as $.value.')]),
    ...slotIssues(step.slots, `${path}.slots`, depth),
    ...slotIssues(step.children, `${path}.children`, depth),
    ...unknown.map((key) => fault(`${path}.${key}`, `A step has no "${key}". It has ${[...keys].join(', ')}.`)),
  ]
}

function outIssues(out: unknown, path: string): readonly Issue[] {
  if (out === undefined) return []
  if (isObject(out) && Object.values(out).every((from) => typeof from === 'string')) return []
  return [fault(path, 'Write names, each with a key or a path of the result, such as report: $.')]
}

function slotIssues(slots: unknown, path: string, depth: number): readonly Issue[] {
  if (slots === undefined || slots === null) return []
  if (Array.isArray(slots)) return composeIssues(slots, path, depth + 1)
  if (!isObject(slots)) return [fault(path, 'Write slots by name, each a list of steps.')]
  return Object.entries(slots).flatMap(([name, steps]) => composeIssues(steps, `${path}.${name}`, depth + 1))
}

function fault(path: string, message: string): Issue {
  return { path, code: 'INVALID_VALUE', message }
}
