import { DatabaseSync } from 'node:sqlite'

type StoredTrade = {
  id: string
  idempotency_key: string
  state: string
  amount_out: string | null
  basis: string | null
}
type StoredMove = { execution_id: string; state: string; message: string; tx_hash: string | null }
type StoredHalt = { scope: string; target: string; halted: number }
type StoredLeg = { reference: string; kind: string; nonce: number | null; state: string; outcome: string | null }

/** Reads the gateway's SQLite file directly, while it runs and after it was killed. */
export function openTradeStore(file: string) {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  const all = <Row>(sql: string, ...values: (string | number)[]) => database.prepare(sql).all(...values) as Row[]
  return {
    /** Trades, of one wallet or of all. */
    trades: (wallet = '%') =>
      all<StoredTrade>(
        'select id, idempotency_key, state, amount_out, basis from execution where wallet_address like ?',
        wallet,
      ),
    legs: (sender: string) =>
      all<StoredLeg>(
        'select reference, kind, nonce, state, outcome from outgoing where sender = ? order by nonce',
        sender.toLowerCase(),
      ),
    /** How many times each transaction that has a nonce was signed, in the order of the nonces. */
    signings: (sender: string) =>
      all<{ signed: number }>(
        `select (select count(*) from attempt where outgoing_id = outgoing.id) as signed
           from outgoing where sender = ? and nonce is not null order by nonce`,
        sender.toLowerCase(),
      ).map(({ signed }) => signed),
    /** Open trades, by state. */
    underWay: () =>
      all<{ state: string }>(
        "select state from execution where state not in ('included', 'safe', 'finalized', 'failed')",
      ).map(({ state }) => state),
    /** How many trades of the wallet can still change. */
    unsettled: (wallet: string) =>
      all("select id from execution where wallet_address like ? and state not in ('finalized', 'failed')", wallet)
        .length,
    /** Each state of the wallet's trades from `reserved` on, those of a trade in order. */
    moves: (wallet: string) =>
      all<StoredMove>(
        `select execution_id, move.state, move.message, move.transaction_hash as tx_hash
           from execution_move as move join execution on execution.id = execution_id
           where wallet_address like ? and move.state not in ('requested', 'simulated')
           order by execution_id, move.step`,
        wallet,
      ),
    /** The halts that covered the wallet, as they were set and lifted. */
    halts: (wallet: string) =>
      all<StoredHalt>(
        "select scope, target, halted from halt_event where scope <> 'wallet' or target = ? order by number",
        wallet.toLowerCase(),
      ),
    /** How many trades ever had a nonce. */
    placed: () => all("select id from execution where state not in ('requested', 'simulated')").length,
    /** Transactions, of one sender or of all, that a dead process left before a node had them. */
    unsent: (sender = '%') =>
      all("select id from outgoing where sender like ? and state in ('reserved', 'signed')", sender.toLowerCase())
        .length,
    booked: (wallet: string, token: string) =>
      all<{ quantity: string }>(
        'select quantity from position where lower(wallet_address) = ? and lower(token) = ?',
        wallet.toLowerCase(),
        token.toLowerCase(),
      ).reduce((sum, { quantity }) => sum + BigInt(quantity), 0n),
    close: () => database.close(),
  }
}

export type TradeStore = ReturnType<typeof openTradeStore>
