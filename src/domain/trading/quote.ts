import type { contract } from '../../contract/index.ts'
import type { InputOf, OutputOf } from '../../contract/operation.ts'
import { DomainError, invalid } from '../errors.ts'
import type { Handler } from '../handler.ts'
import type { Chain, Chains } from '../ports/chains.ts'
import type { StoredQuote } from '../ports/trades.ts'
import type { Ports } from '../ports.ts'
import { formatUnits, parseUnits } from './money.ts'
import { minimumOut, poolFee, priceImpactBps } from './price-impact.ts'
import { bestRoute } from './routing.ts'
import { chainOf, knownToken, tokenOf } from './tokens.ts'

/** How long a quote may be traded. */
export const quoteLifetimeMs = 30_000

/** A swap as a caller asks for it, and a quote as it is answered. */
export type SwapInput = InputOf<typeof contract.trading.quote>['input']
export type Quote = OutputOf<typeof contract.trading.quote>

/** The best route over the known venues at the newest block, kept for 30 seconds of trading. */
export const quote: Handler<typeof contract.trading.quote, QuotePorts> = async (ports, { input }, call) => {
  return presentQuote(await makeQuote(ports, call.principal.userId, input), ports.chains)
}

export type QuotePorts = 'chains' | 'clock' | 'ids' | 'quotes'

/** Prices a swap and keeps the quote. INVALID_ARGUMENT names fields under `path`; no pool is FAILED_PRECONDITION. */
export async function makeQuote(
  ports: Pick<Ports, QuotePorts>,
  userId: number,
  input: SwapInput,
  path = 'input',
): Promise<StoredQuote> {
  const { chain, tokenIn, tokenOut, amountIn } = readSwap(ports.chains, input, path)
  const { quotes } = await chain.quoteRoutes(tokenIn.address, tokenOut.address, amountIn)
  const best = bestRoute(quotes)
  if (best === null) {
    const pair = `${formatUnits(amountIn, tokenIn.decimals)} ${tokenIn.symbol} to ${tokenOut.symbol}`
    throw new DomainError(
      'FAILED_PRECONDITION',
      `There is no pool on ${chain.info.name} that fills ${pair}: try another amount or another token.`,
    )
  }
  const createdAt = ports.clock.now()
  const stored: StoredQuote = {
    id: ports.ids.uuid(),
    userId,
    chainId: chain.info.id,
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    amountIn,
    expectedOut: best.amountOut,
    spotOut: best.spotOut,
    slippageBps: input.slippage_bps,
    priceImpactBps: priceImpactBps({ ...best, feePips: best.route.feePips }),
    gasEstimate: await chain.estimateSwapGas(best.route, amountIn),
    route: best.route,
    expiresAt: new Date(createdAt.getTime() + quoteLifetimeMs),
    createdAt,
  }
  await ports.quotes.save(stored)
  return stored
}

/** A quote as the contract answers it. */
export function presentQuote(stored: StoredQuote, chains: Chains): Quote {
  const chain = chainOf(chains, stored.chainId, 'quote')
  const amountOf = (value: bigint, address: string) => formatUnits(value, knownToken(chain, address)?.decimals ?? 18)
  const gas = stored.gasEstimate.toString()
  return {
    route: [...stored.route.tokens],
    expected_out: amountOf(stored.expectedOut, stored.tokenOut),
    price_impact_bps: stored.priceImpactBps,
    slippage_bps: stored.slippageBps,
    fees: { protocol_fee: amountOf(poolFee(stored.amountIn, stored.route.feePips), stored.tokenIn), gas_estimate: gas },
    gas_estimate: gas,
    venue: stored.route.venue,
    quote_id: stored.id,
    expires_at: stored.expiresAt.toISOString(),
    minimum_out: amountOf(minimumOut(stored.expectedOut, stored.slippageBps), stored.tokenOut),
  }
}

/** A swap whose chain, tokens and amount are known to make sense. */
export type Swap = {
  chain: Chain
  tokenIn: Chain['info']['tokens'][number]
  tokenOut: Chain['info']['tokens'][number]
  amountIn: bigint
}

/** Checks a swap against the chains; every rule that it breaks is INVALID_ARGUMENT and names its field. */
export function readSwap(chains: Chains, input: SwapInput, path = 'input'): Swap {
  const chain = chainOf(chains, input.chain_id, `${path}.chain_id`)
  const tokenIn = tokenOf(chain, input.token_in_address, `${path}.token_in_address`)
  const tokenOut = tokenOf(chain, input.token_out_address, `${path}.token_out_address`)
  if (tokenIn === tokenOut)
    throw invalid(`${path}.token_out_address`, 'must be another token than the one sold', 'same_token')
  return { chain, tokenIn, tokenOut, amountIn: parseUnits(input.amount_in, tokenIn.decimals, `${path}.amount_in`) }
}
