import type { AssistantRequest, AssistantTool } from '../ports/assistant.ts'
import type { Ports } from '../ports/index.ts'
import { quoteLifetimeMs } from '../quoting/quote.ts'
import { answerWord, type ConfirmPorts } from './offers/confirm.ts'
import { type Answered, offerText, show, untradedQuote } from './offers/offer.ts'
import { toolNameOf } from './tools/tool-declarations.ts'

export type ConversePorts = ConfirmPorts | 'assistant'

/** A quote that was made while an answer was written. */
type Made = { quoteId: string; walletRef: string | null }

/**
 * The answer to a message, piece by piece: to a confirmed quote its trade, else what the assistant writes, and after it
 * every quote that it made or named, in words of our own. So what is confirmed is what was shown, whatever it wrote.
 */
export async function* converse(
  ports: Pick<Ports, ConversePorts>,
  caller: Answered,
  request: AssistantRequest,
): AsyncGenerator<string> {
  const answered = await answerWord(ports, caller, request)
  if (answered !== null) {
    yield* answered
    return
  }
  const made: Made[] = []
  let said = ''
  for await (const piece of ports.assistant.reply({ ...request, tools: noting(request.tools, made) })) {
    said += piece
    yield piece
  }
  yield* showNamed(ports, caller, said.toLowerCase())
  yield* showMade(ports, caller, made, request.signal)
}

/** Shows again, as it is, each quote of before that the assistant has named and that can still be traded. */
async function* showNamed(ports: Pick<Ports, ConversePorts>, caller: Answered, said: string): AsyncGenerator<string> {
  const livingSince = new Date(ports.clock.now().getTime() - quoteLifetimeMs)
  for (const { quoteId } of await ports.offers.since(caller.sessionId, livingSince)) {
    const shown = said.includes(quoteId) ? await untradedQuote(ports, caller, quoteId) : null
    if (shown !== null) yield `\n${offerText(ports, shown.quote, shown.offered)}`
  }
}

async function* showMade(
  ports: Pick<Ports, ConversePorts>,
  { userId, answerId }: Answered,
  made: readonly Made[],
  stopped: AbortSignal,
): AsyncGenerator<string> {
  for (const { quoteId, walletRef } of made) {
    const quote = await ports.quotes.find(userId, quoteId)
    if (quote === null) continue
    yield '\n'
    yield* show(ports, quote, { answerId, walletRef }, stopped)
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
