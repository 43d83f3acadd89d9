import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'

/** What kind of address a text is and on which networks, or why it is none. */
export const validateBitcoinAddress: Handler<typeof contract.tools.validateBitcoinAddress, 'bitcoin'> = async (
  { bitcoin },
  { address },
) => {
  const found = bitcoin.describeAddress(address)
  if (!found.valid) return { valid: false, address, networks: [], reason: found.reason }
  const { networks, kind, script } = found
  const [network = 'mainnet'] = networks
  return { valid: true, address, network, networks: [...networks], type: kind, scriptpubkey: script }
}
