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
  updatedAt: Date
}

/** An amount that entered or left a wallet, its value, and the reason. */
export type Movement = {
  kind: 'paid' | 'received' | 'gas' | 'deposit' | 'withdrawal'
  token: Hex
  quantity: bigint
  valueUsd: bigint
}

/** The facts of an executed trade beyond its movements. */
export type TradeFacts = {
  tokenIn: Hex
  tokenOut: Hex
  amountIn: bigint
  amountOut: bigint
  valueUsd: bigint
  transactionHash: Hex
}

/** An event in a wallet as plain facts, from which its effect on the positions can be computed again. */
export type Booking = WalletKey & {
  /**
   * The reference, booked once: an execution id, `wallet:<id>` for starting money, `faucet:<uuid>`, `gap:` and
   * `revoke:` for gas, or a difference found on the chain.
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
 * `holding:<agent>` for a holding, and `market`, `gas` or `outside` for the other side.
 */
export type Entry = { account: string; token: Hex; quantity: bigint }

/** The effect of a booking: the positions that it changed as they are after it, and its entries. */
export type Posted = { rows: readonly PositionRow[]; entries: readonly Entry[]; realizedPnlUsd: bigint }

/** Computes a booking over the present positions of its wallet. It is pure, so that it can be repeated. */
export type Post = (booking: Booking, rows: readonly PositionRow[]) => Posted

export interface Ledger {
  /**
   * Writes the booking, its positions and its fill in one transaction. False where the reference is booked already, or
   * the books of the wallet have another revision than the given one.
   */
  book(booking: Booking, revision?: number): Promise<boolean>
  /** Number of changes to the books of the wallet, bookings and removals. It only grows; 0 without any. */
  revision(wallet: WalletKey): Promise<number>
  /**
   * Removes a booking and posts the later ones of its wallet again. False where it is not booked. The cost grows with
   * the number of later bookings: meant for transactions of the newest blocks that a reorganisation removed.
   */
  unbook(reference: string): Promise<boolean>
  /** The lines of a booking; empty where it is not booked. */
  entries(reference: string): Promise<Entry[]>
  /** Positions, including closed ones (quantity 0), ordered by agent, wallet and token. */
  positions(filter: { userId: number; agent?: string }): Promise<PositionRow[]>
  /** Sums of trades by agent in a half-open time range; USD in 1e-18. */
  volume(filter: {
    userId: number
    agent?: string
    start?: Date
    end?: Date
  }): Promise<{ agent: string; valueUsd: bigint }[]>
}
