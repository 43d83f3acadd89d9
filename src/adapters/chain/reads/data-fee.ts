import { concatHex, type Hex, keccak256, padHex, parseAbi, size, sliceHex, toHex } from 'viem'
import type { TransactionCall } from '../../../domain/ports/chains.ts'
import { gasPriceOracle } from '../../../opstack/predeploys.ts'
import type { Connection } from './connection.ts'
import { readAll } from './multicall.ts'
import { viewsOf } from './views.ts'

const oracle = viewsOf(parseAbi(['function getL1Fee(bytes unsigned) view returns (uint256)']))

/** Bytes of an unsigned transaction beside its data: chain, nonce, fees, gas, address and value. */
const envelopeBytes = 48

/** The bytes of the words of a real call, by turns: an address, an amount, an offset or a length, and nothing. */
const wordBytes = [20, 8, 1, 0]

/** Two transactions whose fees are asked for: about as long as an approval, and as a swap over several pools. */
const [short, long] = [sample(4), sample(20)]

/** Wei that a rollup charges for the data of these transactions on its parent chain; 0 where gas is all that is paid. */
export type DataFee = (calls: readonly Pick<TransactionCall, 'data'>[]) => Promise<bigint>

/**
 * Creates the estimate of data fees. An OP Stack rollup charges by how well the data compresses, at prices that change
 * with the parent chain. The fees of two samples are read once a block, and that of a transaction follows by its length.
 * Other chains have no such contract; Arbitrum counts the data in its gas.
 */
export function dataFees(connection: Connection): DataFee {
  let charges = true
  const read = async () => {
    const fees = await readAll(
      connection,
      [short, long].map((data) => oracle.getL1Fee(gasPriceOracle, data)),
    )
    const [low = null, high = null] = fees
    if (low !== null && high !== null) return { low, high }
    const code = await connection.client.getCode({ address: gasPriceOracle })
    charges = code !== undefined && code !== '0x' // a contract of the genesis, so it does not appear later
    return null
  }
  return async (calls) => {
    if (!charges || calls.length === 0) return 0n
    const { once } = await connection.view()
    const fees = await once('data fees', read)
    if (fees === null) return 0n
    return calls.reduce((sum, { data }) => sum + between(fees, envelopeBytes + size(data)), 0n)
  }
}

function between({ low, high }: { low: bigint; high: bigint }, bytes: number): bigint {
  const more = BigInt(bytes - size(short))
  const fee = low + ((high - low) * more) / BigInt(size(long) - size(short))
  return fee > 0n ? fee : 0n
}

/** A transaction as long as one with so many words of data, with as much in them as in a real call. */
function sample(words: number): Hex {
  const envelope = bytesOf('envelope', envelopeBytes)
  const data = Array.from({ length: words }, (_, index) =>
    padHex(bytesOf(String(index), wordBytes[index % wordBytes.length] ?? 0), { size: 32 }),
  )
  return concatHex([envelope, bytesOf('selector', 4), ...data])
}

/** Bytes that do not compress, the same for each name. */
function bytesOf(name: string, length: number): Hex {
  return sliceHex(concatHex([keccak256(toHex(name)), keccak256(toHex(`${name}+`))]), 0, length)
}
