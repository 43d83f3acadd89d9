import { bitcoinTools } from '../../contract/bitcoin-tools.ts'
import type { contract } from '../../contract/index.ts'
import { operationTool } from '../../contract/operation-tool.ts'
import { describeTools } from '../../contract/tool-table.ts'
import { bitcoinOperations } from '../../contract/tools-bitcoin.ts'
import type { Handler } from '../handler.ts'

/** The tools of Bitcoin that have a call of their own. */
export const bitcoinCalls = {
  latest_block: operationTool(bitcoinOperations.latestBitcoinBlock),
  decode_transaction: operationTool(bitcoinOperations.decodeBitcoinTransaction),
  validate_address: operationTool(bitcoinOperations.validateBitcoinAddress),
}

/** The tools of Bitcoin with the schemas of their arguments. */
export const listBitcoin: Handler<typeof contract.tools.listBitcoin> = async () => ({
  tools: describeTools({ ...bitcoinCalls, ...bitcoinTools }),
})
