import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { Ports } from '../ports/index.ts'
import type { MarketSubscription } from '../ports/market.ts'
import { isAway, refuseFarBehind } from './market-lag.ts'
import { type MarketPosition, marketEventId, marketStart, positionAfter } from './market-position.ts'
import { presentDepth, presentTicker } from './present-market.ts'
import { type MarketTelling, readMarket } from './read-market.ts'

type Needs = 'clock' | 'exchange' | 'marketSubscriptions'
type Event = OutputOf<typeof contract.tools.streamExchange>

/** The news of a subscribed market until the reader leaves or the subscription is ended. */
export const streamExchange: Handler<typeof contract.tools.streamExchange, Needs> = async (ports, input, call) => {
  const subscription = await ports.marketSubscriptions.find(call.principal.userId, input.subscription_id)
  if (subscription === null) throw call.fail('NOT_FOUND', 'You have no such subscription; subscribe first.')
  const { last_event_id: last } = input
  const from = last === undefined || last === '' ? marketStart : positionAfter(subscription.id, last)
  if (from === null) throw invalid('last_event_id', 'is not the id of an event of this subscription')
  await refuseFarBehind(ports, subscription, from, call.signal).catch(unlessAway)
  call.nameStream(subscription.id)
  return events(ports, subscription, from, call.signal)
}

async function* events(
  ports: Pick<Ports, Needs>,
  subscription: MarketSubscription,
  from: MarketPosition,
  left: AbortSignal,
): AsyncGenerator<Event> {
  const { exchange, marketSubscriptions } = ports
  const ended = new AbortController()
  const unlisten = marketSubscriptions.onRemoved(subscription.id, () => ended.abort())
  const signal = AbortSignal.any([left, ended.signal])
  try {
    // It may have been ended between its opening and its first reading.
    if ((await marketSubscriptions.find(subscription.userId, subscription.id)) === null) return
    for await (const telling of readMarket(ports, subscription, from, signal))
      yield present(subscription, exchange.source, telling)
  } catch (thrown) {
    if (!ended.signal.aborted) throw thrown
  } finally {
    unlisten()
  }
}

/** An exchange that does not answer is no reason to refuse: the stream says so itself. */
function unlessAway(thrown: unknown): void {
  if (!isAway(thrown)) throw thrown
}

function present({ id, symbol }: MarketSubscription, source: string, telling: MarketTelling): Event {
  const { position, filled } = telling
  const common = { id: marketEventId(id, position), sequence: position.sequence, symbol, filled, source }
  if ('trade' in telling) {
    const { id: tradeId, price, quantity, buyerIsMaker, at } = telling.trade
    const trade = { trade_id: String(tradeId), price, quantity, buyer_is_maker: buyerIsMaker }
    return { ...common, stream: 'trade', at: at.toISOString(), trade }
  }
  if ('candle' in telling) {
    const { openedAt, closesAt, ...candle } = telling.candle
    const times = { opened_at: openedAt.toISOString(), closes_at: closesAt.toISOString() }
    return { ...common, stream: 'kline', at: telling.at.toISOString(), kline: { ...candle, ...times } }
  }
  if ('depth' in telling) {
    return { ...common, stream: 'depth', at: telling.at.toISOString(), depth: presentDepth(telling.depth) }
  }
  if ('status' in telling) {
    const { at, ...status } = telling.status
    return { ...common, stream: 'status', at: at.toISOString(), status }
  }
  return { ...common, stream: 'ticker', at: telling.ticker.at.toISOString(), ticker: presentTicker(telling.ticker) }
}
