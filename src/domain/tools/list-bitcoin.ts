import type { contract } from '../../contract/index.ts'
import { bitcoinOperations } from '../../contract/tools/bitcoin.ts'
import { bitcoinTools } from '../../contract/tools/bitcoin-tool-table.ts'
import { operationTool } from '../../contract/tools/operation-tool.ts'
import { describeTools } from '../../contract/tools/tool-table.ts'
import type { Handler } from '../core/handler.ts'

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
