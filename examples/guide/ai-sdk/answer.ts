import { generateText, isStepCount, type LanguageModel } from 'ai'
import { createLegwork } from 'legwork'
import { aiSdkTools } from 'legwork/ai-sdk'

export async function answer(model: LanguageModel, prompt: string): Promise<string> {
  await using legwork = await createLegwork() // reads legwork.jsonc
  const { text } = await generateText({ model, prompt, ...(await aiSdkTools(legwork)), stopWhen: isStepCount(5) })
  return text
}
