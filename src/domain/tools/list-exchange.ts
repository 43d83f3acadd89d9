import type { contract } from '../../contract/index.ts'
import { exchangeOperations } from '../../contract/tools/exchange.ts'
import { exchangeTools } from '../../contract/tools/exchange-tool-table.ts'
import { operationTool } from '../../contract/tools/operation-tool.ts'
import { describeTools } from '../../contract/tools/tool-table.ts'
import type { Handler } from '../core/handler.ts'

/** The tools of the exchange that have a call of their own. */
export const exchangeCalls = {
  subscribe: operationTool(exchangeOperations.subscribeExchange),
  unsubscribe: operationTool(exchangeOperations.unsubscribeExchange),
  stream: operationTool(exchangeOperations.streamExchange),
}

/** The tools of the exchange with the schemas of their arguments. */
export const listExchange: Handler<typeof contract.tools.listExchange> = async () => ({
  tools: describeTools({ ...exchangeCalls, ...exchangeTools }),
})
