import type { Hex, UpstreamState } from '../../domain/ports/chains.ts'
import type { NodeCaller } from '../../domain/ports/node.ts'

/** How one call is spread over several nodes. */
export type RequestOptions = {
  /** The caller for whom it is made. A chain in this process takes turns between them and says what they use. */
  caller?: NodeCaller | undefined
  /** True where a result is usable. If not, the next node is called; the first result counts where none is usable. */
  suits?: (result: unknown) => boolean
  /**
   * True where one node's refusal is not final: the next node is called after every failure except a revert. A node
   * that stopped responding, and may have executed the call, then counts for more than refusals of the others.
   */
  unanimous?: boolean
  /** True where the call is made again, for a second at most, while no node answers. */
  persistent?: boolean
  /** True where the block that the call names is known to exist: a node that lacks it is asked again. */
  exists?: boolean
  /** Most parts in which a range of logs is read where the nodes refuse it as a whole; 100 where absent. */
  parts?: number
}

/** One call by method and positional parameters. Failures arrive as DomainError; an aborted signal ends it with CANCELLED. */
export type Request = (
  method: string,
  params: readonly unknown[],
  signal: AbortSignal,
  options?: RequestOptions,
) => Promise<unknown>

/** The node or nodes behind a chain. */
export type Upstream = {
  /** A call on behalf of a caller of the JSON-RPC interface: within its limits, the result as the contract has it. */
  request: Request
  /** A call on behalf of the gateway itself, such as one of a trade: without those limits, the result as the node has it. */
  direct: Request
  /**
   * Whether a block has left the chain, as most of the nodes that respond have it. Present where there are several, which may
   * differ in their newest block, so that a read must name the one that it is of.
   */
  isGone?(block: { number: bigint; hash: Hex }): Promise<boolean>
  /**
   * Whether most of the nodes have another block at this number; null where too few have one, because they lag or do not
   * respond. Absent where there is only one node.
   */
  isReplaced?(block: { number: bigint; hash: Hex }): Promise<boolean | null>
  /** True while `onHint` reports each new block at once, so that the newest block that was read is the newest there is. */
  pushesHeads(): boolean
  /**
   * Calls back when there may be something new, such as a block or a connection that is back. `number` is that of an
   * existing block, where it is known. A hint may be lost or be unfounded. Returns the function that ends it.
   */
  onHint(listener: (number?: bigint) => void): () => void
  /** Calls back with each transaction that becomes pending, where the node reports them. */
  onPending(listener: (hash: Hex) => void): () => void
  /** Number of the newest block that is known to be final, without a call; below zero while none is known. */
  finalized(): bigint
  /** The nodes, the preferred one first, by what their calls have shown. */
  states(): readonly UpstreamState[]
}
