import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/shared/limits.ts'
import { invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import { knownMarkets } from './known-markets.ts'

/** Keeps a subscription of the account until it is ended; the exchange itself is asked only for the market's name. */
export const subscribeExchange: Handler<
  typeof contract.tools.subscribeExchange,
  'clock' | 'exchange' | 'ids' | 'marketSubscriptions'
> = async ({ clock, exchange, ids, marketSubscriptions }, input, call) => {
  const streams = [...new Set(input.streams)]
  if (streams.length < input.streams.length) throw invalid('streams', 'names a stream twice')
  const [symbol = ''] = await knownMarkets(exchange, [input.symbol], call.signal)
  const owner = { id: ids.uuid(), userId: call.principal.userId, createdAt: clock.now() }
  const most = bounds.marketSubscriptions
  if (!(await marketSubscriptions.create({ ...owner, symbol, streams, interval: input.interval }, most)))
    throw call.fail('FAILED_PRECONDITION', `The account has ${most} subscriptions already; end one of them first.`)
  return { subscription_id: owner.id }
}

/** Ends a subscription of the account, and the streams that read it. */
export const unsubscribeExchange: Handler<typeof contract.tools.unsubscribeExchange, 'marketSubscriptions'> = async (
  { marketSubscriptions },
  { subscription_id },
  call,
) => {
  if (!(await marketSubscriptions.remove(call.principal.userId, subscription_id)))
    throw call.fail('NOT_FOUND', 'You have no such subscription; subscribe first.')
  return { subscription_id, status: 'unsubscribed' }
}
