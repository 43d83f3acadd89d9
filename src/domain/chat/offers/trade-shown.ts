import type { contract } from '../../../contract/index.ts'
import { DomainError } from '../../core/errors.ts'
import type { Ports } from '../../ports/index.ts'
import { execute } from '../../trading/execute.ts'
import { presentExecution } from '../../trading/present-execution.ts'
import { swapAsked } from '../../values/swap.ts'
import { chainOf, knownToken } from '../../values/tokens.ts'
import { assistantCall } from '../tools/assistant-call.ts'
import { type Answered, dealText, type Shown, walletOf } from './offer.ts'
import { lostText, type Outcome, outcomeText, refusedText } from './outcome-text.ts'
import { type RenewPorts, ranOut, renew } from './renew-offer.ts'

export type TradePorts = RenewPorts | keyof Parameters<typeof execute>[0]

/** A caller that leaves stops no trade. */
const neverAborts = new AbortController().signal

/**
 * Makes the trade of a quote that was confirmed, and tells what came of it. The quote's id is the key, so that the
 * sentence said again, wherever and how often, is the same trade.
 */
export async function* tradeShown(
  ports: Pick<Ports, TradePorts>,
  caller: Answered,
  shown: Shown,
  stopped: AbortSignal,
): AsyncGenerator<string> {
  const { offered, quote } = shown
  const deal = `quote ${quote.id}, ${dealText(ports, quote)}, from your wallet ${walletOf(offered)}`
  yield `Trading ${deal}. Stopping this answer does not stop the trade.\n`
  try {
    yield outcomeText(await traded(ports, caller, shown))
  } catch (failure) {
    if (!(failure instanceof DomainError)) throw failure
    const known = await ports.executions.findByKey(caller.userId, quote.id)
    if (known?.quoteId === quote.id) yield lostText(quote.id, failure)
    else if (known === null && ranOut(ports, shown)) yield* renew(ports, caller, shown, stopped)
    else yield refusedText(failure)
  }
}

async function traded(ports: Pick<Ports, TradePorts>, caller: Answered, { offered, quote }: Shown): Promise<Outcome> {
  const exact = { amount_in: quote.amountIn.toString(), amount_in_currency: 'base_units' } as const
  const request = {
    input: { ...swapAsked(quote), ...exact, simulate_only: false },
    confirm: true,
    skip_risk: false,
    wallet_ref: walletOf(offered),
    idempotency_key: quote.id,
    quote_id: quote.id,
    agent: 'trading_team',
  }
  const answer = await execute(ports, request, assistantCall<typeof contract.trading.execute>(caller, neverAborts))
  const { execution_id: id } = answer
  const execution = id === undefined ? null : await ports.executions.find(caller.userId, id)
  const chain = chainOf(ports.chains, quote.chainId, 'quote')
  const symbolOf = (address: string) => knownToken(chain, address)?.symbol ?? address
  return {
    answer,
    execution: execution === null ? null : presentExecution(ports, execution),
    symbols: { sold: symbolOf(quote.tokenIn), received: symbolOf(quote.tokenOut), gas: chain.info.nativeSymbol },
  }
}
