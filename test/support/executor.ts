// Programs that do what a test needs, in a folder of their own, and an executor for them.

import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AtipTool, createExecutor, type Executor, type ExecutorConfig } from '../../src/doors/program.ts'
import { temporaryFolder } from './temporary.ts'

export const harmless = { destructive: false, network: false, filesystem: { write: false } } as const

/** `show` prints its arguments; the rest is told by its name. */
const programs = {
  show: 'printf "%s\\n" "$@"',
  fail: 'echo out; echo "cannot read $PWD/secret and /usr/lib/x.so" >&2; exit 1',
  slow: 'echo begun; sleep 20',
  flood: 'head -c 3000000 /dev/zero | tr "\\0" x',
  vars: 'env',
} as const

export const word = { name: 'word', type: 'string', required: false } as const

/** Metadata of the programs, harmless unless said otherwise. */
export function describedTool(name: keyof typeof programs, more: Partial<AtipTool> = {}): AtipTool {
  return {
    atip: '0.6',
    name,
    version: '1',
    description: `Does ${name}`,
    trust: { source: 'vendor' },
    effects: harmless,
    commands: { '': { description: 'The program itself', arguments: [word] } },
    ...more,
  }
}

export interface Made {
  readonly executor: Executor
  readonly folder: string
}

export function makeExecutor(config: Partial<ExecutorConfig> = {}): Made {
  const folder = temporaryFolder()
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  const names = Object.keys(programs) as (keyof typeof programs)[]
  const { execution = {}, ...rest } = config
  const executor = createExecutor({
    tools: names.map((name) => describedTool(name)),
    ...rest,
    execution: { cwd: folder, ...execution, env: { PATH: `${folder}:${process.env.PATH}`, ...execution.env } },
  })
  return { executor, folder }
}
