import { type Chain, type Hex, nativeToken, type Receipt } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Movement, WalletKey } from '../ports/ledger.ts'
import type { Execution } from '../ports/trades.ts'
import { openPrices } from '../values/prices.ts'
import { swapValue } from '../values/swap-value.ts'
import { defaultAgent } from './positions.ts'

type Needs = Pick<Ports, 'clock' | 'ledger'>

/**
 * The result of a trade by its receipts: `filled` is null where it was mined without effect. The fee is for all legs,
 * in wei. The trade is valued at the prices of its block.
 */
type TradeOutcome = {
  filled: { amountIn: bigint; amountOut: bigint } | null
  feeWei: bigint
  transactionHash: Hex
  block: bigint
}

/**
 * Books a mined trade once: the amounts paid and received, and the gas. Both sides have one value, from the side that
 * measures it better. Returns false where it was booked already.
 */
export async function bookFill(
  ports: Needs,
  chain: Chain,
  execution: Execution,
  outcome: TradeOutcome,
): Promise<boolean> {
  const { filled, feeWei, transactionHash, block } = outcome
  const { agent, tokenIn, tokenOut, userId, walletAddress, chainId } = execution
  const usd = openPrices(chain, { at: block })
  const movements: Movement[] = [
    { kind: 'gas', token: nativeToken, quantity: feeWei, valueUsd: (await usd(nativeToken, feeWei)) ?? 0n },
  ]
  const booking = { reference: execution.id, userId, walletAddress, chainId, agent, at: ports.clock.now(), movements }
  if (filled === null) return await ports.ledger.book({ ...booking, trade: null })
  const { amountIn, amountOut } = filled
  const paid = { token: tokenIn, amount: amountIn }
  const value = await swapValue(chain, paid, { token: tokenOut, amount: amountOut }, block)
  // With the cost, this only values what was sold before it was booked as a deposit.
  const valueUsd = value.valuedBy === 'cost' ? ((await usd(tokenIn, amountIn)) ?? 0n) : value.valueUsd
  movements.push(
    { kind: 'paid', token: tokenIn, quantity: amountIn, valueUsd },
    { kind: 'received', token: tokenOut, quantity: amountOut, valueUsd },
  )
  const trade = { tokenIn, tokenOut, amountIn, amountOut, valueUsd, valuedBy: value.valuedBy, transactionHash }
  return await ports.ledger.book({ ...booking, trade })
}

/** Books gas that was paid for a transaction that moves nothing, at the price of its block. */
export async function bookGas(
  ports: Needs,
  chain: Chain,
  reference: string,
  place: WalletKey,
  { feeWei, blockNumber }: Pick<Receipt, 'feeWei' | 'blockNumber'>,
) {
  const valueUsd = (await openPrices(chain, { at: blockNumber })(nativeToken, feeWei)) ?? 0n
  const movements: Movement[] = [{ kind: 'gas', token: nativeToken, quantity: feeWei, valueUsd }]
  await ports.ledger.book({ ...place, reference, agent: defaultAgent, at: ports.clock.now(), movements, trade: null })
}

/** Books a payment to one of the gateway's wallets once per reference, at its value in the block that paid it. */
export async function bookDeposit(
  ports: Needs,
  chain: Chain,
  reference: string,
  place: WalletKey,
  amounts: readonly { token: Hex; amount: bigint }[],
  block: bigint | null,
): Promise<void> {
  const usd = openPrices(chain, block === null ? {} : { at: block })
  const movements = await Promise.all(
    amounts.map(async ({ token, amount }): Promise<Movement> => {
      return { kind: 'deposit', token, quantity: amount, valueUsd: (await usd(token, amount)) ?? 0n }
    }),
  )
  await ports.ledger.book({ ...place, reference, agent: defaultAgent, at: ports.clock.now(), movements, trade: null })
}
