import { invalid } from '../core/errors.ts'
import { vocabularyOf } from '../intent/reading/vocabulary.ts'
import { type Routed, routeIntent } from '../intent/route-intent.ts'
import type { AssistantRequest, AssistantTool } from '../ports/assistant.ts'
import type { Ports } from '../ports/index.ts'
import { matchOf } from './offers/asked-for.ts'
import { answerConfirmation, type ConfirmPorts } from './offers/confirm.ts'
import { type AnswerContext, showAgain, showFirst, untradedQuote } from './offers/offer.ts'
import { toolNameOf } from './tools/tool-declarations.ts'

export type ConversePorts = ConfirmPorts | 'assistant'

/** A quote that was made while an answer was written. */
type NewQuote = { quoteId: string; walletRef: string | null; isSure: boolean }

/**
 * The answer to a message, piece by piece. A confirmed quote is traded. Any other message is answered by the assistant;
 * every quote that it made or named follows in the gateway's own text, so that the caller confirms the stored figures
 * whatever the assistant wrote.
 */
export async function* converse(
  ports: Pick<Ports, ConversePorts>,
  context: AnswerContext,
  request: AssistantRequest,
): AsyncGenerator<string> {
  const confirmed = await answerConfirmation(ports, context, request)
  if (confirmed !== null) {
    yield* confirmed
    return
  }
  let read: Routed | undefined
  // Read once, and only where there is a quote to compare.
  const asked = () => {
    read ??= routeIntent(request.text, vocabularyOf(ports.chains), ports.clock.now())
    return read
  }
  const quotes: NewQuote[] = []
  const { userId } = context
  const check = async (quoteId: string): Promise<boolean> => {
    const quote = await ports.quotes.find(userId, quoteId)
    const match = quote === null ? null : matchOf(asked(), quote, ports.chains)
    if (match?.kind === 'other') throw invalid('input', match.reason, 'not_asked_for')
    return match?.kind === 'same'
  }
  const shown = { ...context, language: () => asked().language }
  let written = ''
  for await (const piece of ports.assistant.reply({ ...request, tools: notingQuotes(request.tools, quotes, check) })) {
    written += piece
    yield piece
  }
  yield* showNamed(ports, shown, written.toLowerCase())
  yield* showNew(ports, shown, quotes, request.signal)
}

/** Shows each earlier quote again that the assistant named and that can still be traded. */
async function* showNamed(
  ports: Pick<Ports, ConversePorts>,
  context: AnswerContext,
  written: string,
): AsyncGenerator<string> {
  const oldest = new Date(ports.clock.now().getTime() - ports.tradingSettings.quoteLifetimeMs)
  for (const { quoteId } of await ports.offers.since(context.sessionId, oldest)) {
    const shown = written.includes(quoteId) ? await untradedQuote(ports, context, quoteId) : null
    if (shown !== null) yield `\n${showAgain(ports, context, shown)}`
  }
}

async function* showNew(
  ports: Pick<Ports, ConversePorts>,
  context: AnswerContext,
  quotes: readonly NewQuote[],
  stopped: AbortSignal,
): AsyncGenerator<string> {
  for (const { quoteId, walletRef, isSure } of quotes) {
    const quote = await ports.quotes.find(context.userId, quoteId)
    if (quote === null) continue
    yield '\n'
    yield* showFirst(ports, context, { quote, walletRef, isSure }, stopped)
  }
}

/**
 * The given tools, wrapped so that they collect the quotes that they create. `check` throws for a quote that the caller's
 * words contradict, so that it is never shown; it is true where they prove it.
 */
function notingQuotes(
  tools: AssistantRequest['tools'],
  quotes: NewQuote[],
  check: (quoteId: string) => Promise<boolean>,
): AssistantRequest['tools'] {
  const name = toolNameOf('trading.quote')
  const quoting = tools.get(name)
  if (quoting === undefined) return tools
  const run: AssistantTool['run'] = async (input) => {
    const result = await quoting.run(input)
    const { wallet_ref: ref } = input
    const quoteId = String(result.quote_id)
    const isSure = await check(quoteId)
    quotes.push({ quoteId, walletRef: typeof ref === 'string' ? ref : null, isSure })
    return result
  }
  return new Map([...tools, [name, { ...quoting, run }]])
}
