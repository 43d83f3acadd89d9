import type { Hex } from './chains.ts'

/** The wallet of an account on a chain, to which bookings belong. */
export type WalletKey = { userId: number; walletAddress: Hex; chainId: number }

/** A token that an agent holds in a wallet, at average cost. Amounts in smallest units, USD in 1e-18. */
export type PositionRow = WalletKey & {
  agent: string
  token: Hex
  quantity: bigint
  costUsd: bigint
  realizedPnlUsd: bigint
  /** Since when it is held; for a closed one, since when it was. Null where an earlier version opened it. */
  openedAt: Date | null
  updatedAt: Date
}

/**
 * An amount that entered or left a wallet, its value, and the reason. `moved` went from one wallet of the account to another
 * one. `away` left over the bridge, and `back` returned over it.
 */
export type Movement = {
  token: Hex
  quantity: bigint
  valueUsd: bigint
} & (
  | { kind: 'paid' | 'received' | 'gas' | 'deposit' | 'withdrawal' | 'away' | 'back' }
  | { kind: 'moved'; from: Hex; to: Hex }
)

/** A part of a holding with its cost. `openedAt` says since when it is held, null where that is not known. */
export type Portion = { agent: string; token: Hex; quantity: bigint; costUsd: bigint; openedAt: Date | null }

/** What the one value of a trade is taken from: the price of a side, or the cost of what was sold. */
export type ValuedBy = 'token_in' | 'token_out' | 'cost'

/** The facts of an executed trade beyond its movements. */
export type TradeFacts = {
  tokenIn: Hex
  tokenOut: Hex
  amountIn: bigint
  amountOut: bigint
  /** The value of both sides; with `cost` it is only known once the trade is posted. */
  valueUsd: bigint
  /** Absent where an earlier version booked it. */
  valuedBy?: ValuedBy
  transactionHash: Hex
}

/** An event in a wallet as plain facts, from which its effect on the positions can be computed again. */
export type Booking = WalletKey & {
  /**
   * The reference, booked once: an execution id, `wallet:<id>` for starting money, `faucet:<uuid>`, `gap:` and
   * `revoke:` for gas, `own:` and a hash for a transaction between wallets of the account, or a difference found on the
   * chain.
   */
  reference: string
  agent: string
  at: Date
  movements: readonly Movement[]
  /** Null where nothing was swapped. */
  trade: TradeFacts | null
}

/**
 * One line of a booking in double-entry form. The lines of a booking sum to zero for each token. `account` is
 * `holding:<agent>` for a holding, and `market`, `gas`, `outside`, `bridge` or `own` (another wallet of the account) for
 * the other side.
 */
export type Entry = { account: string; token: Hex; quantity: bigint }

/** A quantity at its cost: the average cost of a unit is exact by both. */
export type Basis = { quantity: bigint; costUsd: bigint }

/**
 * The effect of a booking: the positions that it changed as they are after it, and its entries. `realizedPnlUsd` is the
 * profit of what was sold, and `gasUsd` the cost of the gas.
 */
export type Posted = {
  rows: readonly PositionRow[]
  entries: readonly Entry[]
  /** What is away over the bridge after it, oldest first; null where it did not change. */
  away: readonly Portion[] | null
  realizedPnlUsd: bigint
  gasUsd: bigint
  /** What was sold: the holding before, since when it was held, and the value of the trade. Null where nothing was. */
  sale: { basis: Basis; openedAt: Date | null; valueUsd: bigint } | null
}

/**
 * The profit that a booking realised, after its gas, in 1e-18 USD. `trade` is null where gas was paid for nothing, and
 * `feePips` is null where the route is not known.
 */
export type Closed = {
  reference: string
  agent: string
  walletAddress: Hex
  chainId: number
  at: Date
  openedAt: Date | null
  profitUsd: bigint
  gasUsd: bigint
  /** The execution that it belongs to, null for other gas, and the hash of its transaction, null where several paid. */
  executionId: string | null
  transactionHash: Hex | null
  /** `basis` is the holding of which it sold; null where an earlier version booked it. */
  trade: (TradeFacts & { feePips: readonly number[] | null; basis: Basis | null }) | null
}

/** Which realised profits to list, newest first; `after` is the reference of the last one of the page before. */
export type ClosedFilter = { userId: number; agent?: string; start?: Date; end?: Date; after: string | null }

/**
 * What the gas of an agent's bookings in a wallet cost, in 1e-18 USD: the loss that its position in the native currency
 * realised by it. The wallet is in lower case.
 */
export type GasOf = WalletKey & { agent: string; gasUsd: bigint }

/** What was traded and what it brought in an hour or a day; USD in 1e-18. `slot` counts them since 1970. */
export type Slot = { slot: number; valueUsd: bigint; realizedUsd: bigint }

export type SlotSize = 'hour' | 'day'

/** The milliseconds of an hour and of a day. */
export const slotMs = { hour: 3_600_000, day: 86_400_000 } as const satisfies Record<SlotSize, number>

/** Value less cost of what an account held at the end of an hour or a day, in 1e-18 USD. */
export type Snapshot = { slot: number; unrealizedUsd: bigint }

/**
 * Computes a booking over the present positions of the account on the chain, and what is away over the bridge. It is pure,
 * so that it can be repeated.
 */
export type Post = (booking: Booking, rows: readonly PositionRow[], away: readonly Portion[]) => Posted

/** Up to which block the transactions of a wallet were read, and how many it had sent by then. */
export type Traced = { block: bigint; nonce: number }

/** The books of a wallet: the number of changes to them, and how far its transactions were read; null where never. */
export type WalletBooks = { revision: number; traced: Traced | null }

/**
 * A booked transaction between wallets of the account in a block that may still leave the chain. `before` says how far
 * its wallet was traced before it was found.
 */
export type OwnTransfer = { reference: string; walletAddress: Hex; block: bigint; blockHash: Hex; before: Traced }

/** What was found on a chain: the bookings, and what must be as it was read. */
export type Found = {
  userId: number
  chainId: number
  bookings: readonly Booking[]
  transfers: readonly OwnTransfer[]
  /** By address in lower case: how far the wallet was traced, and is from now on. */
  traced: ReadonlyMap<Hex, { before: Traced | null; after: Traced }>
  /** By address in lower case: the revision of each wallet whose balances were compared. */
  revisions: ReadonlyMap<Hex, number>
}

export interface Ledger {
  /** Writes the booking, its positions and its fill in one transaction. False where the reference is booked already. */
  book(booking: Booking): Promise<boolean>
  /**
   * Writes what was found on a chain in one transaction. False, and nothing is written, where a reference is booked
   * already, or the books changed since they were read.
   */
  bookFound(found: Found): Promise<boolean>
  /** The books of an account's wallets on a chain, by address in lower case; without those that have none. */
  walletBooks(userId: number, chainId: number, wallets: readonly Hex[]): Promise<Map<Hex, WalletBooks>>
  /** Those of the references that are booked. */
  booked(references: readonly string[]): Promise<Set<string>>
  /** Booked transactions between own wallets on a chain that are not marked as final. */
  ownTransfers(userId: number, chainId: number): Promise<OwnTransfer[]>
  /**
   * Marks those up to the block as final. Those of `left` are not on the chain: they are removed from the books, and their
   * wallets are traced again from where they were found.
   */
  settleOwnTransfers(userId: number, chainId: number, finalized: bigint, left: readonly OwnTransfer[]): Promise<void>
  /**
   * Removes a booking and posts the later ones of its account again. False where it is not booked. The cost grows with
   * the number of later bookings: meant for transactions of the newest blocks that a reorganisation removed.
   */
  unbook(reference: string): Promise<boolean>
  /** The lines of a booking; empty where it is not booked. */
  entries(reference: string): Promise<Entry[]>
  /** Positions, including closed ones (quantity 0), ordered by agent, wallet and token. */
  positions(filter: { userId: number; agent?: string }): Promise<PositionRow[]>
  /** What the account's gas cost by agent and wallet; in all that of its closed trades. */
  gas(userId: number): Promise<GasOf[]>
  /** Sums of trades and of realised profits by agent in a half-open time range; USD in 1e-18. */
  volume(filter: {
    userId: number
    agent?: string
    start?: Date
    end?: Date
  }): Promise<{ agent: string; valueUsd: bigint; realizedUsd: bigint }[]>
  /** The hours or days from `from` to before `to` in which something was traded or realised, oldest first. */
  slots(filter: { userId: number; agent?: string; size: SlotSize; from: number; to: number }): Promise<Slot[]>
  /** Realised profits, newest first; null where `after` is none of the account's. */
  closed(filter: ClosedFilter, limit: number): Promise<Closed[] | null>
  /**
   * Snapshots of the hours or days from `from` to before `to`, oldest first, and before them the last one before `from`, with
   * the slot `from - 1`.
   */
  snapshots(filter: { userId: number; size: SlotSize; from: number; to: number }): Promise<Snapshot[]>
  /** Writes what the open positions of accounts would bring, for the hour and the day of the moment, where it changed in the day. */
  saveSnapshots(at: Date, unrealized: ReadonlyMap<number, bigint>): Promise<void>
  /** Positions of all accounts, closed ones too, by id of the account from after `afterUser` on: whole accounts, about `limit`. */
  allPositions(afterUser: number, limit: number): Promise<PositionRow[]>
  /** Deletes snapshots of a size from before the moment; returns how many, `limit` at most. */
  purgeSnapshots(size: SlotSize, before: Date, limit: number): Promise<number>
}
