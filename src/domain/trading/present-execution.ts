import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import type { Chain, Hex } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Execution } from '../ports/trades.ts'
import { isAwaiting, isMined } from '../sending/execution-state.ts'
import { formatUnits } from '../values/money.ts'
import { knownToken } from '../values/tokens.ts'
import { confirmUntil } from './awaited.ts'

type Needs = Pick<Ports, 'chains' | 'tradingSettings'>
type Presented = OutputOf<typeof contract.trading.getExecution>
type Status = Presented['status']

/** Pending until a block decides it, and again where that block leaves the chain; never `rejected` or `simulated`. */
export function statusOf({ state, amountOut }: Pick<Execution, 'state' | 'amountOut'>): Status {
  if (isMined(state)) return amountOut === null ? 'failed' : 'success'
  return state === 'failed' ? 'failed' : 'pending'
}

/** Where to look at a transaction: the chain's explorer, else the gateway's own. */
function explorerUrl(ports: Needs, chain: Chain | null, hash: Hex): string {
  return `${chain?.info.explorerUrl ?? `${ports.tradingSettings.publicUrl}/explorer`}/tx/${hash}`
}

/** The finality of the block that decided the trade; absent without one. */
function finalityOf({ state }: Execution): { finality?: 'unsafe' | 'safe' | 'finalized' } {
  if (!isMined(state)) return {}
  return { finality: state === 'included' ? 'unsafe' : state }
}

/** The execution as callers see it. */
export function presentExecution(ports: Needs, execution: Execution): Presented {
  const chain = ports.chains.find(execution.chainId)
  const { tokenIn, tokenOut, minimumOut, quoteId, route, transactionHash } = execution
  const units = (token: Hex, amount: bigint) => formatUnits(amount, decimalsOf(chain, token))
  const { amountOut, gasUsed, feeWei, blockNumber } = execution
  const filled = amountOut !== null && gasUsed !== null && feeWei !== null && blockNumber !== null
  return {
    execution_id: execution.id,
    status: statusOf(execution),
    state: execution.state,
    ...finalityOf(execution),
    message: execution.message,
    chain_id: execution.chainId,
    wallet_ref: execution.walletRef,
    wallet_address: execution.walletAddress,
    agent: execution.agent,
    idempotency_key: execution.idempotencyKey,
    token_in_address: tokenIn,
    token_out_address: tokenOut,
    amount_in: units(tokenIn, execution.amountIn),
    ...(minimumOut === null ? {} : { minimum_out: units(tokenOut, minimumOut) }),
    ...(quoteId === null ? {} : { quote_id: quoteId }),
    ...(route === null ? {} : { venue: route.venue }),
    ...(transactionHash === null
      ? {}
      : { tx_hash: transactionHash, explorer_url: explorerUrl(ports, chain, transactionHash) }),
    ...(filled
      ? {
          fill: {
            amount_in: units(tokenIn, execution.amountIn),
            amount_out: units(tokenOut, amountOut),
            gas_used: gasUsed.toString(),
            fee_native: formatUnits(feeWei, 18),
            block_number: Number(blockNumber),
            ...finalityOf(execution),
            ...(execution.filledAt === null ? {} : { at: execution.filledAt.toISOString() }),
          },
        }
      : {}),
    ...(isAwaiting(execution.state) ? { awaits: awaited(ports, execution, units) } : {}),
    created_at: execution.createdAt.toISOString(),
    updated_at: execution.updatedAt.toISOString(),
  }
}

/** Where the account confirms the trade, in the console. */
function confirmUrl({ tradingSettings }: Pick<Ports, 'tradingSettings'>, { id }: Pick<Execution, 'id'>): string {
  return `${tradingSettings.publicUrl}/#/waiting/${id}`
}

function awaited(ports: Needs, execution: Execution, units: (token: Hex, amount: bigint) => string) {
  return {
    until: confirmUntil(execution).toISOString(),
    expected_out: units(execution.tokenOut, execution.expectedOut ?? 0n),
    url: confirmUrl(ports, execution),
  }
}

/** Only listed tokens are traded; one that left the list since is shown in its smallest unit. */
export function decimalsOf(chain: Chain | null, token: Hex): number {
  return chain === null ? 0 : (knownToken(chain, token)?.decimals ?? 0)
}
