// The variables of one run of a custom tool. Unlike a document's, they hold for the whole: when one of them cannot be had, the call
// has failed and no further block runs.

import type { RunContext } from '../model/tool.ts'
import type { ToolBlock } from './document.ts'
import {
  type Filled,
  type FillVariables,
  type Resolved,
  type ResolveVariables,
  resolveVariables,
  type VariableContext,
} from './resolve-variables.ts'
import { variablesIn } from './rich-text.ts'

const nothing: Filled = { ok: true, values: new Map() }

export class ToolVariables {
  readonly #tool: ToolBlock
  readonly #resolve: ResolveVariables
  readonly #given: ReadonlyMap<string, string>
  readonly #timeoutMs: number
  readonly #run: Pick<RunContext, 'deadline'>
  #resolving: Promise<Resolved> | undefined
  /** Missing until a block has needed them. */
  resolved: Resolved | undefined

  constructor(
    tool: ToolBlock,
    resolve: ResolveVariables,
    given: ReadonlyMap<string, string>,
    timeoutMs: number,
    run: Pick<RunContext, 'deadline'>,
  ) {
    this.#tool = tool
    this.#resolve = resolve
    this.#given = given
    this.#timeoutMs = timeoutMs
    this.#run = run
  }

  /** Whether there is no point in going on. */
  get hasFailed(): boolean {
    return this.resolved !== undefined && this.resolved.faults.length > 0
  }

  readonly fill: FillVariables = (content, context) => {
    const [first] = variablesIn(content)
    return first ? this.#filled(context) : nothing
  }

  /** All of them, once. */
  async all(context: VariableContext): Promise<Resolved> {
    this.#resolving ??= this.#ask(context)
    this.resolved = await this.#resolving
    return this.resolved
  }

  async #filled(context: VariableContext): Promise<Filled> {
    const { values, faults } = await this.all(context)
    return faults.length ? { ok: false, message: faults.map(({ message }) => message).join(' ') } : { ok: true, values }
  }

  async #ask(context: VariableContext): Promise<Resolved> {
    const time = this.#run.deadline(this.#timeoutMs)
    try {
      const { variables } = this.#tool
      return await resolveVariables(variables, this.#resolve, this.#given, { ...context, signal: time.signal })
    } finally {
      time.stop()
    }
  }
}
