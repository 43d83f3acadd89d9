import { describe, expect, test } from 'vitest'
import { DomainError } from '../core/errors.ts'
import type { Chain, FeedPrice, Token } from '../ports/chains.ts'
import { checkPrice } from './price-sanity.ts'
import type { RiskLimits } from './risk-limits.ts'

const weth: Token = {
  symbol: 'WETH',
  address: '0x000000000000000000000000000000000000000a',
  decimals: 18,
  usdFeed: 'ETH/USD',
}
const usdc: Token = {
  symbol: 'USDC',
  address: '0x000000000000000000000000000000000000000b',
  decimals: 6,
  usdFeed: 'USDC/USD',
}
const now = 1_800_000_000
const trade = { tokenIn: weth.address, tokenOut: usdc.address, amountIn: 10n ** 18n }

const usual: RiskLimits = {
  maxPriceImpactBps: null,
  minLiquidityUsd: null,
  maxTaxBps: null,
  maxPriceDeviationBps: null,
  maxWhaleBps: null,
}
const check = (chain: Chain, checked: Parameters<typeof checkPrice>[1] = trade) => checkPrice(chain, checked, usual)

type World = {
  eth?: bigint
  ageSeconds?: number
  spotOut?: bigint
  amountOut?: bigint
  held?: bigint | null
  /** The balance of the pool in the other token of the pair, where that one differs. */
  heldOfUsdc?: bigint
  feedFails?: 'FAILED_PRECONDITION' | 'UNAVAILABLE'
}

/** A chain with the given output of its pool, and the given age of its feeds. */
function chainWith({
  eth = 3_000_00000000n,
  ageSeconds = 60,
  spotOut = 3_000_000000n,
  amountOut,
  held = 10n ** 21n,
  heldOfUsdc,
  feedFails,
}: World): Chain {
  const block = { number: 7n, hash: '0x1' as const, timestamp: BigInt(now) }
  const feed = (pair: string): FeedPrice => ({
    ...{
      pair,
      decimals: 8,
      heartbeatSeconds: 3_600,
      deviationBps: null,
      roundId: 1n,
      answeredInRound: 1n,
      startedAt: new Date(0),
      source: '0x1',
    },
    answer: pair === 'ETH/USD' ? eth : 1_00000000n,
    updatedAt: new Date((now - ageSeconds) * 1_000),
  })
  const route = {
    venue: 'uniswap_v2' as const,
    tokens: [weth.address, usdc.address],
    feePips: [3_000],
    pools: ['0x9' as const],
  }
  const chain: Partial<Chain> = {
    info: { tokens: [weth, usdc] } as unknown as Chain['info'],
    price: async (pair) => {
      if (feedFails !== undefined) throw new DomainError(feedFails, 'no price')
      return feed(pair)
    },
    quoteRoutes: async () => ({
      block,
      quotes: [{ route, spotOut, amountOut: amountOut ?? (spotOut * 997n) / 1_000n, gas: 180_000n }],
    }),
    head: async () => block,
    balances: async (_pool, [token]) => ({
      native: 0n,
      tokens: [token === usdc.address ? (heldOfUsdc ?? held) : held],
      block,
    }),
  }
  return chain as Chain
}

describe('the price check', () => {
  test.each<[string, World, string, string[]]>([
    ['pools at the feeds', {}, 'pass', []],
    ['pools 3 % off', { spotOut: 2_910_000000n }, 'warn', ['price_deviates']],
    ['pools 10 % off', { spotOut: 3_300_000000n }, 'fail', ['price_deviates']],
    ['a feed at its heartbeat', { ageSeconds: 3_600 }, 'pass', []],
    ['a feed past its heartbeat', { ageSeconds: 3_601 }, 'unknown', ['stale_feed']],
    ['a feed that returns no price', { feedFails: 'FAILED_PRECONDITION' }, 'unknown', ['no_feed']],
  ])('%s', async (_name, world, verdict, flags) => {
    expect(await check(chainWith(world))).toMatchObject({ verdict, flags })
  })

  test('measures impact and the depth of the pool', async () => {
    const { verdict, details } = await check(chainWith({ amountOut: 2_900_000000n }))
    expect(verdict).toBe('warn')
    expect(details).toMatchObject({ block: 7, amount_in: '1', price_impact_bps: 304, liquidity_usd: '6000000' })
    const without = await check(chainWith({ spotOut: 30_000000n }), { ...trade, amountIn: null })
    expect(without).toMatchObject({ verdict: 'pass', details: { amount_in: null, price_impact_bps: null } })
  })

  test('a pool that cannot be read is unknown, and an empty one has thin liquidity', async () => {
    const unread = await check(chainWith({ held: null }))
    expect(unread).toMatchObject({ verdict: 'unknown', flags: ['pool_unreadable'], details: { liquidity_usd: null } })
    expect(await check(chainWith({ held: 0n }))).toMatchObject({ verdict: 'fail', flags: ['thin_liquidity'] })
    const half = await check(chainWith({ held: null, heldOfUsdc: 10n ** 12n }))
    expect(half).toMatchObject({ verdict: 'pass', details: { liquidity_usd: '2000000' } })
  })

  test('judges the pools of the requested route, even where another route pays more', async () => {
    const chain = chainWith({})
    const { block, quotes } = await chain.quoteRoutes(weth.address, usdc.address, trade.amountIn)
    const [best] = quotes
    const route = { ...best!.route, venue: 'uniswap_v3' as const, pools: ['0xaB' as const] }
    const worse = { ...best!, route, spotOut: 2_700_000000n, amountOut: 2_691_900000n }
    const both = { ...chain, quoteRoutes: async () => ({ block, quotes: [best!, worse] }) }
    expect(await check(both)).toMatchObject({ verdict: 'pass', details: { venue: 'uniswap_v2' } })
    expect(await check(both, { ...trade, pools: ['0xab'] })).toMatchObject({
      verdict: 'fail',
      flags: ['price_deviates'],
      details: { venue: 'uniswap_v3', pools: ['0xaB'] },
    })
    expect(await check(both, { ...trade, pools: ['0xcd'] })).toMatchObject({ verdict: 'unknown', flags: ['no_pool'] })
  })

  test('the rounding of a tiny amount is not a deviation', async () => {
    const tiny = { ...trade, amountIn: 10n ** 9n }
    expect(await check(chainWith({ spotOut: 2n, amountOut: 1n }), tiny)).toMatchObject({
      verdict: 'pass',
      details: { price_impact_bps: 0 },
    })
  })

  test('a chain that does not respond is a failure, not a finding', async () => {
    await expect(check(chainWith({ feedFails: 'UNAVAILABLE' }))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    })
  })
})
