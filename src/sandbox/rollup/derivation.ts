import { type Hex, numberToHex } from 'viem'
import { depositedTopic, depositOf, type ParentLog } from '../../opstack/deposits.ts'
import type { Chain } from '../durable/chain.ts'
import type { Deposit, Plan } from '../durable/records.ts'
import { asError, type Emit } from '../kit/events.ts'
import { attributesDeposit, type Origin } from './attributes.ts'
import type { BlockId, Ledger } from './ledger.ts'
import { depositGasLimit, originDepth, parentAddresses } from './parameters.ts'

/** Turns what the parent chain has into what the rollup does. */
export type Derivation = {
  /** Reads the parent's blocks that are new. Its failures are events; what was missed is read the next time. */
  follow: () => Promise<void>
  /** The parent's newest block that is known to follow from what the rollup builds on. Never goes back. */
  verified: () => number
  /**
   * What the next rollup block begins with if it has this time. It stays what it was when it was first asked for, unless
   * the parent chain was reorganised, or has a deposit by now.
   */
  takeOver: (timestamp: number) => BlockBeginning
  /** Waits for what is under way and does nothing more. */
  close: () => Promise<void>
}

export type DerivationOptions = {
  parent: Pick<Chain, 'head' | 'read'>
  ledger: Ledger
  /** Of the rollup's newest block. */
  origin: Origin
  emit: Emit
}

type BlockBeginning = Omit<Plan, 'timestamp'>
type ParentBlock = Origin & { deposits: Deposit[] }

/** Makes the derivation of a rollup from the origin that its newest block has. */
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

  /** The parent was reorganised. What no rollup block has taken over yet is read again; what one has cannot be. */
  function readAgain(): void {
    const { origin } = ledger.last()
    if (newest.number <= origin.number) throw leftBehind(origin)
    base = originNow()
    ahead = []
    chosen = undefined
    newest = origin
    const head = parent.head()
    if (head.number < origin.number || (head.number === origin.number && head.hash !== origin.hash))
      throw leftBehind(origin)
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
    takeOver: (timestamp) => {
      const { hash, origin } = ledger.last()
      base = originNow()
      // Only what a block on disk has taken over is forgotten, so that a block whose making failed loses nothing.
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
 * Reads the origin of the rollup's newest block. Throws where the parent chain is not the one that the rollup builds on,
 * as after only one of both was restored.
 */
export async function readOrigin({ parent, ledger }: Pick<DerivationOptions, 'parent' | 'ledger'>): Promise<Origin> {
  const { origin } = ledger.last()
  const block = await readParent(parent, origin.number)
  if (block?.hash !== origin.hash) throw leftBehind(origin)
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
