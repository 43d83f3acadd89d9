import { readFileSync } from 'node:fs'
import type { Hex } from 'viem'
import type { Engine } from '../engine/engine.ts'
import { isEngineUnavailable, RpcError } from '../engine/rpc-error.ts'
import { asError, type Emit } from '../events.ts'
import { listLogs, listSnapshots, readLogs, snapshotFile } from './files.ts'
import type { LogRecord } from './records.ts'

/** The newest block, as far as its successor depends on it. */
export type Head = { number: number; hash: Hex; timestamp: number }

/** A chain that was rebuilt from disk. */
export type Restored = {
  engine: Engine
  head: Head
  /** Accepted transactions without a block yet, in the order they came. */
  pending: Map<Hex, Hex>
  /** Set when the last recorded decision to make a block lacks its outcome. */
  unfinished: Extract<LogRecord, { type: 'seal' }> | undefined
  snapshot: number | null
  blocks: number
  transactions: number
}

/** Rebuilds the chain in a fresh engine: newest snapshot that loads, then every block the log has after it. */
export async function replay(dir: string, start: () => Promise<Engine>, emit: Emit): Promise<Restored> {
  for (const snapshot of listSnapshots(dir)) {
    const engine = await start()
    try {
      await engine.call('anvil_loadState', [`0x${readFileSync(snapshotFile(dir, snapshot)).toString('hex')}`])
    } catch (thrown) {
      await engine.kill()
      emit({ type: 'snapshot-unusable', block: snapshot, error: asError(thrown) })
      continue
    }
    return replayLogs(dir, engine, snapshot, emit)
  }
  if (!listLogs(dir).includes(0))
    throw new Error(`${dir} has no usable snapshot and no log that reaches back to the first block`)
  return replayLogs(dir, await start(), null, emit)
}

async function replayLogs(dir: string, engine: Engine, snapshot: number | null, emit: Emit): Promise<Restored> {
  try {
    const state: Restored = {
      engine,
      head: await readHead(engine),
      pending: new Map(),
      unfinished: undefined,
      snapshot,
      blocks: 0,
      transactions: 0,
    }
    if (state.head.number !== (snapshot ?? 0))
      throw new Error(`snapshot ${snapshot} loaded as block ${state.head.number}`)
    for (const record of readLogs(dir, snapshot ?? 0, emit)) await apply(state, record)
    return state
  } catch (error) {
    await engine.kill()
    throw error
  }
}

async function apply(state: Restored, record: LogRecord): Promise<void> {
  switch (record.type) {
    case 'log':
      if (record.after !== state.head.number || record.hash !== state.head.hash)
        throw mismatch(record.after, record.hash, state.head)
      return
    case 'transaction':
      state.pending.set(record.hash, record.raw)
      return
    case 'seal':
      state.unfinished = record
      return
    case 'block': {
      const seal = state.unfinished
      if (seal?.number !== record.number) throw new Error(`the block log has block ${record.number} without its seal`)
      for (const hash of record.transactions) {
        const raw = state.pending.get(hash)
        if (!raw) throw new Error(`the block log lacks transaction ${hash} of block ${record.number}`)
        await state.engine.call('eth_sendRawTransaction', [raw])
        state.pending.delete(hash)
      }
      await state.engine.call('evm_mine', [seal.timestamp])
      state.head = await readHead(state.engine)
      if (state.head.hash !== record.hash) throw mismatch(record.number, record.hash, state.head)
      state.unfinished = undefined
      state.blocks += 1
      state.transactions += record.transactions.length
    }
  }
}

/** The engine's newest block with the hashes of its transactions. */
export async function readHead(engine: Engine): Promise<Head & { transactions: Hex[] }> {
  const block = (await engine.call('eth_getBlockByNumber', ['latest', false])) as {
    number: Hex
    hash: Hex
    timestamp: Hex
    transactions: Hex[]
  }
  return {
    number: Number(block.number),
    hash: block.hash,
    timestamp: Number(block.timestamp),
    transactions: block.transactions,
  }
}

/**
 * Hands an accepted transaction to an engine that may not have it. Answers why the engine would not take it now, or
 * null when it has it.
 */
export async function offer(engine: Engine, raw: Hex): Promise<string | null> {
  try {
    await engine.call('eth_sendRawTransaction', [raw])
    return null
  } catch (error) {
    if (!(error instanceof RpcError) || isEngineUnavailable(error)) throw error
    return error.message.includes('already') ? null : error.message
  }
}

function mismatch(number: number, expected: string, head: Head): Error {
  return new Error(`replay of block ${number} gave ${head.hash} as block ${head.number} where ${expected} was recorded`)
}
