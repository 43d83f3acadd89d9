import type { Hex } from './chains.ts'

/** An object as nodes return it over JSON-RPC, with the contract's names. */
export type NodeObject = Record<string, unknown>

/** The number of the block that a wire object is or belongs to; null where it has none. */
export function blockShownBy(object: unknown): bigint | null {
  const { blockNumber, hash, number } = (object ?? {}) as NodeObject
  // A pending block may have a number, but has no hash.
  const shown = blockNumber ?? (typeof hash === 'string' ? number : undefined)
  return typeof shown === 'string' && /^0x[0-9a-f]{1,16}$/i.test(shown) ? BigInt(shown) : null
}

/** A mined block: its header in wire form, and its logs, which are read at the first call. */
export type NodeBlock = {
  number: bigint
  hash: Hex
  header: NodeObject
  /** The event for subscribers. All of them share the object, so that work on it is done once. */
  news: { type: 'newHeads'; head: NodeObject }
  logs(): Promise<readonly NodeObject[]>
}

/**
 * A change of the canonical chain: the blocks that left it, newest first, and the blocks that joined it, oldest first.
 */
export type HeadChange = { removed: readonly NodeBlock[]; added: readonly NodeBlock[] }

/** Who calls: callers take turns by name, and learn the gas that the node used for them, where it says so. */
export type NodeCaller = { name: string; spent: (gas: number) => void }

/** The node that serves the chain's methods: the embedded chain or public nodes. */
export type ChainNode = {
  /**
   * Calls a method by its standard name, with positional parameters in the contract's form: a block parameter is the
   * text of a number, a tag or a hash. Throws DomainError: UNAVAILABLE, DEADLINE_EXCEEDED, UNIMPLEMENTED where the node
   * lacks the method, NOT_FOUND, FAILED_PRECONDITION, TRANSACTION_REJECTED, or EXECUTION_REVERTED with the revert bytes
   * as `metadata.data`.
   */
  request(method: string, params: readonly unknown[], signal: AbortSignal, caller?: NodeCaller): Promise<unknown>
  /** The receipt of a transaction once it is mined; null where it is not after so many milliseconds. */
  inclusion(hash: Hex, waitMs: number, signal: AbortSignal): Promise<NodeObject | null>
  /** The newest block. */
  head(): Promise<NodeBlock>
  /**
   * Every change of the canonical chain from now on, exactly once, through restarts and reconnects of the node. A
   * reader that falls too far behind gets UNAVAILABLE. Ends with the signal.
   */
  changes(signal: AbortSignal): AsyncGenerator<HeadChange, void, undefined>
  /** Hashes of new pending transactions, from now on. Ends with the signal. */
  pending(signal: AbortSignal): AsyncGenerator<Hex, void, undefined>
  /**
   * Pending hashes first seen in a time range, its end excluded, among the last 10,000 ones. A past range gets no new
   * ones.
   */
  pendingBetween(from: Date, until: Date): readonly Hex[]
}

/**
 * The rollup node's view of its chain, with the contract's field names. UNIMPLEMENTED where there is no rollup node.
 */
export type Rollup = {
  syncStatus(): Promise<NodeObject>
  config(): Promise<NodeObject>
  /** `number` is that of a mined block. */
  outputAt(number: bigint): Promise<NodeObject>
}

/** Starts and stops the production of blocks; each returns whether it runs afterwards. */
export type Sequencing = { start(): Promise<boolean>; stop(): Promise<boolean> }

/** A polled filter. Criteria are a log filter in the contract's wire form. */
export type NodeFilter = {
  id: string
  /** The API key or client address that created it. Filters are counted by owner. */
  owner: string
  kind: 'logs' | 'blocks' | 'pending'
  criteria: Record<string, unknown>
  /**
   * Blocks that the filter has reported, newest first. The next read continues from them, also after a reorganisation.
   */
  reported: readonly { number: number; hash: string }[]
  readAt: Date
  /**
   * How often it was read. Of two readers that start from the same count only one may continue, for both found the
   * same.
   */
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
