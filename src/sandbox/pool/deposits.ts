import { type Hex, numberToHex } from 'viem'
import { depositType } from '../../opstack/deposits.ts'
import type { Engine } from '../engine/engine.ts'
import { isEngineUnavailable, RpcError } from '../kit/rpc-error.ts'
import type { Deposit } from '../log/records.ts'
import type { PendingPool } from './pending-pool.ts'
import { readPoolStatus, resubmit } from './resubmit.ts'

type Pool = Pick<PendingPool, 'all'>

/** Puts the deposits of each block before the pending transactions, whose order stays as it is. */
export type DepositPlacer = {
  /**
   * Places the likely deposits of the next block ahead of time, while the engine's pool is almost empty, so that no
   * transaction has to be moved later. Only the deposits given to `place` count. Never throws.
   */
  prepare: (engine: Engine, next: () => readonly Deposit[], pool: Pool) => Promise<void>
  /** Makes the engine's pool begin with exactly these deposits. */
  place: (engine: Engine, deposits: readonly Deposit[], pool: Pool) => Promise<void>
}

/** Creates the placer of a chain. Preparations count for the engine they were made in, not for its successor. */
export function createDepositPlacer(): DepositPlacer {
  let prepared: { engine: Engine; hashes: readonly Hex[] } | undefined

  return {
    prepare: async (engine, next, pool) => {
      let touched = false
      try {
        const deposits = next()
        if (deposits.length === 0 || !deposits.every(canWait)) return
        // Queued transactions come after the deposits by themselves, since they wait for an earlier nonce.
        const { pending } = (await engine.call('txpool_status')) as { pending: Hex }
        touched = true
        if (Number(pending) > 0) await placeDeposits(engine, deposits, pool)
        else await sendDeposits(engine, deposits)
        prepared = { engine, hashes: deposits.map(({ hash }) => hash) }
      } catch {
        // The engine's pool is in an unknown state now. A plan that failed is made again with the block.
        if (touched) await engine.kill()
      }
    },
    place: async (engine, deposits, pool) => {
      const present = prepared?.engine === engine ? prepared.hashes : []
      prepared = undefined
      const isPresent = deposits.length === present.length && deposits.every(({ hash }, at) => hash === present[at])
      if (!isPresent) await placeDeposits(engine, deposits, pool)
    },
  }
}

/**
 * Whether a deposit may wait in the pool while transactions for its block arrive. A deposit from the parent chain may
 * not: a transaction that its sender signs meanwhile would replace it. The rollup's own deposits have a sender without
 * a known key.
 */
function canWait({ parentTransaction }: Deposit): boolean {
  return parentTransaction === null
}

/**
 * Puts deposits before all transactions in the engine's pool, which keeps the order of arrival. The senders of deposits
 * have no other transaction in that block: at the same nonce the pool would take it for a replacement of the deposit.
 */
async function placeDeposits(engine: Engine, deposits: readonly Deposit[], pool: Pool): Promise<void> {
  const senders = new Set(deposits.map(({ from }) => from))
  const statusOf = await readPoolStatus(engine)
  await engine.call('anvil_dropAllTransactions')
  await sendDeposits(engine, deposits)
  for (const transaction of pool.all()) {
    if (!senders.has(transaction.from) && statusOf(transaction)) await resubmit(engine, transaction.raw)
  }
}

/** Sends deposits in order to an engine whose pool is empty. A refused deposit is left out; replays refuse it too. */
export async function sendDeposits(engine: Pick<Engine, 'call'>, deposits: readonly Deposit[]): Promise<void> {
  const nonces = new Map<Hex, number>()
  for (const { hash, parentTransaction: _, to, ...fields } of deposits) {
    const { from } = fields
    const nonce = nonces.get(from) ?? Number(await engine.call('eth_getTransactionCount', [from, 'latest']))
    const transaction = {
      ...fields,
      ...(to && { to }),
      type: depositType,
      isSystemTx: false,
      nonce: numberToHex(nonce),
    }
    try {
      const sent = await engine.call('eth_sendTransaction', [transaction])
      if (sent === hash) nonces.set(from, nonce + 1)
      else await engine.call('anvil_dropTransaction', [sent])
    } catch (error) {
      if (!(error instanceof RpcError) || isEngineUnavailable(error)) throw error
    }
  }
}
