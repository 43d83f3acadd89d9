import type { contract } from '../../contract/index.ts'
import type { InputOf } from '../../contract/shared/operation.ts'
import { DomainError, invalid } from '../core/errors.ts'
import type { Hex } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { StoredQuote } from '../ports/trades.ts'
import { askedAmount, type Swap } from '../values/swap.ts'
import { makeQuote, type QuotePorts } from './quote.ts'

export type ExecuteInput = InputOf<typeof contract.trading.execute>

/** A request for a real trade, which names its wallet and its key. */
export type TradeRequest = ExecuteInput & { wallet_ref: string; idempotency_key: string }

/**
 * The quote to trade by: the one the caller names, which must be its own, still valid and of the same swap, else one
 * made now over venues that the wallet may use. NOT_FOUND, FAILED_PRECONDITION, or INVALID_ARGUMENT that names the field that differs.
 */
export async function quoteFor(
  ports: Pick<Ports, QuotePorts>,
  userId: number,
  request: ExecuteInput,
  swap: Swap,
  wallet: Hex | null,
): Promise<StoredQuote> {
  if (request.quote_id === undefined) return await makeQuote(ports, userId, request.input, { wallet })
  const quote = await ports.quotes.find(userId, request.quote_id)
  if (quote === null) throw new DomainError('NOT_FOUND', 'You have no quote of this quote_id; ask for a new quote.')
  refuseDifferent(quote, request, swap)
  if (quote.expiresAt <= ports.clock.now()) {
    throw new DomainError('FAILED_PRECONDITION', 'The quote has expired; ask for a new quote and trade that one.')
  }
  return quote
}

function refuseDifferent(quote: StoredQuote, { input }: ExecuteInput, swap: Swap): void {
  const same = {
    chain_id: quote.chainId === swap.chain.info.id,
    token_in_address: quote.tokenIn.toLowerCase() === swap.tokenIn.address.toLowerCase(),
    token_out_address: quote.tokenOut.toLowerCase() === swap.tokenOut.address.toLowerCase(),
    // A worth in dollars is another amount from block to block: what was asked for must be the same.
    amount_in: quote.amountIn === swap.amountIn || quote.asked === askedAmount(input),
    slippage_bps: quote.slippageBps === input.slippage_bps,
  }
  const differing = Object.entries(same).find(([, equal]) => !equal)?.[0]
  if (differing === undefined) return
  throw invalid(
    `input.${differing}`,
    'differs from the quote of this quote_id; send the swap that was quoted',
    'quote_differs',
  )
}
