import { defineTool } from 'legwork'
import { z } from 'zod'

export const greet = defineTool({
  name: 'demo:greet',
  description: 'Greets somebody',
  input: z.object({ name: z.string() }),
  run: ({ name }) => `Hello, ${name}`,
})
