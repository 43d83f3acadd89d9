/** What the explorer reads from a chain. Amounts in wei, hashes and addresses as 0x-hex, names already safe to show. */
export interface ExplorerSource {
  /** The newest blocks and transactions, newest first. */
  newest(): Promise<ExplorerNews>
  /** Reads a block by number in decimal digits or hex, by hash or by tag; null where the chain has no such block. */
  block(id: string): Promise<WholeBlock | null>
  /** Null where the chain does not know the hash. */
  transaction(hash: string): Promise<ExplorerTransaction | null>
  /** Whether a block or a transaction has this hash; null for neither. */
  kindOf(hash: string): Promise<'block' | 'transaction' | null>
  /** The address of a listed token by its symbol in any case, or null. */
  tokenOf(symbol: string): string | null
  address(address: string): Promise<ExplorerAddress>
}

/** An address with its name. A `listed` name comes from the gateway; any other is what the contract calls itself. */
export type Party = { address: string; name: string | null; listed: boolean }

type ExplorerBlock = {
  number: bigint
  hash: string
  parentHash: string
  timestamp: Date
  /** The number of its transactions. */
  count: number
  gasUsed: bigint
  gasLimit: bigint
  baseFeePerGas: bigint | null
}

/** What the chain says of a block: `final` includes `safe`, null says neither. */
export type Mark = 'safe' | 'final' | null

export type WholeBlock = ExplorerBlock & {
  nativeSymbol: string
  transactions: readonly Sent[]
  mark?: Mark
  /** Whether the chain has a block after it. */
  hasNext?: boolean
}

export type ExplorerNews = {
  nativeSymbol: string
  blocks: readonly ExplorerBlock[]
  transactions: readonly Placed[]
}

/** A transaction in a list. */
export type Sent = { hash: string; from: Party; to: Party | null; valueWei: bigint }

/** A transaction in a list over several blocks. */
export type Placed = Sent & { blockNumber: bigint }

/** A token transfer, in whole tokens where the decimals are known. */
export type Transfer = { token: Party; from: Party; to: Party; amount: string }

export type ExplorerTransaction = {
  hash: string
  nativeSymbol: string
  status: 'pending' | 'success' | 'reverted'
  blockNumber: bigint | null
  /** Number of blocks from its own to the newest, both included. */
  depth: bigint | null
  timestamp: Date | null
  mark?: Mark
  /** The hashes of the transactions before and after it in its block. */
  previous?: string | null
  next?: string | null
  from: Party
  /** Null where the transaction created a contract. */
  to: Party | null
  contract: Party | null
  valueWei: bigint
  /** What a deposit from the parent chain credited; null for any other transaction. */
  mintedWei: bigint | null
  /** The amounts of the withdrawals to the parent chain that it began. */
  withdrawnWei: readonly bigint[]
  nonce: number
  gasUsed: bigint | null
  feeWei: bigint | null
  input: string
  logs: readonly ExplorerLog[]
  /** Number of logs left out. */
  hiddenLogs: number
  transfers: readonly Transfer[]
  /** Null where the node has no trace of it. */
  trace: TracedCall | null
  /** What it did or, where it did not succeed, tried to do; absent where that was not read. */
  deed?: Deed
  /** Its call; null where the function is not a known one. */
  call?: DecodedCall | null
  /** Why it reverted; null where the node does not say it, and for any other transaction. */
  reason?: string | null
}

/** An amount in whole tokens where the decimals are known; of the native currency where `token` is null. */
export type Amount = { amount: string; token: Party | null }

export type Deed =
  /** The amount that came is the least one where the transaction did not succeed. */
  | { kind: 'swap'; paid: Amount; got: Amount; venue: Party }
  | { kind: 'send'; sent: Amount; to: Party }
  /** An allowance without an amount is for any. */
  | { kind: 'allow'; spender: Party; token: Party; amount: string | null }
  | { kind: 'wrap' | 'unwrap'; sent: Amount }
  | { kind: 'deploy'; contract: Party | null }
  | { kind: 'deposit'; sent: Amount; to: Party }
  | { kind: 'withdraw'; sent: Amount }
  /** A call of a function by its name, or by its selector. */
  | { kind: 'call'; name: string; contract: Party }

/** A call of a known function, with the calls that its arguments contain. */
export type DecodedCall = {
  name: string
  args: readonly { name: string; value: string; party: Party | null }[]
  inner: readonly DecodedCall[]
}

/** A log, with its event's name and arguments where it is a known one. */
export type ExplorerLog = {
  index: number
  contract: Party
  topics: readonly string[]
  data: string
  event: { name: string; args: readonly { name: string; value: string }[] } | null
}

/** One call inside a transaction; `hidden` counts the nested calls left out. */
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
  /** Number of transactions it has sent. */
  sent: number
  isContract: boolean
  /** What its balance and its listed tokens are worth in USD, and what it holds without a current price; null where nothing has one. */
  worth?: { usd: string; unpriced: readonly string[] } | null
  /** The listed tokens that it holds; `usd` is null where a token has no current price. */
  tokens: readonly { token: Party; amount: string; usd?: string | null }[]
  /** The newest transactions from or to it, and the first block that was searched for them. */
  transactions: readonly Placed[]
  lookedSince: bigint
  /** The first block that was searched for transfers. */
  sinceBlock: bigint
  transfers: readonly Transfer[]
}
