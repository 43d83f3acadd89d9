import type { contract } from '../../contract/index.ts'
import { operationTool } from '../../contract/operation-tool.ts'
import { describeTools } from '../../contract/tool-table.ts'
import { exchangeTools } from '../../contract/tools-exchange.ts'
import type { Handler } from '../handler.ts'

/** The operations of the exchange as tools. */
export const listExchange: Handler<typeof contract.tools.listExchange> = async () => ({
  tools: describeTools({
    subscribe: operationTool(exchangeTools.subscribeExchange),
    unsubscribe: operationTool(exchangeTools.unsubscribeExchange),
    stream: operationTool(exchangeTools.streamExchange),
  }),
})
