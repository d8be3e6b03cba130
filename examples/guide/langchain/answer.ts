import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { createLegwork } from 'legwork'
import { langChainTools } from 'legwork/langchain'

export async function answer(model: BaseChatModel, question: string): Promise<string> {
  await using legwork = await createLegwork() // reads legwork.jsonc
  const tools = await langChainTools(legwork)
  const messages: BaseMessage[] = [new HumanMessage(question)]
  for (;;) {
    const reply = await model.bindTools?.(tools).invoke(messages)
    if (!reply?.tool_calls?.length) return reply?.text ?? ''
    messages.push(reply)
    for (const { id = '', name, args } of reply.tool_calls) {
      const call = tools.find((tool) => tool.name === name)?.invoke({ type: 'tool_call', id, name, args })
      const failed = (error: unknown) => new ToolMessage({ tool_call_id: id, status: 'error', content: String(error) })
      messages.push((await call?.catch(failed)) ?? failed(`There is no tool "${name}".`))
    }
  }
}
