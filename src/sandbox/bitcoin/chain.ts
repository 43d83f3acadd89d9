import { setImmediate as othersTurn } from 'node:timers/promises'
import { Script } from '@scure/btc-signer/script.js'
import type { Marks } from './checkpoints.ts'
import {
  anybodyScript,
  type Coin,
  hash256,
  merkleRoot,
  type Output,
  payment,
  rewardTransaction,
  sha256,
  shown,
  type Transaction,
} from './transactions.ts'

/** A block with everything in it; `hash` in the order in which it is hashed. */
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

/** Regtest's easiest target: every second hash is below it. */
export const regtestBits = 0x207fffff
const target = 0x7fffffn << 232n
const version = 0x20000000
const halvingBlocks = 150
const maturity = 100
const fee = 1_000n
/** Blocks that are kept; older ones are forgotten. */
const kept = 2_016
/** Blocks that are mined in one go: at worst two marks' worth at a start, and what came since the process ended. */
const sliceBlocks = 25

/** A regtest chain that grows a block each `seconds` from its start on, the same for everybody who starts it alike. */
export type BitcoinWorld = {
  /** Grows the chain to the moment, in seconds since 1970, a few blocks at a time; answers its newest block. */
  tip(now: number): Promise<Block>
  /** Ends what is being mined. */
  close(): void
  at(height: number): Block | null
  byHash(shownHash: string): Block | null
  byTransaction(shownId: string): { block: Block; transaction: Transaction } | null
}

const noMarks: Marks = { read: () => [], keep: () => undefined }

/**
 * Makes the chain; nothing is mined before somebody asks. It is taken up at a mark that lies before every block that is
 * told, so that its age costs nothing.
 */
export function createBitcoinWorld(
  { start, seconds }: { start: number; seconds: number },
  marks: Marks = noMarks,
): BitcoinWorld {
  const blocks = new Map<number, Block>()
  let rewards: Coin[] = []
  let purse: Coin | null = null
  let newest: Pick<Block, 'height' | 'hash'> = genesisBlock()
  let wanted = 0
  let growing: Promise<void> | null = null
  blocks.set(0, genesisBlock())

  function grow(): void {
    const height = newest.height + 1
    const timestamp = timeOf(height)
    const ripe = rewards.length >= maturity ? rewards.shift() : undefined
    const coins = [...(purse === null ? [] : [purse]), ...(ripe === undefined ? [] : [ripe])]
    const total = coins.reduce((sum, { value }) => sum + value, 0n)
    const spend = total > 100n * fee ? payment(coins, outputsOf(height, total - fee)) : null
    if (spend !== null) purse = { id: spend.id, index: 0, value: changeOf(total - fee) }
    const commitment = hash256(Buffer.concat([witnessRoot(spend), Buffer.alloc(32)]))
    const value = subsidyOf(height) + (spend === null ? 0n : fee)
    const reward = rewardTransaction(height, value, commitment)
    rewards.push({ id: reward.id, index: 0, value })
    const transactions = spend === null ? [reward] : [reward, spend]
    const times = [...Array(Math.min(10, height)).keys()].map((back) => timeOf(height - 1 - back))
    const block = mined(newest, { height, timestamp, medianTime: median([timestamp, ...times]), transactions })
    newest = block
    blocks.set(height, block)
    blocks.delete(height - kept)
    if (height % kept === 0) marks.keep({ height, hash: block.hash, rewards: [...rewards], purse })
  }

  function timeOf(height: number): number {
    return height === 0 ? genesisTime : start + height * seconds
  }

  /** Begins at the newest mark that is old enough, where the chain is not past it. */
  function takeUp(): void {
    const mark = marks.read().findLast(({ height }) => height <= wanted - kept)
    if (mark === undefined || mark.height <= newest.height) return
    blocks.clear()
    newest = mark
    rewards = [...mark.rewards]
    purse = mark.purse
  }

  /** Goes on when whoever asked has left: the next one finds more of it done. */
  async function growOn(): Promise<void> {
    takeUp()
    while (newest.height < wanted) {
      const until = Math.min(wanted, newest.height + sliceBlocks)
      while (newest.height < until) grow()
      if (newest.height < wanted) await othersTurn()
    }
  }

  return {
    async tip(now) {
      wanted = Math.max(wanted, Math.floor((now - start) / seconds))
      growing ??= growOn().finally(() => {
        growing = null
      })
      await growing
      return blocks.get(newest.height) ?? genesisBlock()
    },
    close() {
      wanted = 0
    },
    at: (height) => blocks.get(height) ?? null,
    byHash: (hash) => [...blocks.values()].find((block) => shown(block.hash) === hash) ?? null,
    byTransaction(id) {
      for (const block of blocks.values()) {
        const transaction = block.transactions.find((one) => shown(one.id) === id)
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
    if (BigInt(`0x${shown(hash)}`) <= target)
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

/** Regtest's own first block, and when it was. */
const genesisTime = 1_296_688_602

function genesisBlock(): Block {
  const id = Buffer.from('4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b', 'hex').reverse()
  const bytes = Buffer.from(genesisTransaction, 'hex')
  const header = headerOf({ version: 1, previous: Buffer.alloc(32), root: id, timestamp: genesisTime })
  header.writeUInt32LE(2, 76)
  const transactions = [{ id, witnessId: id, bytes, bareLength: bytes.length }]
  const facts = { height: 0, timestamp: genesisTime, medianTime: genesisTime, nonce: 2, merkleRoot: id, previous: null }
  return { ...facts, hash: hash256(header), header, transactions }
}

/** Of the witnesses: the reward's own counts as zero. */
function witnessRoot(spend: Transaction | null): Buffer {
  return merkleRoot([Buffer.alloc(32), ...(spend === null ? [] : [spend.witnessId])])
}

/** What goes back to the purse; the rest is paid away. */
function changeOf(total: bigint): bigint {
  return total - 2n * (total / 1_000_000n)
}

/** The purse, and two payments to scripts that the height decides. */
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
