import type { Fees } from '../../../domain/ports/chains.ts'
import type { Connection } from './connection.ts'

/** The fees that the market asks at present, with room for the base fee to double; a gas price where it has none. */
export async function readFees({ client, view }: Pick<Connection, 'client' | 'view'>): Promise<Fees> {
  const { baseFee } = await view()
  if (baseFee === null) return { maxFeePerGas: await client.getGasPrice(), maxPriorityFeePerGas: null }
  const maxPriorityFeePerGas = await client.estimateMaxPriorityFeePerGas()
  return { maxFeePerGas: baseFee * 2n + maxPriorityFeePerGas, maxPriorityFeePerGas }
}
