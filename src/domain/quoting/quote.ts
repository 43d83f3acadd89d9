import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { type Fail, invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import { allowedVenues, listed, preferAllowed, type VenueNeeds } from '../policies/trade-policy.ts'
import { ownWallet } from '../policies/wallet-policy.ts'
import { type Chain, type Chains, type Head, type Hex, paidPerGas, type Token } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { StoredQuote } from '../ports/trades.ts'
import { formatUnits } from '../values/money.ts'
import { minimumOut, poolFee, priceImpactBps } from '../values/price-impact.ts'
import { currentPrice } from '../values/prices.ts'
import { free, type GasPrice } from '../values/routing.ts'
import { readSwap, type Swap } from '../values/swap.ts'
import { chainOf, knownToken, nativeOf } from '../values/tokens.ts'
import { deliver } from './deliver.ts'

/** A quote as callers see it. */
export type Quote = OutputOf<typeof contract.trading.quote>

/**
 * The best route over the known venues at the newest block, valid for 30 seconds. Where a wallet is named, only venues
 * that it may use count; FAILED_PRECONDITION where none of them fills the swap.
 */
export const quote: Handler<typeof contract.trading.quote, QuotePorts | 'wallets'> = async (ports, request, call) => {
  const swap = await readSwap(ports.chains, request.input)
  const wallet = await quotingWallet(ports, request.wallet_ref, call)
  const stored = await makeQuote(ports, { userId: call.principal.userId, swap, wallet }, call.fail)
  await requireVenue(ports, stored, wallet, call.fail)
  return presentQuote(stored, ports.chains)
}

/** The address of the wallet that will trade; null where none is named. */
export async function quotingWallet(
  ports: Pick<Ports, 'wallets'>,
  ref: string | undefined,
  { principal, fail }: { principal: { userId: number }; fail: Fail<'NOT_FOUND'> },
): Promise<Hex | null> {
  return ref === undefined ? null : (await ownWallet(ports, principal.userId, ref, fail)).address
}

/** FAILED_PRECONDITION where the named wallet may not use the only venue that fills the swap. */
export async function requireVenue(
  ports: Pick<Ports, VenueNeeds>,
  { route: { venue } }: Pick<Price, 'route'>,
  wallet: Hex | null,
  fail: Fail<'FAILED_PRECONDITION'>,
): Promise<void> {
  const venues = wallet === null ? null : await allowedVenues(ports, wallet)
  if (venues === null || venues.includes(venue)) return
  throw fail(
    'FAILED_PRECONDITION',
    `Only ${venue} fills the swap, and this wallet may not use it; it may use ${listed(venues)}. Change the policy of the wallet, or quote another swap.`,
  )
}

export type QuotePorts = 'chains' | 'clock' | 'ids' | 'quotes' | VenueNeeds

/** A swap to quote for an account; the policy of the wallet, where one is named, limits the venues. */
type QuoteRequest = { userId: number; swap: Swap; wallet: Hex | null }

/** The price of a swap at a block: a quote that is not stored. */
export type Price = Omit<StoredQuote, 'id' | 'expiresAt' | 'createdAt'>

/**
 * Prices a swap at the newest block. FAILED_PRECONDITION where no pool fills it or nothing would arrive. A venue that is not
 * allowed is used only where no allowed one fills the swap.
 */
export async function priceSwap(
  ports: Pick<Ports, VenueNeeds>,
  { userId, swap, wallet }: QuoteRequest,
  fail: Fail<'FAILED_PRECONDITION'>,
): Promise<{ price: Price; block: Head }> {
  const { chain, tokenIn, tokenOut, amountIn } = swap
  const venues = await allowedVenues(ports, wallet)
  const { delivery, block } = await bestDelivery(swap, venues, fail)
  if (delivery === null) {
    const pair = `${formatUnits(amountIn, tokenIn.decimals)} ${tokenIn.symbol} to ${tokenOut.symbol}`
    throw fail(
      'FAILED_PRECONDITION',
      `No pool on ${chain.info.name} fills ${pair}. Try another amount or another token.`,
    )
  }
  const { best, arrives, taxBps, gas } = delivery
  const price = {
    userId,
    chainId: chain.info.id,
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    amountIn,
    requestedAmount: swap.requestedAmount,
    expectedOut: arrives,
    transferTaxBps: taxBps,
    spotOut: best.spotOut,
    slippageBps: swap.slippageBps,
    priceImpactBps: priceImpactBps({ ...best, feePips: best.route.feePips }),
    gasEstimate: gas,
    route: best.route,
  }
  return { price, block }
}

/** Prices a swap like `priceSwap`, and stores the quote. */
export async function makeQuote(
  ports: Pick<Ports, QuotePorts>,
  request: QuoteRequest,
  fail: Fail<'FAILED_PRECONDITION'>,
): Promise<StoredQuote> {
  const { price } = await priceSwap(ports, request, fail)
  const createdAt = ports.clock.now()
  const expiresAt = new Date(createdAt.getTime() + ports.tradingSettings.quoteLifetimeMs)
  const stored = { ...price, id: ports.ids.uuid(), expiresAt, createdAt }
  await ports.quotes.save(stored)
  return stored
}

/** The best delivery at the newest block; where that left the chain meanwhile, at the one that took its place. */
async function bestDelivery(
  swap: Swap,
  venues: readonly string[] | null,
  fail: Fail<'FAILED_PRECONDITION'>,
  mayRepeat = true,
): Promise<{ delivery: Awaited<ReturnType<typeof deliver>>; block: Head }> {
  const { chain, tokenIn, tokenOut, amountIn } = swap
  const [{ quotes: all, block }, gasPrice] = await Promise.all([
    chain.quoteRoutes(tokenIn.address, tokenOut.address, amountIn),
    gasIn(chain, tokenOut),
  ])
  try {
    const delivery = await deliver(chain, { quotes: preferAllowed(all, venues), block, amountIn, gasPrice }, fail)
    return { delivery, block }
  } catch (failure) {
    if (!mayRepeat || !(await chain.left(block))) throw failure
    return await bestDelivery(swap, venues, fail, false)
  }
}

/** What a unit of gas costs in a token by the price feeds; zero where a feed is missing or stale. */
async function gasIn(chain: Chain, token: Token): Promise<GasPrice> {
  const native = nativeOf(chain)
  const [fees, wei, unit] = await Promise.all([chain.fees(), currentPrice(chain, native), currentPrice(chain, token)])
  if (wei === null || unit === null) return free
  return {
    perGas: paidPerGas(fees) * wei.answer * 10n ** BigInt(token.decimals + unit.decimals),
    scale: unit.answer * 10n ** BigInt(native.decimals + wei.decimals),
  }
}

/** The price impact from which a trade takes more than half of what a pool holds. */
const emptyingBps = 5_000

function emptyingWarning(priceImpactBps: number): string {
  const loss = formatUnits(BigInt(priceImpactBps), 2)
  return `This amount empties most of the pool: it yields ${loss} % less than at the current price. Trade a smaller amount.`
}

/** A price as callers see it. */
export function presentPrice(price: Price, chains: Chains): Omit<Quote, 'quote_id' | 'expires_at'> {
  const chain = chainOf(chains, price.chainId, 'quote')
  const amountOf = (value: bigint, address: string) => formatUnits(value, knownToken(chain, address)?.decimals ?? 18)
  const gas = price.gasEstimate.toString()
  return {
    route: [...price.route.tokens],
    expected_out: amountOf(price.expectedOut, price.tokenOut),
    price_impact_bps: price.priceImpactBps,
    slippage_bps: price.slippageBps,
    fees: { protocol_fee: amountOf(poolFee(price.amountIn, price.route.feePips), price.tokenIn), gas_estimate: gas },
    gas_estimate: gas,
    venue: price.route.venue,
    minimum_out: amountOf(minimumOut(price.expectedOut, price.slippageBps), price.tokenOut),
    ...(price.priceImpactBps < emptyingBps ? {} : { warning: emptyingWarning(price.priceImpactBps) }),
    ...(price.transferTaxBps === null ? {} : { transfer_tax_bps: price.transferTaxBps }),
  }
}

/** A stored quote as callers see it. */
export function presentQuote(stored: StoredQuote, chains: Chains): Quote {
  return { ...presentPrice(stored, chains), quote_id: stored.id, expires_at: stored.expiresAt.toISOString() }
}

/**
 * The quote to trade at: the one that `quoteId` names, else a new one. A named quote must be the account's own, still
 * valid and of the same swap; an error names the field that differs.
 */
export async function bindQuote(
  ports: Pick<Ports, QuotePorts>,
  request: QuoteRequest,
  quoteId: string | undefined,
  fail: Fail<'NOT_FOUND' | 'FAILED_PRECONDITION'>,
): Promise<StoredQuote> {
  if (quoteId === undefined) return await makeQuote(ports, request, fail)
  const quote = await ports.quotes.find(request.userId, quoteId)
  if (quote === null)
    throw fail('NOT_FOUND', 'You have no quote with this quote_id. Request a new one from trading.quote.')
  refuseOtherSwap(quote, request.swap)
  if (quote.expiresAt <= ports.clock.now())
    throw fail('FAILED_PRECONDITION', 'The quote has expired. Request a new quote.')
  return quote
}

function refuseOtherSwap(quote: StoredQuote, swap: Swap): void {
  const same = {
    chain_id: quote.chainId === swap.chain.info.id,
    token_in_address: quote.tokenIn.toLowerCase() === swap.tokenIn.address.toLowerCase(),
    token_out_address: quote.tokenOut.toLowerCase() === swap.tokenOut.address.toLowerCase(),
    // The token amount of a USD amount changes with the price, so equal requested amounts are enough.
    amount_in: quote.amountIn === swap.amountIn || quote.requestedAmount === swap.requestedAmount,
    slippage_bps: quote.slippageBps === swap.slippageBps,
  }
  const differing = Object.entries(same).find(([, equal]) => !equal)?.[0]
  if (differing === undefined) return
  throw invalid(
    `input.${differing}`,
    'differs from the quote with this quote_id; send the swap that was quoted',
    'quote_differs',
  )
}
