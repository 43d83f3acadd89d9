import { DatabaseSync } from 'node:sqlite'
import type { Hex } from 'viem'
import { allOrNothing } from '../kit/all-or-nothing.ts'
import { prepareLedger } from './ledger-schema.ts'

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

const selectBlock = `
  SELECT block.number, block.hash, stateRoot, timestamp, origin.first, origin.number AS originNumber,
    origin.hash AS originHash, (SELECT hash FROM block AS before WHERE before.number = block.number - 1) AS parentHash,
    (SELECT root FROM passer WHERE first <= block.number ORDER BY first DESC LIMIT 1) AS passerRoot
  FROM block JOIN origin ON origin.first =
    (SELECT first FROM origin WHERE first <= block.number ORDER BY first DESC LIMIT 1)
  WHERE block.number = `

/** The last block before the next origin, of the newest origin that is not after a parent block. */
const lastBuiltOn = `(SELECT number FROM block WHERE number < coalesce(
  (SELECT first FROM origin WHERE number > ? ORDER BY number LIMIT 1), ${Number.MAX_SAFE_INTEGER})
  ORDER BY number DESC LIMIT 1)`

type Row = Record<'number' | 'timestamp' | 'first' | 'originNumber', number> &
  Record<'hash' | 'stateRoot' | 'originHash' | 'passerRoot', Uint8Array> & { parentHash: Uint8Array | null }

/** Opens the ledger that a file holds, or begins it. */
export function openLedger(file: string): Ledger {
  const database = new DatabaseSync(file)
  prepareLedger(database)
  const select = {
    last: database.prepare(`${selectBlock} (SELECT max(number) FROM block)`),
    block: database.prepare(`${selectBlock} ?`),
    builtOn: database.prepare(`${selectBlock} ${lastBuiltOn}`),
    proof: database.prepare('SELECT * FROM proof WHERE block = ?'),
    source: database.prepare('SELECT 1 FROM deposit WHERE source = ?'),
    deposit: database.prepare('SELECT * FROM deposit WHERE hash = ?1 OR parentTransaction = ?1 ORDER BY rowid LIMIT 1'),
    withdrawal: database.prepare(
      'SELECT * FROM withdrawal WHERE hash = ?1 OR "transaction" = ?1 ORDER BY rowid LIMIT 1',
    ),
  }
  const selectHashes = database.prepare('SELECT hash FROM withdrawal WHERE block >= ? AND block < ?')
  const insert = {
    block: database.prepare('INSERT INTO block VALUES (?, ?, ?, ?)'),
    origin: database.prepare('INSERT INTO origin VALUES (?, ?, ?)'),
    passer: database.prepare('INSERT INTO passer VALUES (?, ?)'),
    deposit: database.prepare('INSERT OR REPLACE INTO deposit VALUES (?, ?, ?, ?)'),
    withdrawal: database.prepare('INSERT OR REPLACE INTO withdrawal VALUES (?, ?, ?)'),
    proof: database.prepare('INSERT OR REPLACE INTO proof VALUES (?, ?)'),
  }
  let last = blockOf(select.last.get())

  /** What follows a block that is made anew is not of this chain. */
  function forgetFrom(number: number): void {
    for (const [table, column] of [
      ['block', 'number'],
      ['origin', 'first'],
      ['passer', 'first'],
    ])
      database.prepare(`DELETE FROM ${table} WHERE ${column} >= ?`).run(number)
  }

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
      allOrNothing(database, () => {
        if (last && last.number >= block.number) forgetFrom(block.number)
        const before = blockOf(select.block.get(block.number - 1))
        const { number, hash, timestamp, stateRoot, passerRoot, origin } = block
        insert.block.run(number, bytesOf(hash), bytesOf(stateRoot), timestamp)
        if (before?.origin.hash !== origin.hash) insert.origin.run(number, origin.number, bytesOf(origin.hash))
        if (before?.passerRoot !== passerRoot) insert.passer.run(number, bytesOf(passerRoot))
        for (const deposit of deposits)
          insert.deposit.run(deposit.source, deposit.hash, deposit.parentTransaction, deposit.block)
        for (const withdrawal of withdrawals)
          insert.withdrawal.run(withdrawal.hash, withdrawal.transaction, withdrawal.block)
        if (proof) insert.proof.run(proof.block, proof.answer)
      })
      last = block
    },
    close: () => database.close(),
  }
}

function blockOf(row: unknown): LedgerBlock | undefined {
  if (row === undefined) return undefined
  const { number, timestamp, first, originNumber, ...bytes } = row as Row
  return {
    ...{ number, timestamp, sequence: number - first },
    hash: hexOf(bytes.hash),
    parentHash: hexOf(bytes.parentHash ?? new Uint8Array(32)),
    stateRoot: hexOf(bytes.stateRoot),
    passerRoot: hexOf(bytes.passerRoot),
    origin: { number: originNumber, hash: hexOf(bytes.originHash) },
  }
}

function hexOf(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`
}

function bytesOf(hex: Hex): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex')
}
