// `github.createIssue({title: "x"})` on the command line: a name and, in brackets, an object as JavaScript writes it.

import { createRequire } from 'node:module'
import type Json5 from 'json5'
import { messageOf, parseJson } from '../base/json.ts'
import { UsageError } from './usage.ts'

export interface Expression {
  readonly tool: string
  readonly input: unknown
}

/** The tool and its input, from the two forms a call may have. Nothing is evaluated. */
export function readExpression(text: string, input: string | undefined): Expression {
  const brackets = /^([^\s(){}"']+)\(([\s\S]*)\)\s*;?$/.exec(text.trim())
  if (!brackets) return { tool: text, input: input === undefined ? {} : readInput(input) }
  if (input !== undefined)
    throw new UsageError(`"${text}" has its input in brackets already; leave out the second one.`)
  const [, tool = '', inside = ''] = brackets
  if (inside.trim() === '') return { tool, input: {} }
  try {
    return { tool, input: json5().parse(inside) }
  } catch (error) {
    throw new UsageError(
      `What stands in the brackets of "${tool}" is not one object: ${messageOf(error)}. Write ${tool}({name: "value"}).`,
    )
  }
}

/** Loaded when a call is written so; most are not. */
function json5(): typeof Json5 {
  return createRequire(import.meta.url)('json5')
}

export function readInput(text: string): unknown {
  const parsed = parseJson(text)
  if (parsed.ok) return parsed.value
  throw new UsageError(`The input is not JSON: ${parsed.message}. Write it in single quotes: '{"name": "value"}'.`)
}
