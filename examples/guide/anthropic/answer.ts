import type Anthropic from '@anthropic-ai/sdk'
import { createLegwork } from 'legwork'
import { anthropicTools } from 'legwork/anthropic'

export async function answer(client: Anthropic, model: string, question: string): Promise<unknown> {
  await using legwork = await createLegwork() // reads legwork.jsonc
  const tools = await anthropicTools(legwork)
  const messages = [{ role: 'user' as const, content: question }]
  const last = await client.beta.messages.toolRunner({ model, messages, tools, max_tokens: 1_024, max_iterations: 5 })
  return last.content
}
