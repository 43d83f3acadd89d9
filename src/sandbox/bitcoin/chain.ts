import { setImmediate as nextTurn } from 'node:timers/promises'
import { Script } from '@scure/btc-signer/script.js'
import type { Checkpoint, Checkpoints } from './checkpoints.ts'
import {
  anybodyScript,
  displayed,
  hash256,
  merkleRoot,
  type Output,
  payment,
  rewardTransaction,
  sha256,
  type Transaction,
} from './transactions.ts'

/** A block with its transactions. Hashes are in internal byte order, the reverse of how they are displayed. */
export type Block = {
  height: number
  hash: Buffer
  header: Buffer
  medianTime: number
  transactions: readonly Transaction[]
}

/** Regtest's target: every second hash is below it. */
const regtestBits = 0x207fffff
const target = 0x7fffffn << 232n
const halvingBlocks = 150
const maturity = 100
const fee = 1_000n
/** The number of blocks that are retained, and the distance of checkpoints. */
const retainedBlocks = 2_016
/** Blocks that are mined before the event loop gets a turn. A start may have to mine 4,032 blocks and those of the pause. */
const blocksPerTurn = 25

/** A regtest chain with a block every `seconds`. The same start and interval always give the same chain. */
export type RegtestChain = {
  /** Extends the chain to a time, in seconds since 1970, and returns its newest block. */
  tip(now: number): Promise<Block>
  /** Ends the running extension. */
  close(): void
  at(height: number): Block | null
  /** `hash` as it is displayed. */
  byHash(hash: string): Block | null
}

/**
 * Creates the chain. Nothing is mined before the first request. It is resumed from a checkpoint before all retained
 * blocks, so that an old chain starts as fast as a new one.
 */
export function createRegtestChain(
  { start, seconds }: { start: number; seconds: number },
  checkpoints?: Checkpoints,
): RegtestChain {
  const genesis = genesisBlock()
  const blocks = new Map([[0, genesis]])
  let newest: Checkpoint = { height: 0, hash: genesis.hash, rewards: [], change: null }
  let wanted = 0
  let extending: Promise<void> | null = null

  function mineNext(): void {
    const height = newest.height + 1
    const rewards = newest.rewards.slice(-maturity)
    const mature = rewards.length === maturity ? rewards.shift() : undefined
    const coins = [newest.change ?? [], mature ?? []].flat()
    const total = coins.reduce((sum, { value }) => sum + value, -fee)
    const spend = coins.length > 0 ? payment(coins, outputsOf(height, total)) : null
    const value = subsidyOf(height) + (spend === null ? 0n : fee)
    const reward = rewardTransaction(height, value, witnessCommitment(spend))
    // The median of the times of this block and of the ten before, which rise.
    const medianTime = timeOf(height - Math.min(5, Math.floor(height / 2)))
    const transactions = spend === null ? [reward] : [reward, spend]
    const block = mined(newest.hash, { height, timestamp: timeOf(height), medianTime, transactions })
    newest = {
      height,
      hash: block.hash,
      rewards: [...rewards, { id: reward.id, value }],
      change: spend && { id: spend.id, value: changeOf(total) },
    }
    blocks.set(height, block)
    blocks.delete(height - retainedBlocks)
    if (height % retainedBlocks === 0) checkpoints?.add(newest)
  }

  function timeOf(height: number): number {
    return height === 0 ? genesisTime : start + height * seconds
  }

  /** Resumes from the newest checkpoint that is old enough, unless the chain is already beyond it. */
  function resume(): void {
    const checkpoint = checkpoints?.read().findLast(({ height }) => height <= wanted - retainedBlocks)
    if (checkpoint === undefined || checkpoint.height <= newest.height) return
    blocks.clear()
    newest = checkpoint
  }

  /** Goes on after a caller has disconnected, so that the next one has less to wait for. */
  async function extend(): Promise<void> {
    resume()
    while (newest.height < wanted) {
      const until = Math.min(wanted, newest.height + blocksPerTurn)
      while (newest.height < until) mineNext()
      if (newest.height < wanted) await nextTurn()
    }
  }

  return {
    async tip(now) {
      wanted = Math.max(wanted, Math.floor((now - start) / seconds))
      extending ??= extend().finally(() => {
        extending = null
      })
      await extending
      return blocks.get(newest.height) ?? genesis
    },
    close() {
      wanted = 0
    },
    at: (height) => blocks.get(height) ?? null,
    byHash: (hash) => [...blocks.values()].find((block) => displayed(block.hash) === hash) ?? null,
  }
}

type Unmined = Omit<Block, 'hash' | 'header'> & { timestamp: number; version?: number; nonce?: number }

function mined(previous: Buffer, { timestamp, version = 0x20000000, nonce = 0, ...parts }: Unmined): Block {
  const header = Buffer.alloc(80)
  header.writeInt32LE(version, 0)
  header.set(previous, 4)
  header.set(merkleRoot(parts.transactions.map(({ id }) => id)), 36)
  header.writeUInt32LE(timestamp, 68)
  header.writeUInt32LE(regtestBits, 72)
  for (let tried = nonce; ; tried += 1) {
    header.writeUInt32LE(tried, 76)
    const hash = hash256(header)
    if (BigInt(`0x${displayed(hash)}`) <= target) return { ...parts, hash, header }
  }
}

/** The time of regtest's genesis block. */
const genesisTime = 1_296_688_602

function genesisBlock(): Block {
  const bytes = Buffer.from(genesisTransaction, 'hex')
  const transactions = [{ id: hash256(bytes), witnessId: hash256(bytes), bytes }]
  const times = { timestamp: genesisTime, medianTime: genesisTime }
  return mined(Buffer.alloc(32), { version: 1, nonce: 2, height: 0, ...times, transactions })
}

/** The commitment to the Merkle root of the witness ids. That of the reward counts as zero. */
function witnessCommitment(spend: Transaction | null): Buffer {
  const root = merkleRoot([Buffer.alloc(32), ...(spend === null ? [] : [spend.witnessId])])
  return hash256(Buffer.concat([root, Buffer.alloc(32)]))
}

/** The value of the change output; two more outputs share the rest. */
function changeOf(total: bigint): bigint {
  return total - 2n * (total / 1_000_000n)
}

/** The change, and two payments to scripts that depend on the height. */
function outputsOf(height: number, total: bigint): Output[] {
  const digest = sha256(Buffer.from(`trident sandbox ${height}`))
  const short = digest.subarray(0, 20)
  const kinds = [
    Script.encode(['DUP', 'HASH160', short, 'EQUALVERIFY', 'CHECKSIG']),
    Script.encode(['HASH160', short, 'EQUAL']),
    Script.encode(['OP_0', short]),
    Script.encode(['OP_0', digest]),
  ]
  const amount = total / 1_000_000n
  const paid = [height, height + 1].map((turn) => ({ script: kinds[turn % kinds.length] ?? anybodyScript, amount }))
  return [{ script: anybodyScript, amount: changeOf(total) }, ...paid]
}

function subsidyOf(height: number): bigint {
  const halvings = Math.floor(height / halvingBlocks)
  return halvings >= 64 ? 0n : 5_000_000_000n >> BigInt(halvings)
}

const genesisTransaction =
  '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d' +
  '65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f7220' +
  '62616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f' +
  '4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000'
