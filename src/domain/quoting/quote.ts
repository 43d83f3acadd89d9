import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { DomainError } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import { allowedVenues, steered, type VenueNeeds } from '../policies/allowed-venues.ts'
import { listed } from '../policies/trade-policy.ts'
import { ownWallet } from '../policies/wallet-policy.ts'
import type { Chain, Chains, Hex, Token } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { StoredQuote } from '../ports/trades.ts'
import { formatUnits } from '../values/money.ts'
import { minimumOut, poolFee, priceImpactBps } from '../values/price-impact.ts'
import { currentPrice } from '../values/prices.ts'
import { free, type GasPrice } from '../values/routing.ts'
import { askedAmount, readSwap, type SwapInput } from '../values/swap.ts'
import { chainOf, knownToken, nativeOf } from '../values/tokens.ts'
import { deliver } from './deliver.ts'

/** How long a quote may be traded. */
export const quoteLifetimeMs = 30_000

/** A quote as it is answered. */
export type Quote = OutputOf<typeof contract.trading.quote>

/**
 * The best route over the known venues at the newest block, kept for 30 seconds of trading; for a wallet that is named,
 * over the venues that it may use, and FAILED_PRECONDITION where those do not fill it.
 */
export const quote: Handler<typeof contract.trading.quote, QuotePorts | 'wallets'> = async (ports, request, call) => {
  const { userId } = call.principal
  const { input, wallet_ref: ref } = request
  if (ref === undefined) return presentQuote(await makeQuote(ports, userId, input), ports.chains)
  const { address: wallet } = await ownWallet(ports, userId, ref)
  const stored = await makeQuote(ports, userId, input, { wallet })
  const venues = await allowedVenues(ports, wallet)
  if (venues === null || venues.includes(stored.route.venue)) return presentQuote(stored, ports.chains)
  throw call.fail(
    'FAILED_PRECONDITION',
    `No venue that this wallet may use fills the swap, ${stored.route.venue} alone does; allowed: ${listed(venues)}.`,
  )
}

export type QuotePorts = 'chains' | 'clock' | 'ids' | 'quotes' | VenueNeeds

/** Where errors say that the swap stands, and the wallet whose policy steers the route beside the configuration's. */
export type QuoteOptions = { path?: string; wallet?: Hex | null }

/**
 * Prices a swap and keeps the quote. INVALID_ARGUMENT names fields under `path`; where no pool fills it, or nothing would
 * arrive, it is FAILED_PRECONDITION. Venues that may not be used are taken only where the others fill nothing.
 */
export async function makeQuote(
  ports: Pick<Ports, QuotePorts>,
  userId: number,
  input: SwapInput,
  { path = 'input', wallet = null }: QuoteOptions = {},
): Promise<StoredQuote> {
  const { chain, tokenIn, tokenOut, amountIn } = await readSwap(ports.chains, input, path)
  const [{ quotes: all, block }, gasPrice, venues] = await Promise.all([
    chain.quoteRoutes(tokenIn.address, tokenOut.address, amountIn),
    gasIn(chain, tokenOut),
    allowedVenues(ports, wallet),
  ])
  const quotes = steered(all, venues)
  const delivery = await deliver(chain, { quotes, block, amountIn, gasPrice })
  if (delivery === null) {
    const pair = `${formatUnits(amountIn, tokenIn.decimals)} ${tokenIn.symbol} to ${tokenOut.symbol}`
    throw new DomainError(
      'FAILED_PRECONDITION',
      `There is no pool on ${chain.info.name} that fills ${pair}: try another amount or another token.`,
    )
  }
  const { best, arrives, taxBps } = delivery
  const createdAt = ports.clock.now()
  const stored: StoredQuote = {
    id: ports.ids.uuid(),
    userId,
    chainId: chain.info.id,
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    amountIn,
    asked: askedAmount(input),
    expectedOut: arrives,
    transferTaxBps: taxBps,
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

/** What a unit of gas costs in a token by the feeds; nothing where they do not price both sides. */
async function gasIn(chain: Chain, token: Token): Promise<GasPrice> {
  const native = nativeOf(chain)
  const [{ maxFeePerGas, maxPriorityFeePerGas }, wei, unit] = await Promise.all([
    chain.fees(),
    currentPrice(chain, native),
    currentPrice(chain, token),
  ])
  if (wei === null || unit === null) return free
  // The fee offered has room for the base fee to double; about half of it is what a block takes.
  const paid = (maxFeePerGas + maxPriorityFeePerGas) / 2n
  return {
    perGas: paid * wei.answer * 10n ** BigInt(token.decimals + unit.decimals),
    scale: unit.answer * 10n ** BigInt(native.decimals + wei.decimals),
  }
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
    ...(stored.transferTaxBps === null ? {} : { transfer_tax_bps: stored.transferTaxBps }),
  }
}
