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
