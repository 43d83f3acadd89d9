import type { contract } from '../../contract/index.ts'
import { exchangeTools } from '../../contract/tools/exchange-tool-table.ts'
import type { Handler } from '../core/handler.ts'
import { checkedCall } from './checked-call.ts'
import { exchangeAnswers, type MarketNeeds } from './exchange-answers.ts'
import { presentTool } from './invoke-tvl.ts'
import { exchangeCalls } from './list-exchange.ts'

/** Calls a tool of the exchange and says whose answer it is. */
export const invokeExchange: Handler<typeof contract.tools.invokeExchange, MarketNeeds> = async (
  ports,
  input,
  call,
) => {
  const { name, data } = checkedCall(exchangeTools, input, '', exchangeCalls)
  return presentTool(name, await exchangeAnswers[name](ports, data as never, call.signal)) // its schema has just made it
}
