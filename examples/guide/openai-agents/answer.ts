import { Agent, type Model, run } from '@openai/agents'
import { createLegwork } from 'legwork'
import { openAiAgentTools } from 'legwork/openai-agents'

export async function answer(model: Model | string, question: string): Promise<unknown> {
  await using legwork = await createLegwork() // reads legwork.jsonc
  const agent = new Agent({ name: 'helper', model, tools: await openAiAgentTools(legwork) })
  const { finalOutput } = await run(agent, question)
  return finalOutput
}
