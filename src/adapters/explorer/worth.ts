import { type Address, formatUnits, type Hex } from 'viem'
import { type Deployment, soundTokens } from '../chain/reads/deployment.ts'
import { feedViews, multicallViews, type Reading, tokenViews } from '../chain/reads/views.ts'
import type { CallNode } from './node.ts'

type Listed = Deployment['tokens'][number]

/** A listed token that an address holds, and what it is worth; null where no current price is known. */
type Holding = { token: Listed; amount: string; usd: string | null }

/** What an address is worth in USD; the symbols of what it holds without a current price. */
type Worth = { usd: string; unpriced: string[] }

const usdDecimals = 18

/**
 * The listed tokens of an address, and the worth of them and of its balance, in four calls: the test tokens may burn the
 * gas of theirs. `now` is the chain's clock in seconds, by which a price older than its heartbeat counts as none.
 */
export async function readWorth(
  callNode: CallNode,
  deployment: Deployment,
  address: Address,
  balance: bigint,
  now: bigint,
) {
  const sound = soundTokens(deployment)
  const tests = deployment.tokens.filter((token) => !sound.includes(token))
  const balances = (tokens: readonly Listed[]) => tokens.map((token) => tokenViews.balanceOf(token.address, address))
  const [ofSound, ofTests, answers, decimals] = await Promise.all([
    readTogether(callNode, deployment, balances(sound)),
    readTogether(callNode, deployment, balances(tests)).catch(() => []),
    readTogether(
      callNode,
      deployment,
      deployment.feeds.map((feed) => feedViews.latestRoundData(feed.address)),
    ),
    readTogether(
      callNode,
      deployment,
      deployment.feeds.map((feed) => feedViews.decimals(feed.address)),
    ),
  ])
  const prices = new Map(
    deployment.feeds.map(({ pair, heartbeat_seconds: heartbeat }, index) => {
      const [, answer = 0n, , updatedAt = 0n] = answers[index] ?? []
      const isCurrent = answer > 0n && now - updatedAt <= BigInt(heartbeat)
      const scale = decimals[index]
      return [pair, isCurrent && scale != null && scale <= 36 ? { answer, scale } : null]
    }),
  )
  const usdOf = (amount: bigint, units: number, pair: string | undefined): bigint | null => {
    const price = prices.get(pair ?? '')
    if (price == null) return null
    return (amount * price.answer * 10n ** BigInt(usdDecimals)) / 10n ** BigInt(units + price.scale)
  }
  const held = [...sound, ...tests]
    .map((token, index) => ({ token, amount: [...ofSound, ...ofTests][index] ?? 0n }))
    .filter(({ amount }) => amount > 0n)
    .map((one) => ({ ...one, usd: usdOf(one.amount, one.token.decimals, one.token.usd_feed) }))
  const tokens = held.map(
    ({ token, amount, usd }): Holding => ({
      token,
      amount: formatUnits(amount, token.decimals),
      usd: usd === null ? null : formatUnits(usd, usdDecimals),
    }),
  )
  const own = { symbol: deployment.native_symbol, amount: balance, usd: usdOf(balance, 18, deployment.native_usd_feed) }
  return { tokens, worth: together([own, ...held.map((one) => ({ ...one, symbol: one.token.symbol }))]) }
}

/** Null where nothing has a price. */
function together(parts: readonly { symbol: string; amount: bigint; usd: bigint | null }[]): Worth | null {
  const priced = parts.flatMap(({ usd }) => usd ?? [])
  if (priced.length === 0) return null
  const unpriced = parts.filter(({ amount, usd }) => usd === null && amount > 0n).map(({ symbol }) => symbol)
  return {
    usd: formatUnits(
      priced.reduce((sum, one) => sum + one),
      usdDecimals,
    ),
    unpriced,
  }
}

/** The results of reads in one call; null for each that fails, and for all where the chain does not have the contract. */
async function readTogether<T>(
  callNode: CallNode,
  { multicall3 }: Deployment,
  reads: readonly Reading<T>[],
): Promise<(T | null)[]> {
  if (reads.length === 0) return []
  const calls = reads.map(({ target, callData }) => ({ target, callData, allowFailure: true }))
  const { callData, decode } = multicallViews.aggregate3(multicall3, calls)
  const data = (await callNode('eth_call', { to: multicall3, data: callData }, 'latest')) as Hex
  const results = orNull(decode, data) ?? []
  return reads.map((read, index) => {
    const result = results[index]
    return result?.success === true ? orNull(read.decode, result.returnData) : null
  })
}

function orNull<T>(decode: (data: Hex) => T, data: Hex): T | null {
  try {
    return decode(data)
  } catch {
    return null // no contract there, or a different one
  }
}
