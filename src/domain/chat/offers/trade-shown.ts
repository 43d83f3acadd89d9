import type { contract } from '../../../contract/index.ts'
import { neverAborts } from '../../../kit/values.ts'
import { DomainError } from '../../core/errors.ts'
import type { Ports } from '../../ports/index.ts'
import { execute } from '../../trading/execute.ts'
import { presentExecution } from '../../trading/present-execution.ts'
import { requestedSwap } from '../../values/swap.ts'
import { chainOf, knownToken } from '../../values/tokens.ts'
import { assistantCall } from '../tools/assistant-call.ts'
import { type AnswerContext, dealText, type Shown, walletOf } from './offer.ts'
import { type Outcome, outcomeText, refusedText, unknownOutcomeText } from './outcome-text.ts'
import { isExpired, type RenewPorts, renew } from './renew-offer.ts'

export type TradePorts = RenewPorts | keyof Parameters<typeof execute>[0]

/**
 * Trades a confirmed quote and reports the outcome. The quote's id is the idempotency key: the same sentence, however
 * often and wherever it is sent, is one trade.
 */
export async function* tradeShown(
  ports: Pick<Ports, TradePorts>,
  context: AnswerContext,
  shown: Shown,
  stopped: AbortSignal,
): AsyncGenerator<string> {
  const { offered, quote } = shown
  context.noteQuote(quote.id)
  const deal = `quote ${quote.id}, ${dealText(ports, quote)}, from your wallet ${walletOf(offered)}`
  yield `Trading ${deal}. Stopping this answer does not stop the trade.\n`
  try {
    yield outcomeText(await trade(ports, context, shown))
  } catch (failure) {
    if (!(failure instanceof DomainError)) throw failure
    const known = await ports.executions.findByKey(context.userId, quote.id)
    if (known?.quoteId === quote.id) yield unknownOutcomeText(quote.id, failure)
    else if (known === null && isExpired(ports, shown)) yield* renew(ports, context, shown, stopped)
    else yield refusedText(failure)
  }
}

async function trade(
  ports: Pick<Ports, TradePorts>,
  { userId, sessionId }: AnswerContext,
  { offered, quote }: Shown,
): Promise<Outcome> {
  const exact = { amount_in: quote.amountIn.toString(), amount_in_currency: 'base_units' } as const
  const request = {
    input: { ...requestedSwap(quote), ...exact, simulate_only: false },
    confirm: true,
    skip_risk: false,
    wallet_ref: walletOf(offered),
    idempotency_key: quote.id,
    quote_id: quote.id,
    agent: 'trading_team',
  }
  const call = assistantCall<typeof contract.trading.execute>({ userId, sessionId }, neverAborts)
  const answer = await execute(ports, request, call)
  const { execution_id: id } = answer
  const execution = id === undefined ? null : await ports.executions.find(userId, id)
  const chain = chainOf(ports.chains, quote.chainId, 'quote')
  const symbolOf = (address: string) => knownToken(chain, address)?.symbol ?? address
  return {
    answer,
    execution: execution === null ? null : presentExecution(ports, execution),
    symbols: { sold: symbolOf(quote.tokenIn), received: symbolOf(quote.tokenOut), gas: chain.info.nativeSymbol },
  }
}
