import type { Hex } from './chains.ts'

/** An object as nodes answer it over JSON-RPC, in the contract's names. */
export type NodeObject = Record<string, unknown>

/** The block that a wire object shows to be there, as it is that one or is in it; null where it shows none. */
export function blockShownBy(object: unknown): bigint | null {
  const { blockNumber, hash, number } = (object ?? {}) as NodeObject
  // What is pending has a number at times, and no hash.
  const shown = blockNumber ?? (typeof hash === 'string' ? number : undefined)
  return typeof shown === 'string' && /^0x[0-9a-f]{1,16}$/i.test(shown) ? BigInt(shown) : null
}

/** A sealed block: its header in wire form, and its logs, read when they are first asked for. */
export type NodeBlock = {
  number: bigint
  hash: Hex
  header: NodeObject
  /** What subscribers are told of it; one object for all of them, so that no work on it is done twice. */
  news: { type: 'newHeads'; head: NodeObject }
  logs(): Promise<readonly NodeObject[]>
}

/** The canonical chain moved: blocks that are no more, newest first, then those in their place, oldest first. */
export type HeadChange = { removed: readonly NodeBlock[]; added: readonly NodeBlock[] }

/** The node behind the chain's methods: the embedded chain or public nodes. */
export type ChainNode = {
  /**
   * One call by its standard name, with positional parameters in the contract's form: a block parameter is text, a number,
   * a tag or a hash. Throws DomainError:
   * UNAVAILABLE, DEADLINE_EXCEEDED, UNIMPLEMENTED where the node lacks the method, NOT_FOUND, FAILED_PRECONDITION,
   * TRANSACTION_REJECTED, or EXECUTION_REVERTED with the revert bytes as `metadata.data`.
   */
  request(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown>
  /** The receipt of a transaction once it is in a block; null where it is in none after so many milliseconds. */
  inclusion(hash: Hex, waitMs: number, signal: AbortSignal): Promise<NodeObject | null>
  /** The newest block. */
  head(): Promise<NodeBlock>
  /**
   * Every change of the canonical chain from now on, none missed and none twice, through restarts and reconnects of
   * the node. Throws UNAVAILABLE at a reader that falls too far behind. Ends with the signal.
   */
  changes(signal: AbortSignal): AsyncGenerator<HeadChange, void, undefined>
  /** Hashes of transactions as they begin to wait, from now on. Ends with the signal. */
  pending(signal: AbortSignal): AsyncGenerator<Hex, void, undefined>
  /**
   * Pending hashes first seen from one moment until just before another, as far back as memory goes (at least five
   * minutes or 10,000 hashes). A moment that has passed gets no further ones.
   */
  pendingBetween(from: Date, until: Date): readonly Hex[]
}

/** The rollup's own view of its chain, in the wire form of the contract. Throws UNIMPLEMENTED where nobody tells. */
export type Rollup = {
  syncStatus(): Promise<NodeObject>
  config(): Promise<NodeObject>
  /** `number` is of a sealed block. */
  outputAt(number: bigint): Promise<NodeObject>
}

/** Production of blocks, where it is ours to start and stop; answers whether it runs afterwards. */
export type Sequencing = { start(): Promise<boolean>; stop(): Promise<boolean> }

/** A polled filter. Criteria are a log filter in the contract's wire form. */
export type NodeFilter = {
  id: string
  /** The API key or client address that created it. Filters are counted by owner. */
  owner: string
  kind: 'logs' | 'blocks' | 'pending'
  criteria: Record<string, unknown>
  /** Blocks that the filter has reported, newest first. The next read continues from them, also after a reorganisation. */
  reported: readonly { number: number; hash: string }[]
  readAt: Date
  /** How often it was read. Of two readers that start from the same count only one may continue, for both found the same. */
  reads: number
}

/** Polled filters, in a store that all processes share. */
export type NodeFilters = {
  create(filter: NodeFilter): Promise<void>
  find(id: string): Promise<NodeFilter | null>
  /** Stores the reported blocks and the time of a read. False where another reader was faster or the filter is gone. */
  advance(filter: NodeFilter, reported: NodeFilter['reported'], at: Date): Promise<boolean>
  /** Number of filters of an owner. */
  count(owner: string): Promise<number>
  remove(id: string): Promise<boolean>
  /** Removes filters that were last read before a time. */
  purge(readBefore: Date): Promise<void>
}
