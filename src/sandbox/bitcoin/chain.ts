import { setImmediate as nextTurn } from 'node:timers/promises'
import { Script } from '@scure/btc-signer/script.js'
import type { Checkpoints } from './checkpoints.ts'
import {
  anybodyScript,
  type Coin,
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
  timestamp: number
  medianTime: number
  nonce: number
  merkleRoot: Buffer
  previous: Buffer | null
  transactions: readonly Transaction[]
}

/** Regtest's target: every second hash is below it. */
export const regtestBits = 0x207fffff
const target = 0x7fffffn << 232n
const version = 0x20000000
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
  /** `id` as it is displayed. */
  byTransaction(id: string): { block: Block; transaction: Transaction } | null
}

const noCheckpoints: Checkpoints = { read: () => [], add: () => undefined }

/**
 * Creates the chain. Nothing is mined before the first request. It is resumed from a checkpoint before all retained
 * blocks, so that an old chain starts as fast as a new one.
 */
export function createRegtestChain(
  { start, seconds }: { start: number; seconds: number },
  checkpoints: Checkpoints = noCheckpoints,
): RegtestChain {
  const blocks = new Map<number, Block>()
  /** Outputs of block rewards that are not spent yet. */
  let rewards: Coin[] = []
  /** The change of the last payment, which the next one spends. */
  let change: Coin | null = null
  let newest: Pick<Block, 'height' | 'hash'> = genesisBlock()
  let wanted = 0
  let extending: Promise<void> | null = null
  blocks.set(0, genesisBlock())

  function mineNext(): void {
    const height = newest.height + 1
    const timestamp = timeOf(height)
    const mature = rewards.length >= maturity ? rewards.shift() : undefined
    const coins = [...(change === null ? [] : [change]), ...(mature === undefined ? [] : [mature])]
    const total = coins.reduce((sum, { value }) => sum + value, 0n)
    const spend = total > 100n * fee ? payment(coins, outputsOf(height, total - fee)) : null
    if (spend !== null) change = { id: spend.id, index: 0, value: changeOf(total - fee) }
    const commitment = hash256(Buffer.concat([witnessRoot(spend), Buffer.alloc(32)]))
    const value = subsidyOf(height) + (spend === null ? 0n : fee)
    const reward = rewardTransaction(height, value, commitment)
    rewards.push({ id: reward.id, index: 0, value })
    const transactions = spend === null ? [reward] : [reward, spend]
    const times = [...Array(Math.min(10, height)).keys()].map((back) => timeOf(height - 1 - back))
    const block = mined(newest, { height, timestamp, medianTime: median([timestamp, ...times]), transactions })
    newest = block
    blocks.set(height, block)
    blocks.delete(height - retainedBlocks)
    if (height % retainedBlocks === 0)
      checkpoints.add({ height, hash: block.hash, rewards: [...rewards], purse: change })
  }

  function timeOf(height: number): number {
    return height === 0 ? genesisTime : start + height * seconds
  }

  /** Resumes from the newest checkpoint that is old enough, unless the chain is already beyond it. */
  function resume(): void {
    const checkpoint = checkpoints.read().findLast(({ height }) => height <= wanted - retainedBlocks)
    if (checkpoint === undefined || checkpoint.height <= newest.height) return
    blocks.clear()
    newest = checkpoint
    rewards = [...checkpoint.rewards]
    change = checkpoint.purse
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
      return blocks.get(newest.height) ?? genesisBlock()
    },
    close() {
      wanted = 0
    },
    at: (height) => blocks.get(height) ?? null,
    byHash: (hash) => [...blocks.values()].find((block) => displayed(block.hash) === hash) ?? null,
    byTransaction(id) {
      for (const block of blocks.values()) {
        const transaction = block.transactions.find((one) => displayed(one.id) === id)
        if (transaction !== undefined) return { block, transaction }
      }
      return null
    },
  }
}

function mined(
  previous: Pick<Block, 'hash'>,
  parts: Pick<Block, 'height' | 'timestamp' | 'medianTime' | 'transactions'>,
): Block {
  const root = merkleRoot(parts.transactions.map(({ id }) => id))
  const header = headerOf({ version, previous: previous.hash, root, timestamp: parts.timestamp })
  for (let nonce = 0; ; nonce += 1) {
    header.writeUInt32LE(nonce, 76)
    const hash = hash256(header)
    if (BigInt(`0x${displayed(hash)}`) <= target)
      return { ...parts, hash, header, nonce, merkleRoot: root, previous: previous.hash }
  }
}

function headerOf(parts: { version: number; previous: Buffer; root: Buffer; timestamp: number }): Buffer {
  const header = Buffer.alloc(80)
  header.writeInt32LE(parts.version, 0)
  parts.previous.copy(header, 4)
  parts.root.copy(header, 36)
  header.writeUInt32LE(parts.timestamp, 68)
  header.writeUInt32LE(regtestBits, 72)
  return header
}

/** The time of regtest's genesis block. */
const genesisTime = 1_296_688_602

function genesisBlock(): Block {
  const id = Buffer.from('4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b', 'hex').reverse()
  const bytes = Buffer.from(genesisTransaction, 'hex')
  const header = headerOf({ version: 1, previous: Buffer.alloc(32), root: id, timestamp: genesisTime })
  header.writeUInt32LE(2, 76)
  const transactions = [{ id, witnessId: id, bytes, bareLength: bytes.length }]
  return {
    height: 0,
    hash: hash256(header),
    header,
    timestamp: genesisTime,
    medianTime: genesisTime,
    nonce: 2,
    merkleRoot: id,
    previous: null,
    transactions,
  }
}

/** The Merkle root of the witness ids. That of the reward counts as zero. */
function witnessRoot(spend: Transaction | null): Buffer {
  return merkleRoot([Buffer.alloc(32), ...(spend === null ? [] : [spend.witnessId])])
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
  const value = total / 1_000_000n
  const paid = [height, height + 1].map((turn) => ({ script: kinds[turn % kinds.length] ?? anybodyScript, value }))
  return [{ script: anybodyScript, value: changeOf(total) }, ...paid]
}

function subsidyOf(height: number): bigint {
  const halvings = Math.floor(height / halvingBlocks)
  return halvings >= 64 ? 0n : 5_000_000_000n >> BigInt(halvings)
}

function median(times: readonly number[]): number {
  return [...times].sort((left, right) => left - right)[Math.floor(times.length / 2)] ?? 0
}

const genesisTransaction =
  '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d' +
  '65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f7220' +
  '62616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f' +
  '4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000'
