import { describe, expect, test } from 'vitest'
import { checkMetadata } from '../../src/program/check-metadata.ts'
import { commandsOf } from '../../src/program/commands.ts'
import type { ProgramMetadata } from '../../src/program/metadata.ts'
import { parseMetadata } from '../../src/program/read-metadata.ts'
import { parametersOf } from '../../src/program/schema.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { metadataText, openPrograms, shipped } from './programs.ts'

function metadataOf(program: string): ProgramMetadata {
  const checked = checkMetadata(JSON.parse(metadataText(program)))
  if (!checked.ok) throw new Error(checked.faults.join('\n'))
  return checked.metadata
}

test('metadata is there for the programs that people have', () => {
  for (const program of ['git', 'ls', 'cat', 'grep', 'find', 'curl', 'jq', 'tar']) expect(shipped).toContain(program)
})

test('one line of configuration gives the tools of each program, without a warning', async () => {
  const legwork = await openPrograms(temporaryFolder(), shipped)
  expect(legwork.warnings).toEqual([])
  const modules = new Set((await legwork.tools()).map(({ id }) => id.split(':')[0]))
  expect(modules).toEqual(new Set(shipped))
})

describe.each(shipped)('%s.json', (program) => {
  test('is valid, names its program, and is trusted as written by hand', async () => {
    expect(await parseMetadata(metadataText(program))).toMatchObject({ ok: true })
    const { atip, name, version, description, trust } = metadataOf(program)
    expect({ atip, name, trust }).toEqual({ atip: { version: '0.6' }, name: program, trust: 'vendor' })
    expect(version).toMatch(/^\d+\.\d+$/)
    expect(description.length).toBeLessThanOrEqual(200)
  })

  test('says of every command what it does to the world', () => {
    for (const { path, command, levels } of commandsOf(metadataOf(program))) {
      expect(command.description, path.join(' ')).toBeTruthy()
      expect(levels.at(-1), path.join(' ')).toMatchObject({
        destructive: expect.any(Boolean),
        reversible: expect.any(Boolean),
        idempotent: expect.any(Boolean),
        network: expect.any(Boolean),
        subprocess: expect.any(Boolean),
        filesystem: { read: expect.any(Boolean), write: expect.any(Boolean), delete: expect.any(Boolean) },
      })
    }
  })

  test('has parameters with names of their own, descriptions and flags', () => {
    for (const mapping of commandsOf(metadataOf(program))) {
      const { positionals, options, globals } = parametersOf(mapping)
      const parameters = [...positionals, ...options, ...(mapping.tool.globalOptions ?? [])]
      const names = parameters.map(({ name }) => name)
      expect(new Set(names).size, mapping.path.join(' ')).toBe(names.length)
      for (const { name, description } of parameters) {
        expect(name).toMatch(/^[a-z][A-Za-z0-9]*$/)
        expect(description, name).toBeTruthy()
      }
      for (const { flags } of [...options, ...globals]) for (const flag of flags) expect(flag).toMatch(/^--?[^-]/)
    }
  })

  test('keeps back every option that runs a program or reads options from a file', () => {
    const flags = commandsOf(metadataOf(program)).flatMap((mapping) => {
      const { options, globals } = parametersOf(mapping)
      return [...options, ...globals].flatMap((option) => option.flags)
    })
    expect(flags.filter((flag) => dangerous.has(flag))).toEqual([])
  })
})

const dangerous = new Set([
  ...[
    '--upload-pack',
    '--receive-pack',
    '--exec',
    '--exec-path',
    '--config-env',
    '--open-files-in-pager',
    '--ext-diff',
  ],
  ...['--template', '--textconv', '--jq', '--web', '--editor', '--edit', '--interactive', '--body-file'],
  ...['-exec', '-execdir', '-ok', '-okdir', '-fprint', '-fprint0', '-fprintf', '-fls', '-files0-from'],
  ...['--to-command', '--checkpoint-action', '--use-compress-program', '--rsh-command', '--rmt-command'],
  ...['--info-script', '--new-volume-script', '--files-from', '--compress-program', '--files0-from', '--pre'],
  ...['--config', '--kubeconfig', '--script-shell', '--privileged', '--volume', '--mount', '--unix-socket', '--data'],
])
