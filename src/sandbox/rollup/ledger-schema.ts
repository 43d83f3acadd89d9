import type { DatabaseSync } from 'node:sqlite'

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
export function prepareLedger(database: DatabaseSync): void {
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  const oldBlock = database.prepare("SELECT 1 FROM pragma_table_info('block') WHERE name = 'passerRoot'").get()
  if (oldBlock === undefined) database.exec(tables)
  else database.exec(`BEGIN; ${fromText} COMMIT`)
}
