import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/shared/limits.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { Ports } from '../ports/index.ts'
import type { Basis, Closed, TradeFacts } from '../ports/ledger.ts'
import { formatUnits, usdNumber, usdText } from '../values/money.ts'
import { periodOf } from '../values/period.ts'
import { poolFee } from '../values/price-impact.ts'
import { heldToken } from './present-position.ts'

type Operation = typeof contract.metrics.listClosedTrades
type Item = OutputOf<Operation>['items'][number]

/** What the account sold and what it brought, newest first. The sum of the profits is the realised profit. */
export const listClosedTrades: Handler<Operation, 'chains' | 'ledger'> = async (ports, input, call) => {
  const { cursor = null, limit = bounds.pageItems, agent } = input
  const filter = {
    userId: call.principal.userId,
    after: cursor,
    ...(agent === undefined ? {} : { agent }),
    ...periodOf(input),
  }
  const found = await ports.ledger.closed(filter, limit + 1)
  if (found === null) throw invalid('cursor', 'send next_cursor of an earlier page as it was')
  const items = found.slice(0, limit)
  const next = found.length > limit ? (items.at(-1)?.reference ?? null) : null
  return { items: items.map((closed) => present(ports, closed)), next_cursor: next }
}

function present(ports: Pick<Ports, 'chains'>, closed: Closed): Item {
  const { agent, walletAddress, chainId, at, profitUsd, gasUsd, executionId, transactionHash } = closed
  const common = {
    ...(executionId === null ? {} : { execution_id: executionId }),
    ...(transactionHash === null ? {} : { tx_hash: transactionHash }),
    closed_at: at.toISOString(),
    agent,
    wallet_address: walletAddress,
    chain_id: chainId,
    profit_usd: usdNumber(profitUsd),
    profit_usd_decimal: usdText(profitUsd),
    gas_usd: usdNumber(gasUsd),
    gas_usd_decimal: usdText(gasUsd),
  }
  return { ...common, ...(closed.trade === null ? ofGas : ofTrade(ports, closed, closed.trade)) }
}

const ofGas = {
  kind: 'gas',
  quantity: 0,
  quantity_decimal: '0',
  entry_price_usd: null,
  entry_price_usd_decimal: null,
  exit_price_usd: null,
  exit_price_usd_decimal: null,
  fee_usd: null,
  fee_usd_decimal: null,
  held_seconds: null,
  valued_by: null,
} as const

function ofTrade(ports: Pick<Ports, 'chains'>, closed: Closed, trade: NonNullable<Closed['trade']>) {
  const { chainId, profitUsd, gasUsd, at, openedAt } = closed
  const { amountIn, valueUsd, tokenIn, feePips, basis, valuedBy } = trade
  const token = heldToken(ports, { chainId, token: tokenIn })
  const perUnit = ({ quantity, costUsd }: Basis) =>
    quantity === 0n ? 0n : (costUsd * 10n ** BigInt(token.decimals)) / quantity
  // The profit of the sale is before gas: value less cost. The cost of few units is rounded, that of the holding is not.
  const entry = perUnit(basis ?? { quantity: amountIn, costUsd: valueUsd - (profitUsd + gasUsd) })
  const exit = valuedBy === 'cost' ? entry : perUnit({ quantity: amountIn, costUsd: valueUsd })
  const fee = feePips === null || amountIn === 0n ? null : feeUsd(trade, poolFee(amountIn, feePips))
  const quantity = formatUnits(amountIn, token.decimals)
  return {
    kind: 'trade',
    token_symbol: token.symbol,
    token_address: token.address,
    quantity: Number(quantity),
    quantity_decimal: quantity,
    entry_price_usd: usdNumber(entry),
    entry_price_usd_decimal: usdText(entry),
    exit_price_usd: usdNumber(exit),
    exit_price_usd_decimal: usdText(exit),
    fee_usd: fee === null ? null : usdNumber(fee),
    fee_usd_decimal: fee === null ? null : usdText(fee),
    held_seconds: openedAt === null ? null : Math.max(0, Math.round((at.getTime() - openedAt.getTime()) / 1_000)),
    valued_by: valuedBy ?? null,
  } as const
}

/** What the pools kept of the amount sold. What was bought is worth the value without it. */
function feeUsd({ amountIn, valueUsd, valuedBy }: TradeFacts, kept: bigint): bigint {
  const valued = valuedBy === 'token_out' ? amountIn - kept : amountIn
  return valued <= 0n ? 0n : (valueUsd * kept) / valued
}
