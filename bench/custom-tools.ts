// What a custom tool costs beyond the calls that it makes, how long the tools of many documents take to load, and how often the
// resolver is asked.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLegwork, defineTool } from 'legwork'
import { Engine } from 'legwork/document'
import { type Measurement, p50, sideBySide } from './measure.ts'

export async function benchCustomTools(): Promise<readonly Measurement[]> {
  return [...(await overhead()), ...(await loading()), ...(await questions())]
}

const harmless = { destructive: false, network: false, filesystem: { write: false } } as const

function toolOf(title: string, tool: string, blocks = 2): string {
  const calls = Array.from({ length: blocks }, (_, at) => {
    const prompt = at === 0 ? 'prompt="What it is about"' : ''
    return `<fncall idyll-tool="${tool}"><content>About <variable name="topic" ${prompt}/></content></fncall>`
  })
  const description = '<tool:description>Does something</tool:description>'
  return `<tool title="${title}">${description}<tool:definition>${calls.join('')}</tool:definition></tool>`
}

/** With calls that take as long as a call to a file or to a service nearby does: a millisecond. And with calls that do nothing. */
async function overhead(): Promise<Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), 'legwork-bench-'))
  writeFileSync(
    join(folder, 'tools.xml'),
    `<document>${toolOf('Quick', 'bench:quick')}${toolOf('Nothing', 'bench:nothing')}</document>`,
  )
  const functions = [
    defineTool({ name: 'bench:nothing', description: 'Nothing', effects: harmless, run: () => 1 }),
    defineTool({
      name: 'bench:quick',
      description: 'Waits for a millisecond',
      effects: harmless,
      run: () => new Promise((resolve) => setTimeout(resolve, 1, 1)),
    }),
  ]
  const legwork = await createLegwork({
    workspace: folder,
    functions,
    documents: ['*.xml'],
    journal: { path: join(folder, 'legwork.db') },
  })
  const direct = (tool: string) => async () => {
    await legwork.call({ tool, content: 'About AI' })
    await legwork.call({ tool, content: 'About AI' })
  }
  const custom = (tool: string) => () => legwork.call({ tool, content: 'topic: AI' })
  try {
    const quick = await sideBySide({ direct: direct('bench:quick'), custom: custom('Quick') }, { rounds: 300 })
    const nothing = await sideBySide({ direct: direct('bench:nothing'), custom: custom('Nothing') }, { rounds: 1_000 })
    return [
      {
        name: 'a custom tool of two blocks of 1 ms against the same two calls, p50',
        value: p50(quick.custom) / p50(quick.direct),
        unit: '×',
        goal: '≤ 1.3',
      },
      {
        name: 'a custom tool of two blocks beyond the calls themselves, p50',
        value: (p50(nothing.custom) - p50(nothing.direct)) * 1_000,
        unit: 'µs',
      },
    ]
  } finally {
    await legwork.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** From the files to the answer of the first look-up. */
async function loading(): Promise<Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), 'legwork-bench-'))
  for (let at = 0; at < 1_000; at++) {
    writeFileSync(
      join(folder, `tool-${at}.xml`),
      `<document>\n<p>About it</p>\n${toolOf(`Tool ${at}`, 'bench:nothing')}\n</document>\n`,
    )
  }
  const load = async () => {
    const legwork = await createLegwork({ workspace: folder, documents: ['*.xml'], journal: { path: ':memory:' } })
    const tools = await legwork.tools()
    await legwork.close()
    if (tools.length < 1_000) throw new Error('Some tools of the bench did not load.')
  }
  try {
    const { load: timings } = await sideBySide({ load }, { rounds: 10 })
    return [{ name: '1,000 custom tools from as many documents, p50', value: p50(timings), unit: 'ms', goal: '≤ 500' }]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** However many variables and uses. */
async function questions(): Promise<Measurement[]> {
  let asked = 0
  const names = Array.from({ length: 50 }, (_, at) => `v${at}`)
  const uses = names.map((name) => `<variable name="${name}"/>`).join(' ')
  const block = `<fncall idyll-tool="nothing"><content>${uses}</content></fncall>`
  const engine = new Engine({
    tools: { nothing: { execute: () => 1 } },
    documents: [
      `<document><tool title="Many"><tool:definition>${block.repeat(20)}</tool:definition></tool></document>`,
    ],
    resolveVariables: () => {
      asked++
      return Object.fromEntries(names.map((name) => [name, name]))
    },
  })
  await engine.executeTool('Many')
  await engine.close()
  return [{ name: 'questions for 50 variables in 20 blocks', value: asked, unit: '', goal: '≤ 1' }]
}
