import type { contract } from '../../contract/index.ts'
import { toolDescription } from '../../contract/tool-description.ts'
import { bitcoinTools } from '../../contract/tools-bitcoin.ts'
import type { Handler } from '../handler.ts'

/** The Bitcoin operations as tools. */
export const listBitcoin: Handler<typeof contract.tools.listBitcoin> = async () => ({
  tools: [
    toolDescription('latest_block', bitcoinTools.latestBitcoinBlock),
    toolDescription('decode_transaction', bitcoinTools.decodeBitcoinTransaction),
    toolDescription('validate_address', bitcoinTools.validateBitcoinAddress),
  ],
})
