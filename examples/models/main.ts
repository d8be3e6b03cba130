// What a program does with a model's reply, shown on a recorded reply of each provider. It needs no network and no key.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createLegwork, defineTool } from 'legwork'
import { providers } from 'legwork/toolcall'
import { z } from 'zod'

const forecast = defineTool({
  name: 'weather:forecast',
  description: 'The weather of a city for the coming days',
  input: z.object({ city: z.string(), days: z.int().min(1).max(7).optional() }),
  effects: { destructive: false, network: false, filesystem: { write: false } },
  run: ({ city, days = 1 }) => `${city}: sunny for ${days === 1 ? 'a day' : `${days} days`}`,
})
const deleteAll = defineTool({
  name: 'notes:deleteAll',
  description: 'Deletes every note',
  effects: { destructive: true, reversible: false },
  run: () => 'gone',
})

const legwork = await createLegwork({ functions: [forecast, deleteAll], journal: { path: ':memory:' } })

for (const provider of providers) {
  const tools = await legwork.tools(provider, { strict: true }) // goes into the request
  const reply = JSON.parse(await readFile(join(import.meta.dirname, `${provider}.json`), 'utf8')) // comes back from it

  const { messages, results } = await legwork.handle(provider, reply)

  console.log(`\n== ${provider}: ${JSON.stringify(tools).length} characters of tools`)
  for (const { call, outcome } of results) console.log(`${call.name} ${outcome.ok ? 'ok' : outcome.code}`)
  console.log(JSON.stringify(messages, null, 2)) // goes into the next request, after the reply itself
}
await legwork.close()
