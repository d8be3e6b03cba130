// Asks a program for its own metadata: `PROGRAM --agent`. A program that does not know the option may do anything with it,
// so it is tried only where `--help` mentions it, shut in, with nothing to write to, and for two seconds.

import { type Deadline, startDeadline } from '../base/deadline.ts'
import { confinementAvailable } from '../run/confinement.ts'
import { type ProcessResult, runProcess } from '../run/process.ts'
import type { MetadataCheck } from './check-metadata.ts'
import { parseMetadata } from './read-metadata.ts'

const timeoutMs = 2_000
const maxOutputBytes = 10 * 1_048_576

export interface AgentRequest {
  /** The program's name on the path, or its path. */
  readonly command: string
  readonly workspace: string
  /** Whether it may be asked where it cannot be shut in. Default false. */
  readonly unconfined?: boolean
}

/** The metadata that a program prints, or why there is none. */
export async function askProgram({ command, workspace, unconfined = false }: AgentRequest): Promise<MetadataCheck> {
  const confinement = await confinementAvailable()
  if (!confinement.available && !unconfined) {
    return fault(
      `"${command}" was not asked for its metadata, because it cannot be shut in. Allow it with "agent": true.`,
    )
  }
  const confine = confinement.available ? 'full' : 'off'
  const ask = async (option: string): Promise<ProcessResult> => {
    const deadline: Deadline = startDeadline(timeoutMs, undefined)
    const request = {
      argv: [command, option],
      cwd: workspace,
      maxOutputBytes,
      signal: deadline.signal,
      confine,
    } as const
    return runProcess({ ...request, profile: { readable: [workspace], workspace } }).finally(deadline.stop)
  }
  const help = await ask('--help')
  if (!help.started) return fault(help.message)
  const { stdout, stderr } = help.report
  if (!/(?:^|[\s[(,|])--agent\b/m.test(`${stdout}\n${stderr}`))
    return fault(`"${command} --help" does not mention --agent.`)
  const told = await ask('--agent')
  if (!told.started) return fault(told.message)
  const { exitCode } = told.report
  if (exitCode !== 0)
    return fault(`"${command} --agent" did not end well within 2 s (exit code ${exitCode ?? 'none'}).`)
  const metadata = await parseMetadata(told.report.stdout)
  return metadata.ok ? metadata : { ok: false, faults: metadata.faults.map((each) => `${command} --agent: ${each}`) }
}

function fault(message: string): MetadataCheck {
  return { ok: false, faults: [message] }
}
