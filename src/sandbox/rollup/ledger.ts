import { DatabaseSync } from 'node:sqlite'
import type { Hex } from 'viem'

/** A block of the parent chain. */
export type BlockId = { number: number; hash: Hex }

/** What the rollup remembers of each of its blocks, also when the engine has forgotten the block's state. */
export type LedgerBlock = BlockId & {
  parentHash: Hex
  timestamp: number
  stateRoot: Hex
  /** Storage root of the message passer after the block. */
  passerRoot: Hex
  origin: BlockId
  /** How many blocks before it have the same origin. */
  sequence: number
}

/** A deposit and the rollup block that took it. */
export type LedgerDeposit = { source: Hex; hash: Hex; parentTransaction: Hex; block: number }

/** A withdrawal and the rollup transaction that began it. */
export type LedgerWithdrawal = { hash: Hex; transaction: Hex; block: number }

/** The engine's answer to `eth_getProof` for the message passer at a block, with the slots of some withdrawals. */
export type PasserProof = { block: number; answer: string }

/** What came of a block beside itself. */
export type BlockYield = {
  deposits: readonly LedgerDeposit[]
  withdrawals: readonly LedgerWithdrawal[]
  proof: PasserProof | null
}

/** Facts of the rollup's blocks, on disk. They follow from the block log, so what a crash takes is written again. */
export type Ledger = {
  /** The newest block; throws while there is none. */
  last: () => LedgerBlock
  block: (number: number) => LedgerBlock | undefined
  /** The newest block whose origin is not after this parent block. */
  lastBuiltOn: (parentNumber: number) => LedgerBlock | undefined
  hasSource: (source: Hex) => boolean
  /** By the hash of the transaction on either chain. */
  deposit: (transaction: Hex) => LedgerDeposit | undefined
  /** By its own hash, or that of the rollup transaction that began it. */
  withdrawal: (hash: Hex) => LedgerWithdrawal | undefined
  /** Hashes of the withdrawals that began in the blocks from the first to before the second number. */
  withdrawalsBetween: (from: number, before: number) => Hex[]
  /** The proof kept of a block. */
  proof: (block: number) => PasserProof | undefined
  /** Writes a block with all that came of it, or nothing. */
  add: (block: LedgerBlock, yields: BlockYield) => void
  close: () => void
}

const schema = `
  CREATE TABLE IF NOT EXISTS block (
    number INTEGER PRIMARY KEY, hash TEXT NOT NULL, parentHash TEXT NOT NULL, timestamp INTEGER NOT NULL,
    stateRoot TEXT NOT NULL, passerRoot TEXT NOT NULL,
    originNumber INTEGER NOT NULL, originHash TEXT NOT NULL, sequence INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS block_origin ON block (originNumber, number);
  CREATE TABLE IF NOT EXISTS deposit (
    source TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, parentTransaction TEXT NOT NULL, block INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS deposit_parent ON deposit (parentTransaction);
  CREATE TABLE IF NOT EXISTS withdrawal (
    hash TEXT PRIMARY KEY, "transaction" TEXT NOT NULL, block INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS withdrawal_transaction ON withdrawal ("transaction");
  CREATE INDEX IF NOT EXISTS withdrawal_block ON withdrawal (block);
  CREATE TABLE IF NOT EXISTS proof (block INTEGER PRIMARY KEY, answer TEXT NOT NULL) STRICT;`

type Row = Omit<LedgerBlock, 'origin'> & { originNumber: number; originHash: Hex }

/** Opens the ledger that a file holds, or begins it. */
export function openLedger(file: string): Ledger {
  const database = new DatabaseSync(file)
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${schema}`)
  const select = {
    last: database.prepare('SELECT * FROM block ORDER BY number DESC LIMIT 1'),
    block: database.prepare('SELECT * FROM block WHERE number = ?'),
    builtOn: database.prepare(
      'SELECT * FROM block WHERE originNumber <= ? ORDER BY originNumber DESC, number DESC LIMIT 1',
    ),
    proof: database.prepare('SELECT * FROM proof WHERE block = ?'),
    source: database.prepare('SELECT 1 FROM deposit WHERE source = ?'),
    deposit: database.prepare('SELECT * FROM deposit WHERE hash = ?1 OR parentTransaction = ?1 ORDER BY rowid LIMIT 1'),
    withdrawal: database.prepare(
      'SELECT * FROM withdrawal WHERE hash = ?1 OR "transaction" = ?1 ORDER BY rowid LIMIT 1',
    ),
  }
  const selectHashes = database.prepare('SELECT hash FROM withdrawal WHERE block >= ? AND block < ?')
  const insert = {
    block: database.prepare('INSERT OR REPLACE INTO block VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    deposit: database.prepare('INSERT OR REPLACE INTO deposit VALUES (?, ?, ?, ?)'),
    withdrawal: database.prepare('INSERT OR REPLACE INTO withdrawal VALUES (?, ?, ?)'),
    proof: database.prepare('INSERT OR REPLACE INTO proof VALUES (?, ?)'),
  }
  let last = blockOf(select.last.get())

  return {
    last: () => {
      if (!last) throw new Error(`${file} holds no block`)
      return last
    },
    block: (number) => blockOf(select.block.get(number)),
    lastBuiltOn: (parentNumber) => blockOf(select.builtOn.get(parentNumber)),
    hasSource: (source) => select.source.get(source) !== undefined,
    deposit: (transaction) => select.deposit.get(transaction) as LedgerDeposit | undefined,
    withdrawal: (hash) => select.withdrawal.get(hash) as LedgerWithdrawal | undefined,
    withdrawalsBetween: (from, before) => selectHashes.all(from, before).map((row) => row.hash as Hex),
    proof: (block) => select.proof.get(block) as PasserProof | undefined,
    add: (block, { deposits, withdrawals, proof }) => {
      const { number, hash, parentHash, timestamp, stateRoot, passerRoot, origin, sequence } = block
      database.exec('BEGIN')
      try {
        insert.block.run(
          ...[number, hash, parentHash, timestamp, stateRoot, passerRoot, origin.number, origin.hash, sequence],
        )
        for (const deposit of deposits)
          insert.deposit.run(deposit.source, deposit.hash, deposit.parentTransaction, deposit.block)
        for (const withdrawal of withdrawals)
          insert.withdrawal.run(withdrawal.hash, withdrawal.transaction, withdrawal.block)
        if (proof) insert.proof.run(proof.block, proof.answer)
        database.exec('COMMIT')
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
      last = block
    },
    close: () => database.close(),
  }
}

function blockOf(row: unknown): LedgerBlock | undefined {
  if (row === undefined) return undefined
  const { originNumber, originHash, ...block } = row as Row
  return { ...block, origin: { number: originNumber, hash: originHash } }
}
