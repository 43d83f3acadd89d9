import type { contract } from '../../contract/index.ts'
import { operationTool } from '../../contract/operation-tool.ts'
import { describeTools } from '../../contract/tool-table.ts'
import { bitcoinTools } from '../../contract/tools-bitcoin.ts'
import type { Handler } from '../handler.ts'

/** The Bitcoin operations as tools. */
export const listBitcoin: Handler<typeof contract.tools.listBitcoin> = async () => ({
  tools: describeTools({
    latest_block: operationTool(bitcoinTools.latestBitcoinBlock),
    decode_transaction: operationTool(bitcoinTools.decodeBitcoinTransaction),
    validate_address: operationTool(bitcoinTools.validateBitcoinAddress),
  }),
})
