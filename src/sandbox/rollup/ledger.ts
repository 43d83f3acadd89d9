import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Hex } from 'viem'
import { bytesOf, hexOf } from '../../kit/hex.ts'
import { allOrNothing } from '../kit/all-or-nothing.ts'
import { openPrivate } from '../kit/private-files.ts'

/** A block of the parent chain. */
export type BlockId = { number: number; hash: Hex }

/** The facts of a rollup block that stay known when the engine no longer has the block's state. */
export type LedgerBlock = BlockId & {
  parentHash: Hex
  timestamp: number
  stateRoot: Hex
  /** Storage root of the message passer contract after the block. */
  passerRoot: Hex
  origin: BlockId
  /** The number of earlier blocks with the same origin. */
  sequence: number
}

/** A deposit and the rollup block whose plan contains it. */
type LedgerDeposit = { source: Hex; hash: Hex; parentTransaction: Hex; block: number }

/** A withdrawal and the rollup transaction that initiated it. */
export type LedgerWithdrawal = { hash: Hex; transaction: Hex; block: number }

/** The result of `eth_getProof` for the message passer at a block, as JSON, with the slots of some withdrawals. */
export type PasserProof = { block: number; answer: string }

/** The deposits, withdrawals and proof of a block. */
type BlockDetails = {
  deposits: readonly LedgerDeposit[]
  withdrawals: readonly LedgerWithdrawal[]
  proof: PasserProof | null
}

/** The facts of all rollup blocks, on disk. A replay of the block log restores rows that a crash lost. */
export type Ledger = {
  /** The newest block; throws while there is none. */
  last: () => LedgerBlock
  block: (number: number) => LedgerBlock | undefined
  /** The newest block whose origin is not after this parent block. */
  lastBuiltOn: (parentNumber: number) => LedgerBlock | undefined
  hasSource: (source: Hex) => boolean
  /** Finds a deposit by the hash of its transaction on either chain. */
  deposit: (transaction: Hex) => LedgerDeposit | undefined
  /** Finds a withdrawal by its own hash, or that of the rollup transaction that initiated it. */
  withdrawal: (hash: Hex) => LedgerWithdrawal | undefined
  /** The hashes of the withdrawals initiated from block `from` on and before block `before`. */
  withdrawalsBetween: (from: number, before: number) => Hex[]
  /** The stored proof of a block. */
  proof: (block: number) => PasserProof | undefined
  /** Writes a block with its details in one transaction. It replaces that block and all later ones. */
  add: (block: LedgerBlock, details: BlockDetails) => void
  close: () => void
}

const blockQuery = `
  SELECT block.number, block.hash, stateRoot, timestamp, origin.first, origin.number AS originNumber,
    origin.hash AS originHash, (SELECT hash FROM block AS before WHERE before.number = block.number - 1) AS parentHash,
    (SELECT root FROM passer WHERE first <= block.number ORDER BY first DESC LIMIT 1) AS passerRoot
  FROM block JOIN origin ON origin.first =
    (SELECT first FROM origin WHERE first <= block.number ORDER BY first DESC LIMIT 1)
  WHERE block.number = `

/** The last block whose origin is at or before a parent block. */
const lastBuiltOn = `(SELECT number FROM block WHERE number < coalesce(
  (SELECT first FROM origin WHERE number > ? ORDER BY number LIMIT 1), ${Number.MAX_SAFE_INTEGER})
  ORDER BY number DESC LIMIT 1)`

type Row = Record<'number' | 'timestamp' | 'first' | 'originNumber', number> &
  Record<'hash' | 'stateRoot' | 'originHash' | 'passerRoot', Uint8Array> & { parentHash: Uint8Array | null }

/** Opens the ledger of a file, or creates it. */
export function openLedger(file: string): Ledger {
  const database = openPrivate(file)
  prepareLedger(database)
  const select = selectStatements(database)
  const write = blockWriter(database, select.block)
  let last = blockOf(select.last.get())

  return {
    last: () => {
      if (!last) throw new Error(`${file} has no block`)
      return last
    },
    block: (number) => blockOf(select.block.get(number)),
    lastBuiltOn: (parentNumber) => blockOf(select.builtOn.get(parentNumber)),
    hasSource: (source) => select.source.get(source) !== undefined,
    deposit: (transaction) => select.deposit.get(transaction) as LedgerDeposit | undefined,
    withdrawal: (hash) => select.withdrawal.get(hash) as LedgerWithdrawal | undefined,
    withdrawalsBetween: (from, before) => select.withdrawals.all(from, before).map((row) => row.hash as Hex),
    proof: (block) => select.proof.get(block) as PasserProof | undefined,
    add: (block, details) => {
      allOrNothing(database, () => write(block, details, last))
      last = block
    },
    close: () => database.close(),
  }
}

function selectStatements(database: DatabaseSync) {
  return {
    last: database.prepare(`${blockQuery} (SELECT max(number) FROM block)`),
    block: database.prepare(`${blockQuery} ?`),
    builtOn: database.prepare(`${blockQuery} ${lastBuiltOn}`),
    proof: database.prepare('SELECT * FROM proof WHERE block = ?'),
    source: database.prepare('SELECT 1 FROM deposit WHERE source = ?'),
    deposit: database.prepare('SELECT * FROM deposit WHERE hash = ?1 OR parentTransaction = ?1 ORDER BY rowid LIMIT 1'),
    withdrawal: database.prepare(
      'SELECT * FROM withdrawal WHERE hash = ?1 OR "transaction" = ?1 ORDER BY rowid LIMIT 1',
    ),
    withdrawals: database.prepare('SELECT hash FROM withdrawal WHERE block >= ? AND block < ?'),
  }
}

type WriteBlock = (block: LedgerBlock, details: BlockDetails, last: LedgerBlock | undefined) => void

/** Creates the function that writes a block. Blocks from its number on, up to `last`, belong to another chain. */
function blockWriter(database: DatabaseSync, selectBlock: StatementSync): WriteBlock {
  const insert = {
    block: database.prepare('INSERT INTO block VALUES (?, ?, ?, ?)'),
    origin: database.prepare('INSERT INTO origin VALUES (?, ?, ?)'),
    passer: database.prepare('INSERT INTO passer VALUES (?, ?)'),
    deposit: database.prepare('INSERT OR REPLACE INTO deposit VALUES (?, ?, ?, ?)'),
    withdrawal: database.prepare('INSERT OR REPLACE INTO withdrawal VALUES (?, ?, ?)'),
    proof: database.prepare('INSERT OR REPLACE INTO proof VALUES (?, ?)'),
  }
  const removeFrom = ['block WHERE number', 'origin WHERE first', 'passer WHERE first'].map((what) =>
    database.prepare(`DELETE FROM ${what} >= ?`),
  )
  return (block, { deposits, withdrawals, proof }, last) => {
    const { number, hash, timestamp, stateRoot, passerRoot, origin } = block
    if (last && last.number >= number) for (const statement of removeFrom) statement.run(number)
    const before = blockOf(selectBlock.get(number - 1))
    insert.block.run(number, bytesOf(hash), bytesOf(stateRoot), timestamp)
    if (before?.origin.hash !== origin.hash) insert.origin.run(number, origin.number, bytesOf(origin.hash))
    if (before?.passerRoot !== passerRoot) insert.passer.run(number, bytesOf(passerRoot))
    for (const deposit of deposits)
      insert.deposit.run(deposit.source, deposit.hash, deposit.parentTransaction, deposit.block)
    for (const withdrawal of withdrawals)
      insert.withdrawal.run(withdrawal.hash, withdrawal.transaction, withdrawal.block)
    if (proof) insert.proof.run(proof.block, proof.answer)
  }
}

function blockOf(row: unknown): LedgerBlock | undefined {
  if (row === undefined) return undefined
  const { number, timestamp, first, originNumber, ...bytes } = row as Row
  return {
    number,
    timestamp,
    sequence: number - first,
    hash: hexOf(bytes.hash),
    parentHash: hexOf(bytes.parentHash ?? new Uint8Array(32)),
    stateRoot: hexOf(bytes.stateRoot),
    passerRoot: hexOf(bytes.passerRoot),
    origin: { number: originNumber, hash: hexOf(bytes.originHash) },
  }
}

/**
 * A chain has 43,200 blocks a day, so the row of a block holds only what no other row has. The hash of its parent is in
 * the row before. Its origin and the message passer's root are stored where they change, under the first such block.
 */
const tables = `
  CREATE TABLE IF NOT EXISTS block (
    number INTEGER PRIMARY KEY, hash BLOB NOT NULL, stateRoot BLOB NOT NULL, timestamp INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS origin (first INTEGER PRIMARY KEY, number INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS origin_number ON origin (number);
  CREATE TABLE IF NOT EXISTS passer (first INTEGER PRIMARY KEY, root BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS deposit (
    source TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, parentTransaction TEXT NOT NULL, block INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS deposit_parent ON deposit (parentTransaction);
  CREATE TABLE IF NOT EXISTS withdrawal (
    hash TEXT PRIMARY KEY, "transaction" TEXT NOT NULL, block INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS withdrawal_transaction ON withdrawal ("transaction");
  CREATE INDEX IF NOT EXISTS withdrawal_block ON withdrawal (block);
  CREATE TABLE IF NOT EXISTS proof (block INTEGER PRIMARY KEY, answer TEXT NOT NULL) STRICT;`

/** Converts the older form of the block table, whose rows held everything as hex text. */
const fromText = `
  ALTER TABLE block RENAME TO old_block;
  DROP INDEX block_origin;
  ${tables}
  INSERT INTO block SELECT number, unhex(substr(hash, 3)), unhex(substr(stateRoot, 3)), timestamp FROM old_block;
  INSERT INTO origin SELECT number, originNumber, unhex(substr(originHash, 3)) FROM old_block WHERE sequence = 0;
  INSERT INTO passer SELECT number, unhex(substr(passerRoot, 3)) FROM (
    SELECT number, passerRoot, lag(passerRoot) OVER (ORDER BY number) AS before FROM old_block)
    WHERE before IS NULL OR before <> passerRoot;
  DROP TABLE old_block;`

/** Creates the tables of a ledger, or converts older ones. */
function prepareLedger(database: DatabaseSync): void {
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  const oldBlock = database.prepare("SELECT 1 FROM pragma_table_info('block') WHERE name = 'passerRoot'").get()
  if (oldBlock === undefined) database.exec(tables)
  else database.exec(`BEGIN; ${fromText} COMMIT`)
}
