import type { Hex } from 'viem'
import { messageOf, messagePasser, passedTopic } from '../../opstack/messages.ts'
import type { Head } from '../durable/records.ts'
import type { Recorder, SealedBlock } from '../durable/replay.ts'
import type { Engine } from '../engine/engine.ts'
import type { BlockId, Ledger, LedgerWithdrawal } from './ledger.ts'
import { outputInterval } from './parameters.ts'
import { readPasser, takeProof } from './passer-proof.ts'

/** Makes the function that takes each rollup block into the ledger while the engine still has its state. */
export function blockRecorder(ledger: Ledger): Recorder {
  return async ({ block, seal, transactions }: SealedBlock, call) => {
    const { number } = block
    if (ledger.block(number)?.hash === block.hash) return
    const before = ledger.block(number - 1)
    if (before?.hash !== block.parentHash)
      throw new Error(`the rollup's ledger does not lead to block ${number}: restore it, or delete the data folder`)
    const ordered = seal.deposits.flatMap(({ parentTransaction, ...deposit }) =>
      parentTransaction === null ? [] : { ...deposit, parentTransaction },
    )
    const own = new Set(seal.deposits.filter((each) => each.parentTransaction === null).map(({ hash }) => hash))
    const withdrawals = transactions.some((hash) => !own.has(hash)) ? await withdrawalsIn(call, block) : []
    // Nothing else changes the message passer, and reading its root makes the engine go through the whole state.
    const passerRoot = withdrawals.length > 0 ? await passerRootAt(call, number) : before.passerRoot
    const deposits = ordered.map(({ sourceHash, hash, parentTransaction }) => ({
      ...{ source: sourceHash, hash, parentTransaction, block: number },
    }))
    const origin = seal.origin ?? before.origin
    const sequence = seal.origin ? 0 : before.sequence + 1
    const covered = () => [
      ...ledger.withdrawalsBetween(number - outputInterval + 1, number),
      ...withdrawals.map(({ hash }) => hash),
    ]
    const proof = number % outputInterval === 0 ? await takeProof(call, number, covered()) : null
    ledger.add({ ...block, passerRoot, origin, sequence }, { deposits, withdrawals, proof })
  }
}

/** Takes the first block into the ledger, which was not made but given. */
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
