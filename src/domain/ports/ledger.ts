import type { Hex } from './chains.ts'

/** The wallet of an account that a booking is about. */
export type Place = { userId: number; walletAddress: Hex; chainId: number }

/** What an agent holds of a token in a wallet, at average cost. Amounts in smallest units, USD in 1e-18. */
export type PositionRow = Place & {
  agent: string
  token: Hex
  quantity: bigint
  costUsd: bigint
  realizedPnlUsd: bigint
  updatedAt: Date
}

/** Money that came in or left, what it was worth, and why. */
export type Movement = {
  kind: 'paid' | 'received' | 'gas' | 'deposit' | 'withdrawal'
  token: Hex
  quantity: bigint
  valueUsd: bigint
}

/** A trade that happened, as far as it is more than its movements. */
export type TradeFacts = {
  tokenIn: Hex
  tokenOut: Hex
  amountIn: bigint
  amountOut: bigint
  valueUsd: bigint
  transactionHash: Hex
}

/** What happened to a wallet, as plain facts: what it means for the positions can be worked out again from them. */
export type Booking = Place & {
  /** Booked once: an execution id, `wallet:<id>` for starting money, `faucet:<uuid>`, or what was found on the chain. */
  reference: string
  agent: string
  at: Date
  movements: readonly Movement[]
  /** Null where nothing was swapped. */
  trade: TradeFacts | null
}

/**
 * One line of a booking in double-entry form. The lines of a booking sum to zero for each token. `account` is
 * `holding:<agent>` for what is held, and `market`, `gas` or `outside` for where it came from or went to.
 */
export type Entry = { account: string; token: Hex; quantity: bigint }

/** What a booking made of the positions that it touched. */
export type Posted = { rows: readonly PositionRow[]; entries: readonly Entry[]; realizedPnlUsd: bigint }

/** Works out a booking over the present positions of its wallet; pure, so that it can be worked out again. */
export type Post = (booking: Booking, rows: readonly PositionRow[]) => Posted

export interface Ledger {
  /**
   * Writes the booking, its positions and its fill in one transaction. False where the reference is booked already, or
   * where the books of the wallet are at another revision than the one that is named.
   */
  book(booking: Booking, revision?: number): Promise<boolean>
  /** Counts what was ever booked for the wallet and taken out again: no number comes twice. 0 where nothing was. */
  revision(place: Place): Promise<number>
  /**
   * Takes a booking out as if it had never been, and works out those after it again. False where there is none. It costs
   * as much as there are bookings of the wallet after it: meant for what a reorganisation took from the newest blocks.
   */
  unbook(reference: string): Promise<boolean>
  /** The lines of a booking; empty where there is none. */
  entries(reference: string): Promise<Entry[]>
  /** Closed ones (quantity 0) included; by agent, wallet and token. */
  positions(filter: { userId: number; agent?: string }): Promise<PositionRow[]>
  /** Sums of trades by agent in a half-open time range; USD in 1e-18. */
  volume(filter: {
    userId: number
    agent?: string
    start?: Date
    end?: Date
  }): Promise<{ agent: string; valueUsd: bigint }[]>
}
