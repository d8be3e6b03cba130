// A project with tools of all six kinds. Of each kind there are three that do the same: one that may be called, one that never may,
// and one that a person must be asked about.

import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export const kinds = ['function', 'program', 'skill', 'mcp', 'document', 'contract'] as const
export type Kind = (typeof kinds)[number]

/** The module of each kind's tools. */
export const modules: { readonly [K in Kind]: string } = {
  function: 'module',
  program: 'prog',
  skill: 'ability',
  mcp: 'server',
  document: 'custom',
  contract: 'contract',
}

/** What each kind's tools are called with to say "hi", and with what they do not take. */
export const inputs: { readonly [K in Kind]: { readonly valid: object; readonly invalid: object } } = {
  function: { valid: { message: 'hi' }, invalid: {} },
  program: { valid: { message: 'hi' }, invalid: {} },
  skill: { valid: { message: 'hi' }, invalid: {} },
  mcp: { valid: { message: 'hi' }, invalid: {} },
  document: { valid: { variables: { message: 'hi' } }, invalid: { variables: 'hi' } },
  contract: { valid: { message: 'hi' }, invalid: {} },
}

const names = ['say', 'never', 'maybe'] as const

const functions = `
import { defineTool } from 'legwork'
const effects = { destructive: false, network: false, filesystem: { write: false } }
const input = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] } as const
const make = (name: string) =>
  defineTool({ name: 'module:' + name, description: 'Says it back', input, effects, run: ({ message }) => ({ said: message }) })
export const tools = ${JSON.stringify(names)}.map(make)
`

const message = { name: 'message', type: 'string', description: 'What to say' }
const metadata = {
  atip: '0.6',
  name: 'prog',
  description: 'Says things back',
  trust: { source: 'vendor' },
  effects: { destructive: false, network: false, filesystem: { write: false } },
  commands: Object.fromEntries(names.map((name) => [name, { description: 'Says it back', arguments: [message] }])),
}

const python = `"""Says it back"""
import argparse, json
parser = argparse.ArgumentParser()
parser.add_argument('--message', required=True)
print(json.dumps({'said': parser.parse_args().message}))
`

/** A document's tool has variables; it says it by calling the function. */
const document = `<document>
${names
  .map(
    (name) => `  <tool id="${name}" title="${name}">
    <tool:description>Says it back</tool:description>
    <tool:definition>
      <p><variable name="message" prompt="What to say" /></p>
      <fncall idyll-tool="module:say"><params>{"message": "hi"}</params></fncall>
    </tool:definition>
  </tool>`,
  )
  .join('\n')}
</document>
`

const contract = `description: Says it back
inputs:
  message: { type: string, required: true }
source: "({ input }) => ({ said: input.message })"
bindings:
  message: { path: $.message }
`

/** Writes the project, and says where; whoever asked removes it. */
export function makeProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'legwork-fronts-'))
  const server = join(import.meta.dirname, '../fixtures/fronts/server.ts')
  const configuration = {
    functions: ['./tools.ts'],
    programs: { prog: { metadata: './prog.json', command: './prog.sh' } },
    skills: [{ path: './skills', trust: 'org' }],
    mcpServers: { server: { command: process.execPath, args: [server], legwork: { trust: 'org', pin: 'off' } } },
    documents: ['./documents/*.xml'],
    contracts: ['./contracts/*.yaml'],
    policy: { allow: ['*:say'], deny: ['*:never'], ask: ['*:maybe'] },
    journal: { path: './journal/legwork.db' },
  }
  const files: Record<string, string> = {
    'package.json': '{"type": "module"}',
    'legwork.jsonc': JSON.stringify(configuration),
    'tools.ts': functions,
    'prog.json': JSON.stringify(metadata),
    'prog.sh': '#!/bin/sh\nprintf \'{"said":"%s"}\' "$2"\n',
    'skills/ability/SKILL.md': '---\nname: ability\ndescription: Says things back\n---\nSay it.\n',
    'documents/tools.xml': document,
  }
  for (const name of names) {
    files[`skills/ability/scripts/${name}.py`] = python
    files[`contracts/${name}.yaml`] = contract
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  chmodSync(join(folder, 'prog.sh'), 0o755)
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(import.meta.dirname, '../..'), join(folder, 'node_modules/legwork'))
  return folder
}
