/** What a filter watches. Criteria are a log filter in the contract's wire form. */
export type NodeFilter = {
  id: string
  /** Who made it, an API key or a client address: by this filters are counted. */
  owner: string
  kind: 'logs' | 'blocks' | 'pending'
  criteria: Record<string, unknown>
  /** Blocks that the filter has told of, newest first: where it goes on, also after a reorganisation. */
  told: readonly { number: number; hash: string }[]
  readAt: Date
  /** How often it was read: two readers that start from the same count are told the same, so only one may go on. */
  reads: number
}

/** Filters that are polled, on a store that every process shares. */
export type NodeFilters = {
  create(filter: NodeFilter): Promise<void>
  find(id: string): Promise<NodeFilter | null>
  /** Notes a reading: what is told by now, and when. False where another reader was faster or the filter is gone. */
  advance(filter: NodeFilter, told: NodeFilter['told'], at: Date): Promise<boolean>
  /** How many filters somebody has. */
  count(owner: string): Promise<number>
  remove(id: string): Promise<boolean>
  /** Removes what nobody has read since. */
  purge(readBefore: Date): Promise<void>
}
