import { chainWithin } from '../core/chain-within.ts'
import type { Chain } from '../ports/chains.ts'
import type { Clock } from '../ports/system.ts'
import type { Execution } from '../ports/trades.ts'
import { minimumOut } from '../values/price-impact.ts'
import { amountText } from '../values/tokens.ts'

/** A swap that brings less than it may: what was quoted, what it would bring now, and the least that was allowed. */
type Shortfall = Pick<Execution, 'tokenOut'> & {
  expectedOut: bigint
  nowOut: bigint
  leastOut: bigint
  slippageBps: number
}

/** Says in whole sentences how far the price moved from a quote, how far it might have, and what to do. */
export function priceMoved(chain: Chain, shortfall: Shortfall): string {
  const { tokenOut, nowOut, leastOut, slippageBps } = shortfall
  const quotedOut = quotedFor(shortfall)
  const text = (amount: bigint) => amountText(chain, tokenOut, amount)
  const change = nowOut === quotedOut ? 'the same' : changeText(quotedOut, nowOut)
  const moved = `It was quoted at ${text(quotedOut)} and yields ${text(nowOut)} now, ${change}; with a slippage of ${percentText(BigInt(slippageBps))} it must yield ${text(leastOut)}.`
  if (nowOut >= leastOut) return `${moved} That is enough again: request a new quote and trade.`
  return `${moved} Request a new quote, or allow more slippage_bps; a token that taxes its transfers does the same, so check the risk.`
}

/** The change in percent. A loss is rounded up, so that one beyond the slippage never looks like one within it. */
function changeText(from: bigint, to: bigint): string {
  if (from === 0n) return 'more'
  if (to > from) return `${percentText(((to - from) * 10_000n) / from)} more`
  return `${percentText(((from - to) * 10_000n + from - 1n) / from)} less`
}

function percentText(bps: bigint): string {
  return `${bps / 100n}.${(bps % 100n).toString().padStart(2, '0')} %`
}

/** Milliseconds for the simulation of a trade that was mined without effect. */
const simulateMs = 3_000

/** A deadline in seconds that never passes. */
const never = 2n ** 40n

/**
 * How far the price is from the quote of a trade that was mined and brought too little, at the newest block; null where
 * the node does not tell it in three seconds. It never rejects: these are words alone.
 */
export async function priceMovedSince(clock: Clock, chain: Chain, execution: Execution): Promise<string | null> {
  const { route, walletAddress: owner, amountIn, tokenOut, expectedOut, minimumOut: leastOut, facts } = execution
  const slippageBps = facts?.quote?.slippage_bps
  if (route === null || expectedOut === null || leastOut === null || slippageBps === undefined) return null
  const timed = chainWithin(chain, clock.limit(simulateMs))
  const plan = { route, owner, amountIn, minimumOut: 0n, deadline: never }
  const simulated = await timed.simulateSwap(plan, { fundOwner: true }).catch(() => null)
  if (simulated?.ok !== true) return null
  return priceMoved(chain, { tokenOut, expectedOut, nowOut: simulated.amountOut, leastOut, slippageBps })
}

/** The quote that the least comes from: a trade that the account confirmed later keeps the least of the one it showed. */
function quotedFor({ leastOut, slippageBps, expectedOut }: Shortfall): bigint {
  if (leastOut <= minimumOut(expectedOut, slippageBps) || slippageBps >= 10_000) return expectedOut
  const kept = BigInt(10_000 - slippageBps)
  return (leastOut * 10_000n + kept - 1n) / kept
}
