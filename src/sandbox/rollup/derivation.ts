import { type Hex, numberToHex } from 'viem'
import { depositedTopic, depositOf, type ParentLog } from '../../adapters/bridge/deposits.ts'
import type { Chain } from '../durable/chain.ts'
import type { Deposit, Plan } from '../durable/records.ts'
import { asError, type Emit } from '../events.ts'
import type { BlockId, Ledger } from './ledger.ts'
import { depositGasLimit, originDepth, parentAddresses } from './parameters.ts'

/** Turns what the parent chain has into what the rollup does. */
export type Derivation = {
  /** Reads the parent's blocks that are new. Its failures are events; what was missed is read the next time. */
  follow: () => Promise<void>
  /** The parent's newest block that is known to follow from what the rollup builds on. Never goes back. */
  verified: () => number
  /** What the next rollup block takes over from the parent. */
  takeOver: (timestamp: number) => Omit<Plan, 'timestamp'>
  /** Waits for what is under way and does nothing more. */
  close: () => Promise<void>
}

export type DerivationOptions = { parent: Pick<Chain, 'head' | 'read'>; ledger: Ledger; emit: Emit }

type ParentBlock = BlockId & { timestamp: number; deposits: Deposit[] }

/** Makes the derivation of a rollup from the origin that its newest block has. */
export function createDerivation({ parent, ledger, emit }: DerivationOptions): Derivation {
  let ahead: ParentBlock[] = []
  let newest: BlockId = ledger.last().origin
  let verified = newest.number
  let following: Promise<void> | undefined
  let closed = false

  async function readNew(): Promise<void> {
    try {
      const head = parent.head()
      if (head.number < newest.number || (head.number === newest.number && head.hash !== newest.hash)) readAgain()
      while (!closed && newest.number < parent.head().number) {
        const block = await readBlock(newest.number + 1)
        if (block.parentHash !== newest.hash) readAgain()
        else {
          ahead.push(block)
          newest = block
          verified = Math.max(verified, newest.number)
        }
      }
    } catch (thrown) {
      if (!closed) emit({ type: 'derivation-failed', error: asError(thrown) })
    }
  }

  /** The parent was reorganised. What no rollup block has taken over yet is read again; what one has cannot be. */
  function readAgain(): void {
    const { origin } = ledger.last()
    if (newest.number <= origin.number) throw leftBehind(origin)
    ahead = []
    newest = origin
    const head = parent.head()
    if (head.number < origin.number || (head.number === origin.number && head.hash !== origin.hash))
      throw leftBehind(origin)
  }

  async function readBlock(number: number): Promise<ParentBlock & { parentHash: Hex }> {
    const block = (await parent.read('eth_getBlockByNumber', [numberToHex(number), false])) as {
      hash: Hex
      parentHash: Hex
      timestamp: Hex
    } | null
    if (block === null) throw new Error(`the parent chain has no block ${number} any more`)
    const { hash, parentHash, timestamp } = block
    const filter = { blockHash: hash, address: parentAddresses.portal, topics: [depositedTopic] }
    const logs = (await parent.read('eth_getLogs', [filter])) as ParentLog[]
    const deposits = logs.flatMap((log) => depositOf(log) ?? [])
    return { number, hash, parentHash, timestamp: Number(timestamp), deposits }
  }

  return {
    follow: async () => {
      following ??= readNew().finally(() => {
        following = undefined
      })
      return following
    },
    verified: () => verified,
    takeOver: (timestamp) => {
      const { origin } = ledger.last()
      // Only what a block on disk has taken over is forgotten, so that a block whose making failed loses nothing.
      ahead = ahead.filter(({ number }) => number > origin.number)
      return select(ahead, timestamp, parent.head().number - originDepth, ledger)
    },
    close: async () => {
      closed = true
      await following
    },
  }
}

/** Throws where the parent chain is not the one that the rollup builds on, as after only one of both was restored. */
export async function checkOrigin({ parent, ledger }: Pick<DerivationOptions, 'parent' | 'ledger'>): Promise<void> {
  const { origin } = ledger.last()
  const block = await parent.read('eth_getBlockByNumber', [numberToHex(origin.number), false])
  if ((block as { hash: Hex } | null)?.hash !== origin.hash) throw leftBehind(origin)
}

function leftBehind({ number, hash }: BlockId): Error {
  return new Error(
    `the parent chain no longer has block ${number} (${hash}) that the rollup builds on, so nothing is derived from it: restore the whole data folder from one backup, or delete it to begin anew`,
  )
}

/**
 * The parent blocks that a rollup block at this time takes over. Usually that is none or one; after a pause it is as
 * many as there is room for, since the rollup's clock does not stand still meanwhile. A block never is older than its
 * origin.
 */
function select(
  ahead: readonly ParentBlock[],
  timestamp: number,
  last: number,
  ledger: Ledger,
): Omit<Plan, 'timestamp'> {
  const deposits: Deposit[] = []
  let origin: BlockId | undefined
  let gas = 0n
  for (const block of ahead) {
    if (block.number > last || block.timestamp > timestamp) break
    gas += block.deposits.reduce((sum, deposit) => sum + BigInt(deposit.gas), 0n)
    if (origin && gas > depositGasLimit) break
    const fresh = block.deposits.filter(({ sourceHash }) => !ledger.hasSource(sourceHash))
    deposits.push(...fresh)
    origin = { number: block.number, hash: block.hash }
  }
  return { deposits, ...(origin && { origin }) }
}
