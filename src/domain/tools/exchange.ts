import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/shared/limits.ts'
import { exchangeOperations } from '../../contract/tools/exchange.ts'
import { exchangeTools } from '../../contract/tools/exchange-tool-table.ts'
import { operationTool } from '../../contract/tools/operation-tool.ts'
import { type ArgumentsOf, describeTools } from '../../contract/tools/tool-table.ts'
import type { Fail } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { Ports } from '../ports/index.ts'
import type { Exchange, MarketCandle, MarketInfo, MarketTrade } from '../ports/market.ts'
import { formatUnits, parseUnits } from '../values/money.ts'
import { presentDepth, presentTicker } from './market-events.ts'
import { checkedCall, presentTool, type ToolContext, type ToolRunners } from './tool-call.ts'

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
  const [symbol = ''] = await knownMarkets(exchange, [input.symbol], call)
  const owner = { id: ids.uuid(), userId: call.principal.userId, createdAt: clock.now() }
  const most = bounds.marketSubscriptions
  if (!(await marketSubscriptions.create({ ...owner, symbol, streams: input.streams, interval: input.interval }, most)))
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

type MarketNeeds = 'exchange' | 'providers'
type Tools = typeof exchangeTools

type Arguments = { [Name in keyof Tools]: ArgumentsOf<Tools[Name]> }

/** The tools of the exchange. */
const runExchangeTool: ToolRunners<Pick<Ports, MarketNeeds>, Arguments> = {
  async markets_list({ providers }, { base, quote, limit }, { signal }) {
    const answer = await providers.markets.markets(signal)
    const rows = answer.value.filter((market) => isOf(market.base, base) && isOf(market.quote, quote))
    return { ...answer, value: { markets: rows.slice(0, limit).map(marketRow), total: rows.length } }
  },
  async market_get(ports, given, context) {
    const symbol = await known(ports, given.symbol, context)
    const answer = await ports.providers.markets.markets(context.signal)
    const found = answer.value.find((market) => market.symbol === symbol)
    return { ...answer, value: marketRow(found ?? { symbol, base: null, quote: null }) }
  },
  async price_get(ports, given, context) {
    const symbol = await known(ports, given.symbol, context)
    const answer = await ports.providers.markets.prices([symbol], context.signal)
    return { ...answer, value: { symbol, price: answer.value[0]?.price ?? null } }
  },
  async prices_list(ports, given, context) {
    const symbols = await knownMarkets(ports.exchange, given.symbols, context)
    const answer = await ports.providers.markets.prices(symbols, context.signal)
    return { ...answer, value: { prices: answer.value.map(({ symbol, price }) => ({ symbol, price })) } }
  },
  async average_price(ports, given, context) {
    const symbol = await known(ports, given.symbol, context)
    const answer = await ports.providers.markets.averagePrice(symbol, context.signal)
    return { ...answer, value: { symbol, ...answer.value } }
  },
  async ticker_get(ports, given, context) {
    const symbol = await known(ports, given.symbol, context)
    const answer = await ports.providers.markets.tickers([symbol], context.signal)
    return { ...answer, value: { symbol, ...(answer.value[0] === undefined ? {} : presentTicker(answer.value[0])) } }
  },
  async tickers_list(ports, given, context) {
    const symbols = await knownMarkets(ports.exchange, given.symbols, context)
    const answer = await ports.providers.markets.tickers(symbols, context.signal)
    const tickers = answer.value.map((ticker) => ({ symbol: ticker.symbol, ...presentTicker(ticker) }))
    return { ...answer, value: { tickers } }
  },
  async book_ticker(ports, given, context) {
    const symbol = await known(ports, given.symbol, context)
    const answer = await ports.providers.markets.bestOffers(symbol, context.signal)
    const { bid, ask } = answer.value
    return { ...answer, value: { symbol, bid, ask, spread: spreadOf(bid.price, ask.price) } }
  },
  async depth_get(ports, given, context) {
    const symbol = await known(ports, given.symbol, context)
    const answer = await ports.providers.markets.depth(symbol, given.limit, context.signal)
    return { ...answer, value: { symbol, ...presentDepth(answer.value) } }
  },
  async trades_list(ports, given, context) {
    const symbol = await known(ports, given.symbol, context)
    const answer = await ports.providers.markets.trades(symbol, null, given.limit, context.signal)
    return { ...answer, value: { symbol, trades: answer.value.map(tradeRow) } }
  },
  async trades_since(ports, given, context) {
    const symbol = await known(ports, given.symbol, context)
    const answer = await ports.providers.markets.trades(symbol, given.from_id, given.limit, context.signal)
    return { ...answer, value: { symbol, trades: answer.value.map(tradeRow) } }
  },
  async klines_list(ports, { interval, from, limit, ...given }, context) {
    const symbol = await known(ports, given.symbol, context)
    const since = from === undefined ? null : new Date(from)
    const answer = await ports.providers.markets.candles({ symbol, interval }, since, limit, context.signal)
    return { ...answer, value: { symbol, interval, klines: answer.value.map(candleRow) } }
  },
  async server_time({ providers }, _given, { signal }) {
    const answer = await providers.markets.time(signal)
    return { ...answer, value: { time: answer.value.toISOString() } }
  },
}

async function known({ exchange }: Pick<Ports, 'exchange'>, symbol: string, context: ToolContext): Promise<string> {
  const [found = symbol] = await knownMarkets(exchange, [symbol], context)
  return found
}

/** The symbols as the exchange writes them. NOT_FOUND lists some that exist. */
async function knownMarkets(
  exchange: Pick<Exchange, 'symbols'>,
  names: readonly string[],
  { signal, fail }: Pick<ToolContext, 'signal'> & { fail: Fail<'NOT_FOUND'> },
): Promise<string[]> {
  const known = await exchange.symbols(signal)
  const symbols = names.map((name) => name.toUpperCase())
  const unknown = symbols.find((symbol) => !known.includes(symbol))
  if (unknown === undefined) return symbols
  const some = `${known.slice(0, 20).join(', ')}${known.length > 20 ? ', …' : ''}`
  throw fail('NOT_FOUND', `The exchange has no market ${unknown}; it has ${some}.`)
}

/** The difference of two decimal texts, as integers so that nothing is rounded. */
function spreadOf(bid: string, ask: string): string {
  const digits = 30
  return formatUnits(parseUnits(ask, digits) - parseUnits(bid, digits), digits)
}

function isOf(currency: string | null, wanted: string | undefined): boolean {
  return wanted === undefined || currency?.toLowerCase() === wanted.toLowerCase()
}

function marketRow({ symbol, base, quote }: MarketInfo) {
  return { symbol, base, quote }
}

function tradeRow({ id, price, quantity, buyerIsMaker, at }: MarketTrade) {
  return { trade_id: String(id), price, quantity, buyer_is_maker: buyerIsMaker, at: at.toISOString() }
}

function candleRow({ openedAt, closesAt, open, high, low, close, volume, closed }: MarketCandle) {
  const times = { opened_at: openedAt.toISOString(), closes_at: closesAt.toISOString() }
  return { ...times, open, high, low, close, volume, closed }
}
