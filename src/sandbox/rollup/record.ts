import type { Hex } from 'viem'
import { messageOf, passedTopic } from '../../opstack/messages.ts'
import { messagePasser } from '../../opstack/predeploys.ts'
import type { Engine } from '../engine/engine.ts'
import type { Head } from '../log/records.ts'
import type { MinedBlock, Recorder } from '../replay/replay.ts'
import type { BlockId, Ledger, LedgerWithdrawal } from './ledger.ts'
import { outputInterval } from './parameters.ts'
import { readPasser, takeProof } from './passer-proof.ts'

/** Creates the function that writes each rollup block to the ledger while the engine still has its state. */
export function blockRecorder(ledger: Ledger): Recorder {
  return async ({ block, plan, transactions }: MinedBlock, call) => {
    const { number } = block
    if (ledger.block(number)?.hash === block.hash) return
    const before = ledger.block(number - 1)
    if (before?.hash !== block.parentHash)
      throw new Error(`the rollup's ledger lacks the block before ${number}: restore it, or delete the data folder`)
    const ordered = plan.deposits.flatMap(({ parentTransaction, ...deposit }) =>
      parentTransaction === null ? [] : { ...deposit, parentTransaction },
    )
    const own = new Set(plan.deposits.filter((each) => each.parentTransaction === null).map(({ hash }) => hash))
    const withdrawals = transactions.some((hash) => !own.has(hash)) ? await withdrawalsIn(call, block) : []
    // Only withdrawals change the message passer, and the engine reads the whole state to compute its root.
    const passerRoot = withdrawals.length > 0 ? await passerRootAt(call, number) : before.passerRoot
    const deposits = ordered.map(({ sourceHash, hash, parentTransaction }) => ({
      source: sourceHash,
      hash,
      parentTransaction,
      block: number,
    }))
    const origin = plan.origin ?? before.origin
    const sequence = plan.origin ? 0 : before.sequence + 1
    const covered = () => [
      ...ledger.withdrawalsBetween(number - outputInterval + 1, number),
      ...withdrawals.map(({ hash }) => hash),
    ]
    const proof = number % outputInterval === 0 ? await takeProof(call, number, covered()) : null
    ledger.add({ ...block, passerRoot, origin, sequence }, { deposits, withdrawals, proof })
  }
}

/** Writes the genesis block, which is not produced, to the ledger. */
export async function recordGenesis(ledger: Ledger, block: Head, origin: BlockId, call: Engine['call']): Promise<void> {
  const passerRoot = await passerRootAt(call, block.number)
  ledger.add({ ...block, passerRoot, origin, sequence: 0 }, { deposits: [], withdrawals: [], proof: null })
}

async function passerRootAt(call: Engine['call'], number: number): Promise<Hex> {
  return (await readPasser(call, number, [])).storageHash
}

async function withdrawalsIn(call: Engine['call'], { number, hash }: Head): Promise<LedgerWithdrawal[]> {
  const logs = await call('eth_getLogs', [{ blockHash: hash, address: messagePasser, topics: [passedTopic] }])
  return (logs as { topics: [Hex, ...Hex[]]; data: Hex; transactionHash: Hex }[]).map((log) => ({
    hash: messageOf(log).withdrawalHash,
    transaction: log.transactionHash,
    block: number,
  }))
}
