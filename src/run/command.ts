// Works out what exactly is to be started for a request: the command line with everything that goes before it.

import { resolve } from 'node:path'
import type { Containment } from '../model/outcome.ts'
import { fullFlags, processesFlags } from './bubblewrap.ts'
import { type Confinement, confinementAvailable, howToConfine, unconfinedNote } from './confinement.ts'
import { childEnvironment } from './environment.ts'
import { type AppliedLimits, applyLimits } from './limits.ts'
import { checkFolder, findProgram, interpretersOf, type Refusal } from './lookup.ts'
import { type ConfinementProfile, refuseProfile, viewOf } from './profile.ts'
import { systemMounts } from './system.ts'

export interface CommandRequest {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly confine: Confinement
  readonly profile?: ConfinementProfile | undefined
}

export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  readonly containment: Containment
  /** Lets go of what was made for this one command. */
  readonly release: () => void
  /** What of the request does not hold on this machine. */
  readonly notes: readonly string[]
}

type Prepared = ({ readonly ok: true } & Command) | ({ readonly ok: false } & Refusal)

export async function prepareCommand(request: CommandRequest): Promise<Prepared> {
  const { argv, profile = {}, env = {} } = request
  const fault = findNul(argv, env, request.cwd)
  if (fault) return { ok: false, ...fault }

  const choice = await chooseConfinement(request.confine)
  if (!choice.ok) return choice
  const cwd = resolve(request.cwd)
  const environment = childEnvironment(process.env, env)
  const containment = choice.kind === 'off' ? 'group' : 'namespace'

  // Only where something stands between us and the program must it be looked for here: else the start itself tells.
  let program = ''
  if (choice.kind === 'full' || profile.limits) {
    const folder = checkFolder(cwd)
    if (folder) return { ok: false, ...folder }
    const found = findProgram(argv[0] ?? '', cwd, environment.PATH)
    if (!found.ok) return found
    program = found.path
  }
  const limits: AppliedLimits = profile.limits ? applyLimits(profile.limits, containment) : noLimits
  const notes = [...(choice.notes ?? []), ...limits.notes]
  const common = { environment, containment, notes, release: limits.group?.remove ?? nothing } as const
  const enter = limits.group?.prefix ?? []
  const inner = limits.prefix.length ? [...limits.prefix, ...argv] : argv

  switch (choice.kind) {
    case 'off':
      return { ok: true, ...common, ...split([...enter, ...inner]), cwd }
    case 'processes':
      return {
        ok: true,
        ...common,
        ...split([...enter, choice.bubblewrap, ...processesFlags(cwd), ...inner]),
        cwd: '/',
      }
    case 'full': {
      const message = refuseProfile(profile)
      if (message !== undefined) return { ok: false, reason: 'confinement', message }
      const programs = [program, ...interpretersOf(program, environment.PATH), ...limits.prefix.slice(0, 1)]
      const view = viewOf(profile, cwd, programs)
      const flags = fullFlags(systemMounts(view.network), view, cwd)
      const confined = { ...environment, TMPDIR: '/tmp' }
      const line = [...enter, choice.bubblewrap, ...flags, ...inner]
      return { ok: true, ...common, environment: confined, ...split(line), cwd: '/' }
    }
    default:
      return choice satisfies never
  }
}

const nothing = () => {}
const noLimits: AppliedLimits = { prefix: [], notes: [] }

type Choice =
  | { readonly ok: true; readonly kind: 'off'; readonly notes?: readonly string[] }
  | { readonly ok: true; readonly kind: 'full' | 'processes'; readonly bubblewrap: string; readonly notes?: undefined }
  | ({ readonly ok: false } & Refusal)

async function chooseConfinement(confine: Confinement): Promise<Choice> {
  if (confine === 'off') return { ok: true, kind: 'off' }
  const kind = confine === 'processes' ? 'processes' : 'full'
  const answer = await confinementAvailable(kind)
  if (answer.available) return { ok: true, kind, bubblewrap: answer.bubblewrap }
  if (confine === 'processes') return { ok: true, kind: 'off' }
  if (confine === 'auto') return { ok: true, kind: 'off', notes: unconfinedNote(answer.reason) }
  return {
    ok: false,
    reason: 'confinement',
    message: `Full confinement is not possible. ${answer.reason} ${howToConfine}`,
  }
}

function split([file = '', ...args]: readonly string[]): { file: string; args: string[] } {
  return { file, args }
}

/** The system ends texts at a NUL: what comes after it would be lost without a word. */
function findNul(argv: readonly string[], env: Readonly<Record<string, string>>, cwd: string): Refusal | undefined {
  const refuse = (what: string): Refusal => ({
    reason: 'not-executable',
    message: `${what} holds a NUL character, which no program can be given. Remove it.`,
  })
  const at = argv.findIndex((argument) => argument.includes('\0'))
  if (at >= 0) return refuse(at === 0 ? 'The name of the program' : `Argument ${at}`)
  for (const name in env) if (`${name}${env[name]}`.includes('\0')) return refuse(`The variable "${name}"`)
  return cwd.includes('\0') ? { ...refuse('The working directory'), reason: 'bad-directory' } : undefined
}
