// What the settings and the caller forbid. No rule lifts any of it.
//
// These are walls, so silence counts against a tool here: with `allowNetwork: false` a tool runs only when it is known to
// do without the network, whoever described it. Interaction is the one exception, because no process is given a terminal:
// a tool that keeps silent about it can at worst fail.

import { changesNothing } from '../model/effects.ts'
import { checkInteractive, checkTrustLevel } from './checks.ts'
import { type Check, type Finding, runChecks, type Subject } from './findings.ts'
import { profileFindings } from './profile.ts'

export function findDenials(subject: Subject): readonly Finding[] {
  return [...runChecks(denials, subject), ...profileFindings(subject, 'deny')]
}

const denials: readonly Check[] = [
  {
    rule: 'readOnly',
    find: ({ tool, effects, readOnly }) =>
      readOnly && !changesNothing(effects)
        ? `"${tool.id}" is not known to change nothing, and its caller may only read.`
        : undefined,
  },
  {
    rule: 'allowInteractive',
    find: ({ tool, effects, settings }) =>
      checkInteractive(effects, settings)
        ? undefined
        : `"${tool.id}" needs a person at a terminal, and "allowInteractive" is false.`,
  },
  {
    rule: 'minTrustLevel',
    find: ({ tool, settings }) =>
      checkTrustLevel(tool.trust, settings.minTrustLevel)
        ? undefined
        : `"${tool.id}" has the trust "${tool.trust}", and "minTrustLevel" is "${settings.minTrustLevel}".`,
  },
  {
    rule: 'allowNetwork',
    about: 'network',
    find: ({ tool, effects, settings }) => {
      if (settings.allowNetwork || effects.network === false) return undefined
      return effects.network
        ? `"${tool.id}" uses the network, and "allowNetwork" is false.`
        : `Nobody says that "${tool.id}" does without the network, and "allowNetwork" is false. If it does, declare "network": false in its effects.`
    },
  },
  {
    rule: 'allowFilesystemWrite',
    about: 'write',
    find: ({ tool, effects: { filesystem }, settings }) => {
      if (settings.allowFilesystemWrite) return undefined
      if (filesystem?.write) return `"${tool.id}" writes files, and "allowFilesystemWrite" is false.`
      if (filesystem?.delete) return `"${tool.id}" deletes files, and "allowFilesystemWrite" is false.`
      return filesystem?.write === false
        ? undefined
        : `Nobody says that "${tool.id}" writes no files, and "allowFilesystemWrite" is false. If it writes none, declare "filesystem": {"write": false} in its effects.`
    },
  },
]
