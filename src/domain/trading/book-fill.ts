import { type Chain, type Hex, nativeToken } from '../ports/chains.ts'
import type { Execution, PositionKey } from '../ports/trades.ts'
import type { Ports } from '../ports.ts'
import { defaultAgent, openBook, type Place } from './positions.ts'
import { openPrices } from './prices.ts'

type Needs = Pick<Ports, 'clock' | 'ledger'>

/** What the receipts say of a trade: null for `filled` where it was mined and reverted. The fee is for all legs, in wei. */
export type Outcome = { filled: { amountIn: bigint; amountOut: bigint } | null; feeWei: bigint; transactionHash: Hex }

/**
 * Books a mined trade once: the token in leaves at average cost, the token out comes in at what the trade was worth, and
 * the gas is a loss in the native currency. A token without a feed is worth what the other side is.
 */
export async function bookFill(ports: Needs, chain: Chain, execution: Execution, outcome: Outcome): Promise<void> {
  const { filled, feeWei, transactionHash } = outcome
  const { agent, tokenIn, tokenOut } = execution
  const usd = openPrices(chain)
  const feeUsd = (await usd(nativeToken, feeWei)) ?? 0n
  const valueUsd =
    filled === null ? 0n : ((await usd(tokenIn, filled.amountIn)) ?? (await usd(tokenOut, filled.amountOut)) ?? 0n)
  const place: Place = { userId: execution.userId, walletAddress: execution.walletAddress, chainId: execution.chainId }
  const at = ports.clock.now()

  await ports.ledger.book(execution.id, keysOf(place, agent, [tokenIn, tokenOut, nativeToken]), (stored) => {
    const book = openBook(place, stored, at)
    if (feeWei > 0n) book.sell(agent, { token: nativeToken, quantity: feeWei, valueUsd: feeUsd }, 0n)
    if (filled === null) return { rows: book.rows(), fill: null }
    const { amountIn, amountOut } = filled
    const realizedPnlUsd = book.sell(agent, { token: tokenIn, quantity: amountIn, valueUsd }, valueUsd)
    book.deposit(agent, { token: tokenOut, quantity: amountOut, valueUsd })
    const fill = { ...place, executionId: execution.id, agent, tokenIn, tokenOut, amountIn, amountOut, valueUsd }
    return { rows: book.rows(), fill: { ...fill, realizedPnlUsd, transactionHash, at } }
  })
}

/** Books money that came to a wallet of ours from outside, once per reference, at what it is worth now. */
export async function bookDeposit(
  ports: Needs,
  chain: Chain,
  reference: string,
  place: Place,
  amounts: readonly { token: Hex; amount: bigint }[],
): Promise<void> {
  const usd = openPrices(chain)
  const valued = await Promise.all(
    amounts.map(async ({ token, amount }) => ({ token, quantity: amount, valueUsd: (await usd(token, amount)) ?? 0n })),
  )
  const tokens = amounts.map(({ token }) => token)
  const at = ports.clock.now()
  await ports.ledger.book(reference, keysOf(place, defaultAgent, tokens), (stored) => {
    const book = openBook(place, stored, at)
    for (const amount of valued) book.deposit(defaultAgent, amount)
    return { rows: book.rows(), fill: null }
  })
}

/** The positions that a posting of the agent may touch: its own and those of the default agent. */
function keysOf(place: Place, agent: string, tokens: readonly Hex[]): PositionKey[] {
  const agents = [...new Set([agent, defaultAgent])]
  return [...new Set(tokens)].flatMap((token) => agents.map((name) => ({ ...place, agent: name, token })))
}
