// The real compiler over a few files, and tools to make declarations of.

import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Catalogue } from '../../src/catalogue/catalogue.ts'
import type { JsonSchema } from '../../src/model/schema.ts'
import { describeTool, type ToolDefinition, type ToolDescription, type ToolKind } from '../../src/model/tool.ts'
import { temporaryFolder } from '../support/temporary.ts'

const compiler = join(import.meta.dirname, '../../node_modules/.bin/tsc')

const settings = {
  compilerOptions: {
    target: 'esnext',
    module: 'esnext',
    moduleResolution: 'bundler',
    moduleDetection: 'force',
    lib: ['esnext'],
    types: [],
    strict: true,
    noEmit: true,
    // The declarations themselves are what is looked at.
    skipLibCheck: false,
    paths: { toolscript: ['./tools.d.ts'] },
  },
  include: ['*.ts'],
}

/** What the compiler says, a line for each fault: `script.ts(3,1): error TS2322: …`. */
export async function compile(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const folder = temporaryFolder()
  const all = {
    'tsconfig.json': JSON.stringify(settings),
    'platform.d.ts': 'export {}\ndeclare global { class AbortSignal { readonly aborted: boolean } }\n',
    ...files,
  }
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text)
  const output = await new Promise<string>((done) => {
    execFile(process.execPath, [compiler, '--pretty', 'false'], { cwd: folder, maxBuffer: 64_000_000 }, (_, stdout) =>
      done(stdout),
    )
  })
  return output.split('\n').filter((line) => /^\S/.test(line))
}

/** The faults of a script, where a comment `// TS2322` says which one each line must have. */
export async function surprises(declarations: string, script: string): Promise<readonly string[]> {
  const said = await compile({ 'tools.d.ts': declarations, 'script.ts': script })
  const found = said.map((line) => line.replace(/^script\.ts\((\d+),\d+\): error (TS\d+):.*/, '$1 $2'))
  const expected = script.split('\n').flatMap((line, at) => {
    const code = /\/\/ (TS\d+)$/.exec(line)?.[1]
    return code ? [`${at + 1} ${code}`] : []
  })
  const missing = expected.filter((one) => !found.includes(one)).map((one) => `missing: ${one}`)
  return [...said.filter((_, at) => !expected.includes(found[at] ?? '')), ...missing]
}

export function definition(
  [module, ...path]: readonly string[],
  input: JsonSchema,
  { output, description = '', kind = 'mcp' }: { output?: JsonSchema; description?: string; kind?: ToolKind } = {},
): ToolDefinition {
  return {
    name: path.length && module !== undefined ? { module, path } : { path: [module ?? ''] },
    kind,
    description,
    input: { type: 'json', schema: input },
    ...(output !== undefined && { output: { type: 'json', schema: output } }),
    effects: {},
    trust: 'community',
    run: async () => ({ ok: true, value: null }),
  }
}

/** The tools as a catalogue names them. */
export async function described(tools: readonly ToolDefinition[]): Promise<readonly ToolDescription[]> {
  const catalogue = new Catalogue()
  await catalogue.add({ name: 'test', load: () => ({ tools }) })
  return (await catalogue.list()).map(describeTool)
}
