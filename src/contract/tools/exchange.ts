import { z } from 'zod'
import { distinctTexts } from '../shared/bounded.ts'
import { bounds } from '../shared/limits.ts'
import { operation } from '../shared/operation.ts'
import { timestamp, uuid, withOneof } from '../shared/primitives.ts'
import { sample } from '../shared/samples.ts'
import {
  amount,
  eventId,
  lastEventId,
  signedAmount,
  source,
  toolInvocation,
  toolList,
  toolResult,
} from '../shared/values.ts'
import { candleInterval, exchangeTools, marketSymbol } from './exchange-tool-table.ts'

const marketStreams = ['trade', 'kline', 'depth', 'ticker'] as const

const offer = z
  .object({
    price: amount.describe('Price, in the quote currency'),
    quantity: amount.describe('Quantity at that price, in the base currency'),
  })
  .meta({ id: 'MarketOffer', description: 'The quantity that is offered at a price' })

const depth = z
  .object({
    update_id: z.int().describe("The exchange's number of this version of the order book"),
    bids: z.array(offer).describe('Bids, the highest price first'),
    asks: z.array(offer).describe('Asks, the lowest price first'),
  })
  .meta({ id: 'MarketDepth', description: 'The best bids and asks of a market at a moment' })

const ticker = z
  .object({
    last_price: amount.describe('Price of the last trade'),
    open_price: amount.describe('Price 24 hours ago'),
    high_price: amount.describe('Highest price'),
    low_price: amount.describe('Lowest price'),
    average_price: amount.describe('Price, weighted by quantity'),
    price_change: signedAmount.describe('Change of the price'),
    price_change_percent: signedAmount.describe('Change of the price in percent'),
    volume: amount.describe('Quantity traded, in the base currency'),
    quote_volume: amount.describe('Value of that volume, in the quote currency'),
    bid: offer.describe('Best bid'),
    ask: offer.describe('Best ask'),
    trades: z.int().describe('Number of trades'),
    opened_at: timestamp.describe('Start of the 24 hours'),
  })
  .meta({ id: 'MarketTicker', description: 'The last 24 hours of a market' })

const status = z
  .object({
    state: z
      .enum(['interrupted', 'resumed'])
      .meta({ message: 'MarketConnection' })
      .describe(
        'interrupted: no connection to the exchange; resumed: connected again, and everything missed has been sent',
      ),
    message: z.string().describe('What this means for the reader'),
  })
  .meta({ id: 'MarketStatus', description: 'State of the connection to the exchange' })

/** The id of an event of a market: the subscription, and how far it was read; an empty text is none. */
export const marketPosition = /^(?:([0-9a-fA-F-]{36}):([0-9]{1,15}):([0-9]{1,15}|-):([0-9]{1,14}|-))?$/

const marketEvent = withOneof(
  z.object({
    id: eventId.describe(
      'Position of the reader, which begins with the subscription_id; send it to resume after this event',
    ),
    sequence: z.int().describe('Counts the events since the stream was first opened, from 1 and without gaps'),
    stream: z
      .enum([...marketStreams, 'status'])
      .meta({ message: 'MarketStream' })
      .describe('Which of trade, kline, depth, ticker and status is present'),
    symbol: z.string().describe('Symbol of the market'),
    at: timestamp.describe('When it happened'),
    trade: z
      .object({
        trade_id: z.string().describe("The exchange's id of the trade"),
        price: amount.describe('Price, in the quote currency'),
        quantity: amount.describe('Quantity, in the base currency'),
        buyer_is_maker: z.boolean().describe('True where the buyer was the maker and the seller the taker'),
      })
      .meta({ id: 'MarketTrade', description: 'A trade on the exchange' })
      .optional(),
    kline: z
      .object({
        interval: z.string().describe('Length of the candle'),
        opened_at: timestamp.describe('Start of the candle'),
        closes_at: timestamp.describe('End of the candle'),
        open: amount.describe('First price'),
        high: amount.describe('Highest price'),
        low: amount.describe('Lowest price'),
        close: amount.describe('Last price so far'),
        volume: amount.describe('Quantity traded, in the base currency'),
        closed: z.boolean().describe('True where it is final'),
      })
      .meta({ id: 'MarketKline', description: 'A candle of the exchange' })
      .optional(),
    depth: depth.optional(),
    ticker: ticker.optional(),
    status: status.optional(),
    filled: z.boolean().describe('True where it was missed at first and read from the exchange later'),
    source,
  }),
  'detail',
  ['trade', 'kline', 'depth', 'ticker', 'status'],
).meta({ id: 'MarketEvent', description: 'An event of a market' })

const subscriptionId = uuid.describe('Id of the subscription')

const sampleSubscription = 'd4b8f2a6-1c3e-4957-b0d8-6e2f4a1c9b75'

/** Market data of the exchange. */
export const exchangeOperations = {
  listExchange: operation({
    kind: 'unary',
    summary: 'List the tools of the exchange',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    mcp: 'call',
    http: { method: 'GET', path: '/api/v1/multi-agent/exchange/tools' },
    input: z.strictObject({}),
    output: toolList,
    errors: ['UNIMPLEMENTED'],
    example: {
      input: {},
      output: {
        tools: [
          {
            name: 'subscribe',
            description: 'Trades and candles of a market',
            input_schema: { type: 'object', properties: { symbol: { type: 'string' } }, required: ['symbol'] },
          },
        ],
      },
    },
  }),

  invokeExchange: operation({
    kind: 'unary',
    summary: 'Call a tool of the exchange',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    values: bounds.freeValues,
    http: { method: 'POST', path: '/api/v1/multi-agent/exchange/invoke' },
    input: toolInvocation(exchangeTools, 'price_get or depth_get'),
    output: toolResult,
    errors: ['NOT_FOUND', 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'UNIMPLEMENTED'],
    example: {
      input: { tool_name: 'price_get', arguments: { symbol: 'ETHUSDC' } },
      output: {
        tool: 'price_get',
        result: { symbol: 'ETHUSDC', price: '2496.35' },
        source: 'exchange (data-api.binance.vision)',
        age_ms: 0,
        latency_ms: 31,
      },
    },
  }),

  subscribeExchange: operation({
    kind: 'unary',
    summary: 'Subscribe to a market of the exchange',
    description: 'Read the events with tools.streamExchange. At most 20 subscriptions for each account.',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    http: { method: 'POST', path: '/api/v1/multi-agent/exchange/subscribe' },
    input: z.strictObject({
      symbol: marketSymbol,
      market: z.enum(['spot']).meta({ message: 'MarketKind' }).describe('Kind of market').default('spot'),
      streams: distinctTexts(
        z.enum(marketStreams).meta({ message: 'MarketStream' }),
        marketStreams.length,
        'names a stream twice',
      )
        .min(1)
        .describe('Events to receive: trades, candles, the 20 best bids and asks, the last 24 hours'),
      interval: candleInterval,
    }),
    output: z.object({ subscription_id: subscriptionId }),
    errors: ['NOT_FOUND', 'FAILED_PRECONDITION', 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'UNIMPLEMENTED'],
    example: {
      input: { symbol: 'ETHUSDC', market: 'spot', streams: ['trade', 'kline'], interval: '1m' },
      output: { subscription_id: sampleSubscription },
    },
  }),

  unsubscribeExchange: operation({
    kind: 'unary',
    summary: 'End a subscription to a market',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    http: { method: 'POST', path: '/api/v1/multi-agent/exchange/unsubscribe' },
    input: z.object({ subscription_id: subscriptionId }),
    output: z.object({
      subscription_id: subscriptionId,
      status: z.literal('unsubscribed').describe('Always unsubscribed'),
    }),
    errors: ['NOT_FOUND', 'UNIMPLEMENTED'],
    example: {
      input: { subscription_id: sampleSubscription },
      output: { subscription_id: sampleSubscription, status: 'unsubscribed' },
    },
  }),

  streamExchange: operation({
    kind: 'stream',
    summary: 'Read the events of a subscribed market',
    description:
      'Every trade and every closed candle once and in order, also across interruptions of the exchange; the open candle whenever it changes; the current order book and the last 24 hours once a second. A status reports an interruption, and another one its end, after everything missed has been sent. A reader more than 20,000 trades or candles behind is refused: it opens the stream without last_event_id.',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    http: { method: 'GET', path: '/api/v1/multi-agent/exchange/stream/{subscription_id}' },
    input: z.object({
      subscription_id: subscriptionId,
      last_event_id: lastEventId.meta({ pattern: marketPosition.source }).optional(),
    }),
    output: marketEvent,
    errors: ['NOT_FOUND', 'FAILED_PRECONDITION', 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'UNIMPLEMENTED'],
    example: {
      input: { subscription_id: sampleSubscription },
      output: {
        id: `${sampleSubscription}:17:90412:-`,
        sequence: 17,
        stream: 'trade',
        symbol: 'ETHUSDC',
        at: sample.at,
        trade: { trade_id: '90412', price: '2496.35', quantity: '0.12', buyer_is_maker: false },
        filled: false,
        source: 'exchange (data-api.binance.vision)',
      },
    },
  }),
}
