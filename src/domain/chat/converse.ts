import type { AssistantRequest, AssistantTool } from '../ports/assistant.ts'
import type { Ports } from '../ports.ts'
import { answerWord, type ConfirmPorts } from './confirm.ts'
import { offer } from './offer.ts'
import { toolNameOf } from './tool-declarations.ts'

export type ConversePorts = ConfirmPorts | 'assistant'

type Caller = { userId: number; sessionId: string }

/** A quote that was made while an answer was written. */
type Made = { quoteId: string; walletRef: string | null }

/**
 * The answer to a message, piece by piece: to a confirmed quote its trade, else what the assistant writes, and after it
 * every quote that it made, in words of our own. So what is confirmed is what was shown, whatever an assistant wrote.
 */
export async function* converse(
  ports: Pick<Ports, ConversePorts>,
  caller: Caller,
  request: AssistantRequest,
): AsyncGenerator<string> {
  const lastAnswer = request.history.findLast(({ role }) => role === 'assistant')?.content ?? ''
  const answered = await answerWord(ports, caller, request.text, lastAnswer)
  if (answered !== null) {
    yield* answered
    return
  }
  const made: Made[] = []
  yield* ports.assistant.reply({ ...request, tools: noting(request.tools, made) })
  for (const { quoteId, walletRef } of made) {
    const quote = await ports.quotes.find(caller.userId, quoteId)
    if (quote !== null) yield `\n${await offer(ports, quote, { sessionId: caller.sessionId, walletRef })}`
  }
}

/** The same tools, which note the quotes that they make. */
function noting(tools: AssistantRequest['tools'], made: Made[]): AssistantRequest['tools'] {
  const name = toolNameOf('trading.quote')
  const quoting = tools.get(name)
  if (quoting === undefined) return tools
  const run: AssistantTool['run'] = async (input) => {
    const answer = await quoting.run(input)
    const { wallet_ref: ref } = input
    made.push({ quoteId: String(answer.quote_id), walletRef: typeof ref === 'string' ? ref : null })
    return answer
  }
  return new Map([...tools, [name, { ...quoting, run }]])
}
