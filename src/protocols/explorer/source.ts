/** What the explorer reads of a chain; amounts in wei, hashes and addresses as 0x-hex. */
export interface ExplorerSource {
  /** Null where the chain does not know the hash. */
  transaction(hash: string): Promise<ExplorerTransaction | null>
  head(): Promise<{ number: bigint; hash: string; timestamp: Date }>
}

export type ExplorerTransaction = {
  hash: string
  status: 'pending' | 'success' | 'reverted'
  blockNumber: bigint | null
  timestamp: Date | null
  from: string
  /** Null where the transaction made a contract. */
  to: string | null
  contractAddress: string | null
  valueWei: bigint
  nonce: number
  gasUsed: bigint | null
  feeWei: bigint | null
  input: string
  logs: readonly ExplorerLog[]
}

/** A log, with its event's name and arguments where it is a known one. */
export type ExplorerLog = {
  index: number
  address: string
  topics: readonly string[]
  data: string
  event: { name: string; args: readonly { name: string; value: string }[] } | null
}
