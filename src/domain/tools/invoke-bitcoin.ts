import type { contract } from '../../contract/index.ts'
import { bitcoinTools } from '../../contract/tools/bitcoin-tool-table.ts'
import type { Handler } from '../core/handler.ts'
import { bitcoinAnswers } from './bitcoin-answers.ts'
import { checkedCall } from './checked-call.ts'
import { presentTool } from './invoke-tvl.ts'
import { bitcoinCalls } from './list-bitcoin.ts'

/** Calls a tool of the Bitcoin provider and says whose answer it is. */
export const invokeBitcoin: Handler<typeof contract.tools.invokeBitcoin, 'providers'> = async (ports, input, call) => {
  const { name, data } = checkedCall(bitcoinTools, input, '', bitcoinCalls)
  return presentTool(name, await bitcoinAnswers[name](ports, data as never, call.signal)) // its schema has just made it
}
