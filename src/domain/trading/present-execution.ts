import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import type { Chain, Hex } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Execution } from '../ports/trades.ts'
import { isAwaiting, isMined } from '../sending/execution-state.ts'
import { formatUnits } from '../values/money.ts'
import { knownToken } from '../values/tokens.ts'
import { type Askers, askersOf, awaitsOf } from './awaits.ts'

export type PresentNeeds = 'chains' | 'clock' | 'executions' | 'sessions' | 'tradingSettings'
type Needs = Pick<Ports, 'chains' | 'tradingSettings'>
type Presented = OutputOf<typeof contract.trading.getExecution>
type Status = Presented['status']

/** Pending until a block decides it, and again where that block leaves the chain; never `simulated`. */
export function statusOf({ state, amountOut }: Pick<Execution, 'state' | 'amountOut'>): Status {
  if (isMined(state)) return amountOut === null ? 'failed' : 'success'
  return state === 'failed' || state === 'rejected' ? state : 'pending'
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
export async function presentExecution(ports: Pick<Ports, PresentNeeds>, execution: Execution): Promise<Presented> {
  const [shown] = await presentExecutions(ports, [execution])
  return shown as Presented
}

/** The executions of one account as callers see them. What decides on those that wait is read once. */
export async function presentExecutions(
  ports: Pick<Ports, PresentNeeds>,
  executions: readonly Execution[],
): Promise<Presented[]> {
  const waiting = executions.find(({ state }) => isAwaiting(state))
  const facts = waiting === undefined ? null : await askersOf(ports, waiting.userId)
  return executions.map((execution) => present(ports, execution, facts))
}

function present(ports: Needs, execution: Execution, askers: Askers | null): Presented {
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
    ...(execution.sessionId === null ? {} : { session_id: execution.sessionId }),
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
    ...(isAwaiting(execution.state) && askers !== null
      ? { awaits: awaitsOf(ports.tradingSettings, { execution, chain, askers, units }) }
      : {}),
    created_at: execution.createdAt.toISOString(),
    updated_at: execution.updatedAt.toISOString(),
  }
}

/** Only listed tokens are traded; one that left the list since is shown in its smallest unit. */
export function decimalsOf(chain: Chain | null, token: Hex): number {
  return chain === null ? 0 : (knownToken(chain, token)?.decimals ?? 0)
}
