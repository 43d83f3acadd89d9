import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { Ports } from '../ports/index.ts'
import type { MarketSubscription } from '../ports/market.ts'
import {
  isAway,
  type MarketPosition,
  marketEventId,
  marketStart,
  parseMarketCursor,
  presentDepth,
  presentTicker,
  refuseFarBehind,
} from './market-events.ts'
import { type MarketEvent, type ReadContext, readMarket } from './read-market.ts'

type Needs = 'clock' | 'exchange' | 'marketSubscriptions'
type Event = OutputOf<typeof contract.tools.streamExchange>

/** The events of a subscribed market until the reader disconnects or the subscription is removed. */
export const streamExchange: Handler<typeof contract.tools.streamExchange, Needs> = async (ports, input, call) => {
  const subscription = await ports.marketSubscriptions.find(call.principal.userId, input.subscription_id)
  if (subscription === null) throw call.fail('NOT_FOUND', 'You have no such subscription; subscribe first.')
  const { last_event_id: last } = input
  const from = last === undefined || last === '' ? marketStart : parseMarketCursor(subscription.id, last)
  if (from === null) throw invalid('last_event_id', 'is not the id of an event of this subscription')
  await refuseFarBehind(ports, subscription, from, call).catch(unlessAway)
  call.nameStream(subscription.id)
  return events(ports, subscription, from, call)
}

async function* events(
  ports: Pick<Ports, Needs>,
  subscription: MarketSubscription,
  from: MarketPosition,
  { signal: disconnected, fail }: ReadContext,
): AsyncGenerator<Event> {
  const { exchange, marketSubscriptions } = ports
  const ended = new AbortController()
  const unlisten = marketSubscriptions.onRemoved(subscription.id, () => ended.abort())
  const signal = AbortSignal.any([disconnected, ended.signal])
  try {
    // The subscription can be removed between the opening and the first read of the stream.
    if ((await marketSubscriptions.find(subscription.userId, subscription.id)) === null) return
    for await (const event of readMarket(ports, subscription, from, { signal, fail }))
      yield present(subscription, exchange.source, event)
  } catch (thrown) {
    if (!ended.signal.aborted) throw thrown
  } finally {
    unlisten()
  }
}

/** An exchange that does not respond is not refused here, because the stream reports it. */
function unlessAway(thrown: unknown): void {
  if (!isAway(thrown)) throw thrown
}

function present({ id, symbol }: MarketSubscription, source: string, event: MarketEvent): Event {
  const { position, filled } = event
  const common = { id: marketEventId(id, position), sequence: position.sequence, symbol, filled, source }
  if ('trade' in event) {
    const { id: tradeId, price, quantity, buyerIsMaker, at } = event.trade
    const trade = { trade_id: String(tradeId), price, quantity, buyer_is_maker: buyerIsMaker }
    return { ...common, stream: 'trade', at: at.toISOString(), trade }
  }
  if ('candle' in event) {
    const { openedAt, closesAt, ...candle } = event.candle
    const times = { opened_at: openedAt.toISOString(), closes_at: closesAt.toISOString() }
    return { ...common, stream: 'kline', at: event.at.toISOString(), kline: { ...candle, ...times } }
  }
  if ('depth' in event) {
    return { ...common, stream: 'depth', at: event.at.toISOString(), depth: presentDepth(event.depth) }
  }
  if ('status' in event) {
    const { at, ...status } = event.status
    return { ...common, stream: 'status', at: at.toISOString(), status }
  }
  return { ...common, stream: 'ticker', at: event.ticker.at.toISOString(), ticker: presentTicker(event.ticker) }
}
