// The tools that people really have: every program that is described here, skills, functions, and MCP servers from npm.

import { globSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../src/index.ts'
import type { ToolDefinition } from '../../src/model/tool.ts'
import { declarations } from '../../src/toolscript/declarations.ts'
import { openLegwork } from '../support/legwork.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { definition, described, surprises } from './declarations-compile.ts'

const root = join(import.meta.dirname, '../..')

test('programs, skills and functions type-check', async () => {
  const person = z.object({
    name: z.string(),
    get friends() {
      return z.array(person)
    },
  })
  const functions = [
    defineTool({
      name: 'people:greet',
      description: 'Greets',
      input: z.object({ person, loud: z.boolean().default(false) }),
      output: z.object({ text: z.string() }),
      run: () => ({ text: '' }),
    }),
    defineTool({
      name: 'people:place',
      description: 'Places',
      input: z.object({ at: z.tuple([z.number(), z.number()]), tags: z.record(z.string(), z.string()) }),
      run: () => null,
    }),
    defineTool({ name: 'roll', description: 'Rolls a die', run: () => 4 }),
  ]
  const programs = globSync('metadata/*.json', { cwd: root }).map((file) => basename(file, '.json'))
  expect(programs.length).toBeGreaterThan(20)
  const legwork = await openLegwork({
    workspace: temporaryFolder(),
    functions,
    programs: Object.fromEntries(programs.map((name) => [name, {}])),
    skills: [join(root, 'examples/skills')],
  })
  const script = `import { tools } from "toolscript"
const { text } = await tools.people.greet({ person: { name: "Ada", friends: [{ name: "Bob", friends: [] }] } })
const shout: string = text.toUpperCase()
tools.people.greet({ person: { name: "Ada", friends: [{ name: 7, friends: [] }] } }) // TS2322
tools.people.place({ at: [1, 2], tags: { a: "b" } })
tools.people.place({ at: ["1", 2], tags: {} }) // TS2322
const rolled = await tools.roll<number>()
await tools.git.log({ maxCount: 3 })
tools.git.log({ maxCuont: 3 }) // TS2561
tools.git.statuss() // TS2551
await tools.gh.issueList({})
await tools.ls({ paths: ["."] })
await tools.greeting.greet({})
export { shout, rolled }
`
  expect(await surprises(declarations(await legwork.tools()), script)).toEqual([])
})

const servers = {
  everything: [],
  filesystem: ['.'],
  memory: [],
  'sequential-thinking': [],
} as const

/** The tools of a real server, as it lists them. */
async function toolsOf(server: keyof typeof servers, cwd: string): Promise<readonly ToolDefinition[]> {
  const file = createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${server}/dist/index.js`)
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [file, ...servers[server]],
    cwd,
    stderr: 'ignore',
  })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  try {
    const { tools } = await client.listTools()
    return tools.map(({ name, description = '', inputSchema, outputSchema }) =>
      definition([server, name], inputSchema, { description, ...(outputSchema && { output: outputSchema }) }),
    )
  } finally {
    await client.close()
  }
}

test('the tools of real servers type-check, and calls of them', async () => {
  const cwd = temporaryFolder()
  const names = Object.keys(servers) as (keyof typeof servers)[]
  const tools = await described((await Promise.all(names.map((name) => toolsOf(name, cwd)))).flat())
  expect(tools.length).toBeGreaterThan(30)
  const script = `import { tools } from "toolscript"
await tools.everything.echo({ message: "hi" })
tools.everything.echo({ mesage: "hi" }) // TS2561
const weather = await tools.everything.getStructuredContent({ location: "Chicago" })
const degrees: number = weather.temperature
tools.everything.getStructuredContent({ location: "Atlantis" }) // TS2322
const { content } = await tools.filesystem.readTextFile({ path: "a.txt", head: 3 })
const text: string = content
tools.filesystem.readTextFile({ path: 7 }) // TS2322
tools.filesystem.editFile({ path: "a", edits: [{ oldText: "a" }] }) // TS2741
const graph = await tools.memory.readGraph({})
const name: string | undefined = graph.entities[0]?.name
await tools.sequentialThinking.sequentialthinking({ thought: "", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 })
export { degrees, text, name }
`
  expect(await surprises(declarations(tools), script)).toEqual([])
})
