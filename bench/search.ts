// Finding a tool by what it does, among very many.

import { createSearch } from '../src/catalogue/search.ts'
import type { Tool } from '../src/model/tool.ts'
import { type Measurement, p50, percentile, sideBySide } from './measure.ts'

export async function benchSearch(): Promise<readonly Measurement[]> {
  const many = toolsFor(10_000)
  const started = performance.now()
  const search = await createSearch(many)
  const building = performance.now() - started
  const few = await createSearch(many.slice(0, 100))
  const asked = (find: typeof search) => {
    let turn = 0
    return () => find(queries[turn++ % queries.length] ?? '', 20)
  }
  const timings = await sideBySide({ few: asked(few), many: asked(search) }, { rounds: 300 })
  return [
    { name: 'search among 10,000 tools, p50', value: p50(timings.many), unit: 'ms', goal: '≤ 10' },
    { name: 'search among 10,000 tools, p95', value: percentile(timings.many, 0.95), unit: 'ms', goal: '≤ 10' },
    { name: 'search among 100 tools, p50', value: p50(timings.few), unit: 'ms' },
    { name: 'the index over 10,000 tools', value: building, unit: 'ms' },
  ]
}

const queries = [
  'create an issue',
  'find the files that changed',
  'send a message to a channel',
  'delte repositry',
  'list',
  'which tool can I use to read the contents of a large file from the project folder',
  'zebra',
  'update customer invoice status',
]

const verbs = 'create read update delete list search send fetch merge close open archive export import sync'.split(' ')
const nouns =
  'issue file message repository channel invoice customer project folder branch commit release comment label user team event calendar ticket report'.split(
    ' ',
  )
const services = 'github gitlab slack jira linear notion stripe files calendar mail storage crm'.split(' ')

/** As servers describe theirs: a sentence or two, and a few parameters. */
function toolsFor(amount: number): readonly Tool[] {
  return Array.from({ length: amount }, (_, at) => {
    const pick = (list: readonly string[], step: number) => list[Math.floor(at / step) % list.length] ?? ''
    const [verb, noun, service] = [pick(verbs, 1), pick(nouns, verbs.length), pick(services, 300)]
    const description = `Can ${verb} one ${noun} of ${service}, number ${at}. Returns the ${noun} with its status, its owner and when it was changed; needs access to the project.`
    const properties = {
      [`${noun}Id`]: { type: 'string', description: `The id of the ${noun}` },
      limit: { type: 'integer', description: 'How many to return at most' },
      cursor: { type: 'string', description: 'Where to go on' },
    }
    const id = `${service}${at % 97}:${verb}${noun}${at}`
    return {
      id,
      source: service,
      name: { path: [id] },
      kind: 'mcp',
      description,
      input: { type: 'json', schema: { type: 'object', properties } },
      effects: {},
      trust: 'community',
      spellings: { id, script: id, wire: id, provider: id },
      run: async () => ({ ok: true, value: null }),
    }
  })
}
