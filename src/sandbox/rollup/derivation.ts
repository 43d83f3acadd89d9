import { type Hex, numberToHex } from 'viem'
import { depositedTopic, depositOf, type ParentLog } from '../../opstack/deposits.ts'
import type { Chain } from '../chain/chain.ts'
import { asError, type Emit } from '../kit/events.ts'
import type { Deposit, Plan } from '../log/records.ts'
import { attributesDeposit, type Origin } from './attributes.ts'
import type { BlockId, Ledger } from './ledger.ts'
import { depositGasLimit, originDepth, parentAddresses } from './parameters.ts'

/** Derives the rollup's blocks from the parent chain's. */
export type Derivation = {
  /** Reads the new blocks of the parent chain. Failures are events, and the next call reads what was missed. */
  follow: () => Promise<void>
  /** The newest parent block that is known to descend from the rollup's origins. Never goes back. */
  verified: () => number
  /**
   * The deposits and the origin of the next rollup block at a time. They stay the same for one block, unless the parent
   * chain was reorganised or has a new deposit.
   */
  derive: (timestamp: number) => BlockBeginning
  /** Waits for the running read. No other one starts. */
  close: () => Promise<void>
}

type DerivationOptions = {
  parent: Pick<Chain, 'head' | 'read'>
  ledger: Ledger
  /** The origin of the rollup's newest block. */
  origin: Origin
  emit: Emit
}

type BlockBeginning = Omit<Plan, 'timestamp'>
type ParentBlock = Origin & { deposits: Deposit[] }

/** Creates the derivation of a rollup, beginning at the origin of its newest block. */
export function createDerivation({ parent, ledger, origin: first, emit }: DerivationOptions): Derivation {
  let ahead: ParentBlock[] = []
  let base = first
  let chosen: { after: Hex; timestamp: number; plan: BlockBeginning } | undefined
  let newest: BlockId = first
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

  /** The origin of the rollup's newest block, which was read before that block was made. */
  function originNow(): Origin {
    const { hash } = ledger.last().origin
    return ahead.find((block) => block.hash === hash) ?? base
  }

  function planOf(deposits: readonly Deposit[], next: Origin | undefined): BlockBeginning {
    const attributes = next ? attributesDeposit(next, 0) : attributesDeposit(base, ledger.last().sequence + 1)
    return { deposits: [attributes, ...deposits], ...(next && { origin: { number: next.number, hash: next.hash } }) }
  }

  /**
   * Reads again, after a reorganisation of the parent chain, the blocks that no rollup block has used. Throws where a
   * used one is gone.
   */
  function readAgain(): void {
    const { origin } = ledger.last()
    if (newest.number <= origin.number) throw originGone(origin)
    base = originNow()
    ahead = []
    chosen = undefined
    newest = origin
    const head = parent.head()
    if (head.number < origin.number || (head.number === origin.number && head.hash !== origin.hash))
      throw originGone(origin)
  }

  async function readBlock(number: number): Promise<ParentBlock & { parentHash: Hex }> {
    const block = await readParent(parent, number)
    if (block === null) throw new Error(`the parent chain has no block ${number} any more`)
    const { hash } = block
    const filter = { blockHash: hash, address: parentAddresses.portal, topics: [depositedTopic] }
    const logs = (await parent.read('eth_getLogs', [filter])) as ParentLog[]
    const deposits = logs.flatMap((log) => depositOf(log) ?? [])
    return { ...block, deposits }
  }

  return {
    follow: async () => {
      following ??= readNew().finally(() => {
        following = undefined
      })
      return following
    },
    verified: () => verified,
    derive: (timestamp) => {
      const { hash, origin } = ledger.last()
      base = originNow()
      // Only blocks that a rollup block on disk has used are forgotten, so that a failed rollup block loses nothing.
      ahead = ahead.filter(({ number }) => number > origin.number)
      const { deposits, origin: next } = select(ahead, timestamp, parent.head().number - originDepth, ledger)
      if (chosen?.after === hash && chosen.timestamp <= timestamp && deposits.length === 0) return chosen.plan
      chosen = { after: hash, timestamp, plan: planOf(deposits, next) }
      return chosen.plan
    },
    close: async () => {
      closed = true
      await following
    },
  }
}

/**
 * Reads the origin of the rollup's newest block. Throws where the parent chain does not have it, as after only one of the
 * two chains was restored from a backup.
 */
export async function readOrigin({ parent, ledger }: Pick<DerivationOptions, 'parent' | 'ledger'>): Promise<Origin> {
  const { origin } = ledger.last()
  const block = await readParent(parent, origin.number)
  if (block?.hash !== origin.hash) throw originGone(origin)
  return block
}

async function readParent(
  parent: DerivationOptions['parent'],
  number: number,
): Promise<(Origin & { parentHash: Hex }) | null> {
  const block = await parent.read('eth_getBlockByNumber', [numberToHex(number), false])
  if (block === null) return null
  const { hash, parentHash, timestamp, baseFeePerGas } = block as Record<
    'hash' | 'parentHash' | 'timestamp' | 'baseFeePerGas',
    Hex
  >
  return { number, hash, parentHash, timestamp: Number(timestamp), baseFee: BigInt(baseFeePerGas) }
}

function originGone({ number, hash }: BlockId): Error {
  return new Error(
    `the parent chain no longer has block ${number} (${hash}), on which the rollup builds: restore the whole data folder from one backup, or delete it to start again`,
  )
}

/**
 * Selects the parent blocks that a rollup block at this time uses: usually none or one, after a pause as many as have
 * room for their deposits. A block is never older than its origin.
 */
function select(
  ahead: readonly ParentBlock[],
  timestamp: number,
  last: number,
  ledger: Ledger,
): { deposits: Deposit[]; origin: Origin | undefined } {
  const deposits: Deposit[] = []
  let origin: Origin | undefined
  let gas = 0n
  for (const block of ahead) {
    if (block.number > last || block.timestamp > timestamp) break
    gas += block.deposits.reduce((sum, deposit) => sum + BigInt(deposit.gas), 0n)
    if (origin && gas > depositGasLimit) break
    const fresh = block.deposits.filter(({ sourceHash }) => !ledger.hasSource(sourceHash))
    deposits.push(...fresh)
    origin = block
  }
  return { deposits, origin }
}
