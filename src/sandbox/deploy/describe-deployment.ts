import type { Deployment } from '../../adapters/chain/reads/deployment.ts'
import { addresses, multicall3 } from './addresses.ts'
import { faultyTokens } from './faulty-tokens.ts'
import { feeds, heartbeatSeconds, tokens } from './market.ts'

/** Describes the sandbox to the gateway as any other chain is described. */
export function describeDeployment(chainId: number, blockTimeSeconds: number, firstTradedBlock: number): Deployment {
  const { weth, usdc, wbtc, rug, v2Factory, v2Router, v3Factory, v3Quoter, v3Router } = addresses
  return {
    chain_id: chainId,
    name: 'sandbox',
    native_symbol: 'ETH',
    block_time_seconds: blockTimeSeconds,
    wrapped_native: weth,
    multicall3,
    uniswap_v2: { factory: v2Factory, router: v2Router },
    uniswap_v3: { factory: v3Factory, quoter: v3Quoter, router: v3Router, fee_tiers: [500, 3000] },
    tokens: [
      { symbol: 'WETH', address: weth, decimals: tokens.WETH.decimals, usd_feed: 'ETH/USD' },
      { symbol: 'USDC', address: usdc, decimals: tokens.USDC.decimals, usd_feed: 'USDC/USD', pegged: 'USD' },
      { symbol: 'WBTC', address: wbtc, decimals: tokens.WBTC.decimals, usd_feed: 'BTC/USD' },
      { symbol: 'RUG', address: rug, decimals: 18, test: true },
      ...faultyTokens.map(({ name, symbol, feed }) => ({
        symbol,
        address: addresses[name],
        decimals: 18,
        usd_feed: feed,
        test: true,
      })),
    ],
    feeds: feeds.map(({ pair, name }) => ({ pair, address: addresses[name], heartbeat_seconds: heartbeatSeconds })),
    native_usd_feed: 'ETH/USD',
    first_traded_block: firstTradedBlock,
  }
}
