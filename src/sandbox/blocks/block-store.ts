import type { DatabaseSync } from 'node:sqlite'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { Hex } from 'viem'
import { bytesOf, hexOf } from '../../kit/hex.ts'
import { allOrNothing } from '../kit/all-or-nothing.ts'
import { openPrivate } from '../kit/private-files.ts'
import type { Log, StoredTransaction, WholeBlock, WireObject } from './whole-block.ts'

/** The block range of a log filter, with its addresses and first topics; null stands for any. */
type LogRange = { from: number; to: number; addresses: readonly Hex[] | null; topics: readonly Hex[] | null }

/**
 * All blocks of a chain with their transactions, receipts and logs, on disk. It serves what the engine no longer has, in
 * the engine's format; only the order of fields differs.
 */
export type BlockStore = {
  /** The number of the newest block, -1 while there is none. */
  last: () => number
  hashOf: (number: number) => Hex | undefined
  numberOf: (hash: Hex) => number | undefined
  /** The block with the hashes of its transactions. It is shared by its readers, who must not change it. */
  header: (number: number) => Header | undefined
  transactions: (number: number) => StoredTransaction[]
  /** All logs of a block. The list is shared by its readers, who must not change it. */
  logs: (number: number) => readonly Log[]
  transaction: (hash: Hex) => StoredTransaction | undefined
  transactionAt: (block: number, index: number) => StoredTransaction | undefined
  /** The numbers of the blocks that have a log with one of these addresses and first topics, in order. */
  blocksWithLogs: (range: LogRange) => number[]
  /** Writes a block in one transaction. It replaces one with the same number. */
  add: (whole: WholeBlock) => void
  /** Makes all additions durable. Before, they survive the end of this process but not of the machine. */
  sync: () => void
  close: () => void
}

const schema = `
  CREATE TABLE IF NOT EXISTS block (number INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, header BLOB NOT NULL, logs BLOB) STRICT;
  CREATE TABLE IF NOT EXISTS tx (
    block INTEGER NOT NULL, position INTEGER NOT NULL, hash BLOB NOT NULL UNIQUE, body BLOB NOT NULL,
    PRIMARY KEY (block, position)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS place (
    address BLOB NOT NULL, topic BLOB NOT NULL, block INTEGER NOT NULL,
    PRIMARY KEY (address, topic, block)) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS place_topic ON place (topic, block);
  CREATE INDEX IF NOT EXISTS place_block ON place (block);`

/** The most headers and hashes of transactions that are kept in memory, of 2 KB a header and 0.1 KB a hash. */
const mostHeaders = 256
const mostHashes = 20_000
/** The most logs that are kept in memory, of about 1 KB each. */
const mostLogs = 20_000

/** A block without logs takes some memory too; one with too many is kept alone: it is read for each transaction. */
function weightOf(logs: readonly Log[]): number {
  return Math.min(1 + logs.length, mostLogs)
}

type Header = WireObject & { transactions: readonly Hex[] }

type TransactionRow = { block: number; position: number; body: Uint8Array }

/** Opens the store of a file, or creates it. */
export function openBlockStore(file: string): BlockStore {
  const database = openPrivate(file)
  // The block log restores blocks that are lost here, so a block need not wait for the disk a second time.
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${schema}`)
  const select = selectStatements(database)
  const write = blockWriter(database)
  // Clients that poll read the same blocks again and again.
  const recentHeaders = new LRUCache<number, Header>({
    max: mostHeaders,
    maxSize: mostHashes,
    sizeCalculation: ({ transactions }) => 1 + transactions.length,
  })
  const recentLogs = new LRUCache<number, readonly Log[]>({ maxSize: mostLogs, sizeCalculation: weightOf })
  let last = Number(select.last.get()?.number ?? -1)

  function headerOf(number: number): Header | undefined {
    const recent = recentHeaders.get(number)
    if (recent !== undefined) return recent
    const row = select.header.get(number)
    if (row === undefined) return undefined
    const transactions = select.hashes.all(number).map(({ hash }) => hexOf(hash as Uint8Array))
    const header = { ...(unpacked(row.header) as WireObject), transactions }
    recentHeaders.set(number, header)
    return header
  }

  function logsOf(number: number): readonly Log[] {
    const recent = recentLogs.get(number)
    if (recent !== undefined) return recent
    const bytes = select.logs.get(number)?.logs
    const logs = bytes === null || bytes === undefined ? [] : (unpacked(bytes) as Log[])
    recentLogs.set(number, logs)
    return logs
  }

  function stored(row: unknown): StoredTransaction | undefined {
    if (row === undefined) return undefined
    const { block, position, body } = row as TransactionRow
    const { transaction, receipt } = unpacked(body) as Omit<StoredTransaction, 'block'>
    const logs = logsOf(block).filter(({ transactionIndex }) => Number(transactionIndex) === position)
    return { block, transaction, receipt: { ...receipt, logs } }
  }

  return {
    last: () => last,
    hashOf: (number) => {
      const row = select.hash.get(number)
      return row && hexOf(row.hash as Uint8Array)
    },
    numberOf: (hash) => select.number.get(bytesOf(hash))?.number as number | undefined,
    header: headerOf,
    transactions: (number) => select.transactions.all(number).flatMap((row) => stored(row) ?? []),
    logs: logsOf,
    transaction: (hash) => stored(select.transaction.get(bytesOf(hash))),
    transactionAt: (block, index) => stored(select.transactionAt.get(block, index)),
    blocksWithLogs: (range) => blocksWithLogs(database, range),
    add: (whole) => {
      allOrNothing(database, () => write(whole))
      const number = Number(whole.block.number)
      recentHeaders.delete(number)
      recentLogs.delete(number)
      last = Math.max(last, number)
    },
    sync: () => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'),
    close: () => database.close(),
  }
}

function selectStatements(database: DatabaseSync) {
  return {
    last: database.prepare('SELECT max(number) AS number FROM block'),
    hash: database.prepare('SELECT hash FROM block WHERE number = ?'),
    number: database.prepare('SELECT number FROM block WHERE hash = ?'),
    header: database.prepare('SELECT header FROM block WHERE number = ?'),
    hashes: database.prepare('SELECT hash FROM tx WHERE block = ? ORDER BY position'),
    logs: database.prepare('SELECT logs FROM block WHERE number = ?'),
    transactions: database.prepare('SELECT block, position, body FROM tx WHERE block = ? ORDER BY position'),
    transaction: database.prepare('SELECT block, position, body FROM tx WHERE hash = ?'),
    transactionAt: database.prepare('SELECT block, position, body FROM tx WHERE block = ? AND position = ?'),
  }
}

/** Creates the function that writes a block over one with the same number. Throws where receipts are missing. */
function blockWriter(database: DatabaseSync): (whole: WholeBlock) => void {
  const remove = ['block WHERE number', 'tx WHERE block', 'place WHERE block'].map((what) =>
    database.prepare(`DELETE FROM ${what} = ?`),
  )
  const insert = {
    block: database.prepare('INSERT INTO block VALUES (?, ?, ?, ?)'),
    transaction: database.prepare('INSERT INTO tx VALUES (?, ?, ?, ?)'),
    place: database.prepare('INSERT OR IGNORE INTO place VALUES (?, ?, ?)'),
  }
  return ({ block, receipts }) => {
    const number = Number(block.number)
    for (const statement of remove) statement.run(number)
    const logs = receipts.flatMap((receipt) => receipt.logs as Log[])
    const header = packed({ ...block, transactions: [] })
    insert.block.run(number, bytesOf(block.hash), header, logs.length === 0 ? null : packed(logs))
    for (const [position, transaction] of block.transactions.entries()) {
      const receipt = receipts[position]
      if (!receipt || receipt.transactionHash !== transaction.hash)
        throw new Error(`block ${number} has transactions without receipts`)
      const body = packed({ transaction, receipt: { ...receipt, logs: [] } })
      insert.transaction.run(number, position, bytesOf(String(transaction.hash)), body)
    }
    for (const { address, topics } of logs) insert.place.run(bytesOf(address), bytesOf(topics[0] ?? '0x'), number)
  }
}

function blocksWithLogs(database: DatabaseSync, { from, to, addresses, topics }: LogRange): number[] {
  const oneOf = (column: string, values: readonly Hex[] | null) =>
    values === null ? '' : ` AND ${column} IN (${values.map(() => '?').join()})`
  const where = `block BETWEEN ? AND ?${oneOf('address', addresses)}${oneOf('topic', topics)}`
  const statement = database.prepare(`SELECT DISTINCT block FROM place WHERE ${where} ORDER BY block`)
  const rows = statement.all(from, to, ...[...(addresses ?? []), ...(topics ?? [])].map(bytesOf))
  return rows.map(({ block }) => Number(block))
}

function packed(value: unknown): Buffer {
  return deflateRawSync(JSON.stringify(value), { level: 1 })
}

function unpacked(bytes: unknown): unknown {
  return JSON.parse(inflateRawSync(bytes as Uint8Array).toString())
}
