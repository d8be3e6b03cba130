// What `legwork doctor` says of the machine: what confines, what runs scripts, and whether the packages beside Legwork load.

import { createRequire } from 'node:module'
import { messageOf } from '../../base/json.ts'
import { confinementAvailable } from '../../run/confinement.ts'
import { findProgram, findSystemProgram } from '../../run/lookup.ts'
import { findDeno } from '../../sandbox/deno-find.ts'
import { howToConfineHere } from './confinement.ts'
import { type Finding, fault, found, missing } from './finding.ts'
import { howToInstall } from './install.ts'

/** What tools are often written in; each is needed only by those who use it. */
const interpreters = ['python3', 'bash', 'ruby', 'perl', 'git'] as const

export async function machine(version: string): Promise<readonly Finding[]> {
  return [
    found('Legwork', version),
    found('Node', process.versions.node),
    await packages(),
    await confinement(),
    ...memoryLimits(),
    deno(),
    ...programs(),
  ]
}

/** Those with a part for each system, which a package manager may have left out. */
const nativePackages = {
  'oxc-parser': () => import('oxc-parser'),
  'oxc-transform': () => import('oxc-transform'),
  rolldown: () => import('rolldown'),
  typescript: async () => {
    const { resolve } = createRequire(createRequire(import.meta.url).resolve('typescript/package.json'))
    resolve(`@typescript/typescript-${process.platform}-${process.arch}/package.json`)
  },
} as const

async function packages(): Promise<Finding> {
  const faults = await Promise.all(
    Object.entries(nativePackages).map(async ([name, load]) => {
      try {
        await load()
        return []
      } catch (error) {
        return [`${name} does not load: ${messageOf(error).split('\n', 1)[0]}`]
      }
    }),
  )
  const told = faults.flat()
  if (told.length === 0) return found('packages', 'the checker and the compiler of scripts are whole')
  const advice = 'Install Legwork again with its optional dependencies ("npm install --include=optional legwork").'
  return fault('packages', ...told, advice)
}

async function confinement(): Promise<Finding> {
  const available = await confinementAvailable()
  if (available.available) return found('bubblewrap', 'works: tools can be shut in')
  const [reason = ''] = available.reason.split('\n', 1)
  const advice = findSystemProgram('bwrap') ? howToConfineHere() : howToInstall('bubblewrap')
  const next = process.platform === 'linux' ? [`To change that: ${advice}.`] : []
  return missing('bubblewrap', `${reason.slice(0, 300)} Without it tools run less shut in.`, ...next)
}

/** Linux alone has it. */
function memoryLimits(): Finding[] {
  if (process.platform !== 'linux' || findSystemProgram('prlimit')) return []
  return [missing('prlimit', `bounds the memory of scripts; ${howToInstall('prlimit')}`)]
}

function deno(): Finding {
  const lookup = findDeno()
  return lookup.ok
    ? found('deno', lookup.path)
    : missing('deno', 'runs toolscripts; install it with "npm install deno"')
}

function programs(): Finding[] {
  return interpreters.map((name) => {
    const lookup = findProgram(name, process.cwd(), process.env.PATH)
    if (lookup.ok) return found(name, lookup.path)
    return missing(name, `only for tools that need it; ${howToInstall(name)}`)
  })
}
