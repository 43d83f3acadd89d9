/** What the explorer reads of a chain. Amounts in wei, hashes and addresses as 0x-hex, names already safe to show. */
export interface ExplorerSource {
  /** The newest blocks and transactions, newest first. */
  newest(): Promise<ExplorerNews>
  /** By number, in decimal digits or hex, by hash, or by tag; null where the chain has no such block. */
  block(id: string): Promise<(ExplorerBlock & { nativeSymbol: string; transactions: readonly Sent[] }) | null>
  /** Null where the chain does not know the hash. */
  transaction(hash: string): Promise<ExplorerTransaction | null>
  /** What has this hash; null where the chain has neither. */
  kindOf(hash: string): Promise<'block' | 'transaction' | null>
  /** The address of a listed token by its symbol in any case, or null. */
  tokenOf(symbol: string): string | null
  address(address: string): Promise<ExplorerAddress>
}

/** Who stands behind an address. Only a `listed` name is the gateway's own; another is a contract's word for itself. */
export type Party = { address: string; name: string | null; listed: boolean }

export type ExplorerBlock = {
  number: bigint
  hash: string
  parentHash: string
  timestamp: Date
  /** How many transactions it has. */
  count: number
  gasUsed: bigint
  gasLimit: bigint
  baseFeePerGas: bigint | null
}

export type ExplorerNews = {
  nativeSymbol: string
  blocks: readonly ExplorerBlock[]
  transactions: readonly Placed[]
}

/** A transaction as lists show it. */
export type Sent = { hash: string; from: Party; to: Party | null; valueWei: bigint }

/** A transaction of a block, in a list over many. */
export type Placed = Sent & { blockNumber: bigint }

/** A movement of a token, in whole tokens where the token says its decimals. */
export type Transfer = { token: Party; from: Party; to: Party; amount: string }

export type ExplorerTransaction = {
  hash: string
  nativeSymbol: string
  status: 'pending' | 'success' | 'reverted'
  blockNumber: bigint | null
  /** Blocks from its own to the newest, both counted. */
  depth: bigint | null
  timestamp: Date | null
  from: Party
  /** Null where the transaction made a contract. */
  to: Party | null
  contract: Party | null
  valueWei: bigint
  /** What a deposit from the parent chain brought its sender; null for any other transaction. */
  mintedWei: bigint | null
  nonce: number
  gasUsed: bigint | null
  feeWei: bigint | null
  input: string
  logs: readonly ExplorerLog[]
  /** How many further logs are left out. */
  hiddenLogs: number
  transfers: readonly Transfer[]
  /** Null where the node does not trace it. */
  trace: TracedCall | null
}

/** A log, with its event's name and arguments where it is a known one. */
export type ExplorerLog = {
  index: number
  contract: Party
  topics: readonly string[]
  data: string
  event: { name: string; args: readonly { name: string; value: string }[] } | null
}

/** One call inside a transaction; `hidden` counts the calls below it that are left out. */
export type TracedCall = {
  type: string
  to: Party | null
  selector: string
  valueWei: bigint
  gasUsed: bigint
  error: string | null
  calls: readonly TracedCall[]
  hidden: number
}

export type ExplorerAddress = {
  party: Party
  nativeSymbol: string
  balanceWei: bigint
  /** How many transactions it has sent. */
  sent: number
  isContract: boolean
  tokens: readonly { token: Party; amount: string }[]
  /** The newest transactions from or to it, and the first block that was looked into for them. */
  transactions: readonly Placed[]
  lookedSince: bigint
  /** First block that the transfers are from. */
  sinceBlock: bigint
  transfers: readonly Transfer[]
}
