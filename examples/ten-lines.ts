import { createLegwork, defineTool } from 'legwork'
import { z } from 'zod'

const greet = defineTool({
  name: 'demo:greet',
  description: 'Greets somebody',
  input: z.object({ name: z.string() }),
  run: ({ name }) => `Hello, ${name}`,
})
const legwork = await createLegwork({ functions: [greet] })
console.log(await legwork.call({ tool: 'demo:greet', input: { name: 'Ada' } }))
await legwork.close()
