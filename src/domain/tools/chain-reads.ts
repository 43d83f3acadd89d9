import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { type Chain, nativeToken } from '../ports/chains.ts'
import { formatUnits, usdText } from '../values/money.ts'
import { feedAge, isStale, openPrices } from '../values/prices.ts'
import { symbolsMeant } from '../values/token-names.ts'
import { asHex, chainNamed, chainOf, requireChecksum, tokenCalled } from '../values/tokens.ts'

/** The feed's pair that a caller means: a pair, or a token alone, by symbols, usual names or address. */
function pairOf(chain: Chain, asked: string): string {
  const [base = '', quote = 'USD'] = asked.split('/')
  requireChecksum(base, 'pair')
  const { feedPairs } = chain.info
  const pairs = symbolsMeant(base).map((symbol) => `${symbol}/${quote.toUpperCase()}`)
  const known = pairs.find((pair) => feedPairs.includes(pair))
  const ofToken = quote.toUpperCase() === 'USD' ? tokenCalled(chain, base)?.usdFeed : null
  return known ?? ofToken ?? pairs[0] ?? asked
}

/** The latest price of a chain's feed, however old. Its age is measured by the chain's own clock. */
export const oraclePrice: Handler<typeof contract.tools.oraclePrice, 'chains'> = async ({ chains }, input, call) => {
  const chain = chainNamed(chains, input.chain, 'chain')
  const { info } = chain
  const pair = pairOf(chain, input.pair)
  const [feed, head] = await Promise.all([chain.price(pair), chain.head()])
  if (feed === null) {
    const known = info.feedPairs.length === 0 ? 'it has no feeds here' : `its feeds are ${info.feedPairs.join(', ')}`
    throw call.fail('NOT_FOUND', `${info.name} has no price feed of ${pair}; ${known}.`)
  }
  return {
    chain: info.name,
    chain_id: info.id,
    pair: feed.pair,
    price: formatUnits(feed.answer, feed.decimals),
    decimals: feed.decimals,
    updated_at: feed.updatedAt.toISOString(),
    age_seconds: feedAge(feed, head.timestamp),
    heartbeat_seconds: feed.heartbeatSeconds,
    ...(feed.deviationBps === null ? {} : { deviation_bps: feed.deviationBps }),
    stale: isStale(feed, head.timestamp),
    round_id: feed.roundId.toString(),
    round_started_at: feed.startedAt.toISOString(),
    answered_in_round: feed.answeredInRound.toString(),
    feed_address: feed.source,
    source: `oraclefeed on ${info.name}`,
  }
}

/** The balances of an address in the native currency and every known token at one block, with their worth by the feeds. */
export const walletBalance: Handler<typeof contract.tools.walletBalance, 'chains'> = async ({ chains }, input) => {
  const chain = input.chain_id === undefined ? chains.default : chainOf(chains, input.chain_id, 'chain_id')
  const { info } = chain
  const owner = asHex(input.address)
  const held = await chain.balances(
    owner,
    info.tokens.map(({ address }) => address),
  )
  const usd = openPrices(chain, { freshOnly: true })
  const nativeUsd = await usd(nativeToken, held.native)
  const tokens = await Promise.all(
    info.tokens.map(async ({ symbol, address, decimals }, index) => {
      const units = held.tokens[index] ?? 0n
      return { symbol, address, decimals, units, valueUsd: await usd(address, units) }
    }),
  )
  const total = [nativeUsd, ...tokens.map(({ valueUsd }) => valueUsd)].reduce<bigint>(
    (sum, value) => sum + (value ?? 0n),
    0n,
  )
  return {
    address: input.address,
    chain_id: info.id,
    block_number: Number(held.block.number),
    native_symbol: info.nativeSymbol,
    native_balance: formatUnits(held.native, 18),
    ...(nativeUsd === null ? {} : { native_value_usd: usdText(nativeUsd) }),
    total_value_usd: usdText(total),
    tokens: tokens.map(({ units, valueUsd, ...token }) => ({
      ...token,
      amount: formatUnits(units, token.decimals),
      ...(valueUsd === null ? {} : { value_usd: usdText(valueUsd) }),
    })),
    unpriced: [{ symbol: info.nativeSymbol, units: held.native, valueUsd: nativeUsd }, ...tokens]
      .filter(({ units, valueUsd }) => units > 0n && valueUsd === null)
      .map(({ symbol }) => symbol),
    source: `chain ${info.name}`,
  }
}
