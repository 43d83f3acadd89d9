import { type Address, concat, type Hex, size, slice } from 'viem'
import type { Head } from '../../../domain/ports/chains.ts'
import { provesNothing } from '../../node/errors/failures.ts'
import { callAll } from './call-all.ts'
import type { Connection } from './connection.ts'
import { turnBatch } from './turn-batch.ts'

/** What the reading code returns first, so that an answer of the contract's own code is not taken for its. */
const mark: Hex = '0x76616c756573206f662073746f7261676520736c6f74732c2061732061736b65'
/**
 * Code that returns the mark, then the value of each storage slot that the call data names: a loop over the words of the
 * call data (CALLDATALOAD, SLOAD, MSTORE).
 */
const readingCode = concat(['0x7f', mark, '0x60005260005b36811015603c5780355481602001526020016026565b6020016000f3'])

type Wanted = { address: Address; slots: readonly Hex[] }

/** Reads the values of storage slots of a contract at a block. */
export type ReadStorage = (wanted: Wanted, block: Head) => Promise<readonly Hex[]>

/** The most contracts that are read in one call. */
const mostTogether = 20

/**
 * Creates the reader. What is asked in one turn is read in one call, in which other code is pretended to be the contracts';
 * where the node does not pretend that, each slot is read by itself.
 */
export function storageReader(connection: Connection): ReadStorage {
  const readAll = turnBatch((wanted: readonly Wanted[], block) => readTogether(connection, wanted, block), mostTogether)
  return async (wanted, block) => (await readAll([wanted], block))[0] ?? []
}

async function readTogether(connection: Connection, wanted: readonly Wanted[], block: Head): Promise<Hex[][]> {
  const { client, at } = connection
  const stateOverride = wanted.map(({ address }) => ({ address, code: readingCode }))
  const readings = wanted.map(({ address, slots }) => ({ target: address, callData: concat(slots) }))
  const answers = await callAll(connection, readings, block, stateOverride).catch((failure: unknown) => {
    if (provesNothing(failure)) throw failure
    return []
  })
  return await Promise.all(
    wanted.map(async ({ address, slots }, index) => {
      const data = answers[index]
      if (data != null && size(data) === 32 * (slots.length + 1) && slice(data, 0, 32) === mark)
        return slots.map((_, place) => slice(data, 32 * (place + 1), 32 * (place + 2)))
      const values = slots.map((slot) => client.getStorageAt({ address, slot, ...at(block) }))
      return (await Promise.all(values)).map((value) => value ?? '0x0')
    }),
  )
}
