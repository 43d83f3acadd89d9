import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/shared/limits.ts'
import { exchangeOperations } from '../../contract/tools/exchange.ts'
import { exchangeTools } from '../../contract/tools/exchange-tool-table.ts'
import { operationTool } from '../../contract/tools/operation-tool.ts'
import { describeTools } from '../../contract/tools/tool-table.ts'
import { invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import { knownMarkets, type MarketNeeds, runExchangeTool } from './exchange-tools.ts'
import { checkedCall, presentTool } from './tool-call.ts'

/** The tools of the exchange that are operations of their own. */
const exchangeCalls = {
  subscribe: operationTool(exchangeOperations.subscribeExchange),
  unsubscribe: operationTool(exchangeOperations.unsubscribeExchange),
  stream: operationTool(exchangeOperations.streamExchange),
}

/** The tools of the exchange with the schemas of their arguments. */
export const listExchange: Handler<typeof contract.tools.listExchange> = async () => ({
  tools: describeTools({ ...exchangeCalls, ...exchangeTools }),
})

/** Calls a tool of the exchange and names the source. */
export const invokeExchange: Handler<typeof contract.tools.invokeExchange, MarketNeeds> = async (
  ports,
  input,
  call,
) => {
  const { name, data } = checkedCall(exchangeTools, input, call.fail, { ownCalls: exchangeCalls })
  return presentTool(name, await runExchangeTool[name](ports, data as never, call)) // checked by the tool's schema
}

/** Stores a subscription of the account until it is removed. Of the exchange it only reads the name of the market. */
export const subscribeExchange: Handler<
  typeof contract.tools.subscribeExchange,
  'clock' | 'exchange' | 'ids' | 'marketSubscriptions'
> = async ({ clock, exchange, ids, marketSubscriptions }, input, call) => {
  const streams = [...new Set(input.streams)]
  if (streams.length < input.streams.length) throw invalid('streams', 'names a stream twice')
  const [symbol = ''] = await knownMarkets(exchange, [input.symbol], call)
  const owner = { id: ids.uuid(), userId: call.principal.userId, createdAt: clock.now() }
  const most = bounds.marketSubscriptions
  if (!(await marketSubscriptions.create({ ...owner, symbol, streams, interval: input.interval }, most)))
    throw call.fail('FAILED_PRECONDITION', `The account has ${most} subscriptions already; remove one of them first.`)
  return { subscription_id: owner.id }
}

/** Removes a subscription of the account, and ends the streams that read it. */
export const unsubscribeExchange: Handler<typeof contract.tools.unsubscribeExchange, 'marketSubscriptions'> = async (
  { marketSubscriptions },
  { subscription_id },
  call,
) => {
  if (!(await marketSubscriptions.remove(call.principal.userId, subscription_id)))
    throw call.fail('NOT_FOUND', 'You have no such subscription; subscribe first.')
  return { subscription_id, status: 'unsubscribed' }
}
