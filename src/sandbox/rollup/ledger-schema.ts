import type { DatabaseSync } from 'node:sqlite'

/**
 * A chain makes 43,200 blocks a day, so a block's row has only what no other row tells: its parent's hash is in the row
 * before, and origin and message passer are noted where they change, by the first block that has them.
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

/** A block's row once had everything in words. */
const fromWords = `
  ALTER TABLE block RENAME TO worded;
  DROP INDEX block_origin;
  ${tables}
  INSERT INTO block SELECT number, unhex(substr(hash, 3)), unhex(substr(stateRoot, 3)), timestamp FROM worded;
  INSERT INTO origin SELECT number, originNumber, unhex(substr(originHash, 3)) FROM worded WHERE sequence = 0;
  INSERT INTO passer SELECT number, unhex(substr(passerRoot, 3)) FROM (
    SELECT number, passerRoot, lag(passerRoot) OVER (ORDER BY number) AS before FROM worded)
    WHERE before IS NULL OR before <> passerRoot;
  DROP TABLE worded;`

/** Gives a ledger's file its tables, or brings them into the form of today. */
export function prepareLedger(database: DatabaseSync): void {
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  const worded = database.prepare("SELECT 1 FROM pragma_table_info('block') WHERE name = 'passerRoot'").get()
  if (worded === undefined) database.exec(tables)
  else database.exec(`BEGIN; ${fromWords} COMMIT`)
}
