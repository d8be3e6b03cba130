// A small project on disk: a configuration, a module of functions, a program with its metadata.

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Finished, temporaryFolder } from './temporary.ts'

const toolsModule = `
import { defineTool } from 'legwork'
const harmless: { destructive: boolean; network: boolean; filesystem: { write: boolean } } =
  { destructive: false, network: false, filesystem: { write: false } }
export const echo = defineTool({
  name: 'demo:echo',
  description: 'Says it back',
  input: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  effects: harmless,
  run: ({ message }) => ({ message }),
})
export const others = [
  defineTool({ name: 'demo:destroy', description: 'Destroys', effects: { destructive: true }, run: () => 'gone' }),
  defineTool({ name: 'demo:fail', description: 'Fails', effects: harmless, run: () => { throw new Error('it broke') } }),
  defineTool({ name: 'demo:wait', description: 'Waits', effects: harmless, run: () => new Promise((done) => setTimeout(done, 20000)) }),
  defineTool({ name: 'demo:secret', description: 'Leaks', effects: harmless, run: () => process.env.DEMO_TOKEN }),
  defineTool({ name: 'demo:ansi', description: 'Plays with the terminal', effects: harmless, run: () => '\\u001b[2Jcleared\\u202e' }),
]
export default 7
`

const shellMetadata = {
  atip: '0.6',
  name: 'sh',
  description: 'A script',
  trust: { source: 'vendor' },
  effects: { destructive: false, network: false, filesystem: { write: false } },
  commands: {
    '': { description: 'Runs a file', arguments: [{ name: 'file', type: 'file', description: 'The script' }] },
  },
}

export const exampleConfiguration = {
  functions: ['./tools.ts'],
  programs: { sh: { metadata: './sh.json' } },
  policy: { deny: ['demo:fail*'] },
  journal: { path: './journal/legwork.db' },
}

/** Writes the project; files may be replaced or added. */
export function makeProject(
  files: Readonly<Record<string, string>> = {},
  configuration: object = exampleConfiguration,
  finished?: Finished,
): string {
  const folder = temporaryFolder(finished)
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(import.meta.dirname, '../..'), join(folder, 'node_modules/legwork'))
  const all = {
    'package.json': '{"type": "module"}',
    'legwork.jsonc': JSON.stringify(configuration, null, 2),
    'tools.ts': toolsModule,
    'sh.json': JSON.stringify(shellMetadata),
    'hello.sh': 'echo hello; echo aside >&2',
    'fail.sh': 'echo partly; echo why >&2; exit 7',
    ...files,
  }
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}
