import { DatabaseSync } from 'node:sqlite'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Hex } from 'viem'
import { allOrNothing } from '../kit/all-or-nothing.ts'
import { keepLogs } from './recent-logs.ts'
import type { Log, StoredTransaction, WholeBlock, WireObject } from './whole-block.ts'

/** Which blocks a log filter is about; null stands for any address or first topic. */
export type LogPlaces = { from: number; to: number; addresses: readonly Hex[] | null; topics: readonly Hex[] | null }

/**
 * Every block of a chain with its transactions, receipts and logs, on disk: what a chain's engine has forgotten is
 * still known here. Answers are equal to the engine's, to the order of their fields.
 */
export type BlockStore = {
  /** Number of the newest block, -1 while there is none. */
  last: () => number
  /** The block's hash, where it is here. */
  hashOf: (number: number) => Hex | undefined
  numberOf: (hash: Hex) => number | undefined
  /** The block with `transactions` left empty. */
  header: (number: number) => WireObject | undefined
  /** The hashes of a block's transactions, in order. */
  hashes: (number: number) => Hex[]
  transactions: (number: number) => StoredTransaction[]
  /** All logs of a block. They are shared by all who ask: nobody may write to them. */
  logs: (number: number) => readonly Log[]
  transaction: (hash: Hex) => StoredTransaction | undefined
  transactionAt: (block: number, index: number) => StoredTransaction | undefined
  /** Numbers of the blocks that have a log at one of these places, in order. */
  placed: (places: LogPlaces) => number[]
  /** Writes a block whole or not at all. One with the same number gives way to it. */
  add: (whole: WholeBlock) => void
  /** Settles what was added on the disk itself; until then only the end of this process, not of the machine, is survived. */
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

type TransactionRow = { block: number; position: number; body: Uint8Array }

/** Opens the store that a file holds, or begins it. */
export function openBlockStore(file: string): BlockStore {
  const database = new DatabaseSync(file)
  // The block log makes a lost end again, so that not every block has to wait for the disk once more.
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${schema}`)
  const select = {
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
  const remove = ['block WHERE number', 'tx WHERE block', 'place WHERE block'].map((what) =>
    database.prepare(`DELETE FROM ${what} = ?`),
  )
  const insert = {
    block: database.prepare('INSERT INTO block VALUES (?, ?, ?, ?)'),
    transaction: database.prepare('INSERT INTO tx VALUES (?, ?, ?, ?)'),
    place: database.prepare('INSERT OR IGNORE INTO place VALUES (?, ?, ?)'),
  }
  const recentLogs = keepLogs()
  let last = Number(select.last.get()?.number ?? -1)

  function write({ block, receipts }: WholeBlock): void {
    const number = Number(block.number)
    for (const statement of remove) statement.run(number)
    const logs = receipts.flatMap((receipt) => receipt.logs as Log[])
    const hash = bytesOf(block.hash)
    insert.block.run(number, hash, packed({ ...block, transactions: [] }), logs.length === 0 ? null : packed(logs))
    for (const [position, transaction] of block.transactions.entries()) {
      const receipt = receipts[position]
      if (!receipt || receipt.transactionHash !== transaction.hash)
        throw new Error(`block ${number} came without its receipts`)
      const body = packed({ transaction, receipt: { ...receipt, logs: [] } })
      insert.transaction.run(number, position, bytesOf(String(transaction.hash)), body)
    }
    for (const { address, topics } of logs) insert.place.run(bytesOf(address), bytesOf(topics[0] ?? '0x'), number)
  }

  function add(whole: WholeBlock): void {
    allOrNothing(database, () => write(whole))
    const number = Number(whole.block.number)
    recentLogs.forget(number)
    last = Math.max(last, number)
  }

  const logsOf = (number: number) =>
    recentLogs.of(number, () => {
      const bytes = select.logs.get(number)?.logs
      return bytes === null || bytes === undefined ? [] : (unpacked(bytes) as Log[])
    })

  function stored(row: unknown): StoredTransaction | undefined {
    if (row === undefined) return undefined
    const { block, position, body } = row as TransactionRow
    const { transaction, receipt } = unpacked(body) as Omit<StoredTransaction, 'block'>
    const logs = logsOf(block).filter(({ transactionIndex }) => Number(transactionIndex) === position)
    return { block, transaction, receipt: { ...receipt, logs } }
  }

  return {
    last: () => last,
    hashOf: (number) => hexOf(select.hash.get(number)?.hash),
    numberOf: (hash) => select.number.get(bytesOf(hash))?.number as number | undefined,
    header: (number) => {
      const row = select.header.get(number)
      return row && (unpacked(row.header) as WireObject)
    },
    hashes: (number) => select.hashes.all(number).flatMap(({ hash }) => hexOf(hash) ?? []),
    transactions: (number) => select.transactions.all(number).flatMap((row) => stored(row) ?? []),
    logs: logsOf,
    transaction: (hash) => stored(select.transaction.get(bytesOf(hash))),
    transactionAt: (block, index) => stored(select.transactionAt.get(block, index)),
    placed: ({ from, to, addresses, topics }) => {
      const oneOf = (column: string, values: LogPlaces['addresses']) =>
        values === null ? '' : ` AND ${column} IN (${values.map(() => '?').join()})`
      const where = `block BETWEEN ? AND ?${oneOf('address', addresses)}${oneOf('topic', topics)}`
      const asked = database.prepare(`SELECT DISTINCT block FROM place WHERE ${where} ORDER BY block`)
      const rows = asked.all(from, to, ...[...(addresses ?? []), ...(topics ?? [])].map(bytesOf))
      return rows.map(({ block }) => Number(block))
    },
    add,
    sync: () => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'),
    close: () => database.close(),
  }
}

function packed(value: unknown): Buffer {
  return deflateRawSync(JSON.stringify(value), { level: 1 })
}

function unpacked(bytes: unknown): unknown {
  return JSON.parse(inflateRawSync(bytes as Uint8Array).toString())
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}

function hexOf(bytes: unknown): Hex | undefined {
  return bytes === undefined ? undefined : `0x${Buffer.from(bytes as Uint8Array).toString('hex')}`
}
