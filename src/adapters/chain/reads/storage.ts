import { type Address, concat, type Hex, size, slice } from 'viem'
import type { Head } from '../../../domain/ports/chains.ts'
import { provesNothing } from '../../node/errors/failures.ts'
import type { Connection } from './connection.ts'
import { callAll } from './multicall.ts'

/** What the reading code returns first, so that an answer of the contract's own code is not taken for its. */
const mark: Hex = '0x76616c756573206f662073746f7261676520736c6f74732c2061732061736b65'
/**
 * Code that returns the mark, then the value of each storage slot that the call data names: a loop over the words of the
 * call data (CALLDATALOAD, SLOAD, MSTORE).
 */
const readingCode = concat(['0x7f', mark, '0x60005260005b36811015603c5780355481602001526020016026565b6020016000f3'])

/**
 * The values of storage slots of a contract at a block. They are read in one call, in which other code is pretended to be
 * the contract's; each by itself where the node does not pretend that.
 */
export async function readStorage(
  connection: Pick<Connection, 'client' | 'at' | 'deployment'>,
  address: Address,
  slots: readonly Hex[],
  block: Head,
): Promise<Hex[]> {
  const stateOverride = [{ address, code: readingCode }]
  const reading = { target: address, callData: concat(slots) }
  const [data] = await callAll(connection, [reading], block, stateOverride).catch((failure: unknown) => {
    if (provesNothing(failure)) throw failure
    return [null]
  })
  if (data != null && size(data) === 32 * (slots.length + 1) && slice(data, 0, 32) === mark)
    return slots.map((_, index) => slice(data, 32 * (index + 1), 32 * (index + 2)))
  const { client, at } = connection
  const values = slots.map(async (slot) => (await client.getStorageAt({ address, slot, ...at(block) })) ?? '0x0')
  return await Promise.all(values)
}
