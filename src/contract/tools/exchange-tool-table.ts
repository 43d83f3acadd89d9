import { z } from 'zod'
import { boundedArray } from '../shared/bounded.ts'
import { timestampInput } from '../shared/primitives.ts'
import type { ToolTable } from './tool-table.ts'

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** Symbol of a market, in letters of any case. */
export const marketSymbol = z
  .string()
  .regex(/^[A-Za-z0-9]{2,20}$/, '2 to 20 letters or digits')
  .describe('Symbol of the market, such as ETHUSDC')

/** Lengths of candles in seconds; a month counts as its shortest length. */
export const candleSeconds = {
  '1s': 1,
  '1m': minute,
  '3m': 3 * minute,
  '5m': 5 * minute,
  '15m': 15 * minute,
  '30m': 30 * minute,
  '1h': hour,
  '2h': 2 * hour,
  '4h': 4 * hour,
  '6h': 6 * hour,
  '8h': 8 * hour,
  '12h': 12 * hour,
  '1d': day,
  '3d': 3 * day,
  '1w': 7 * day,
  '1M': 28 * day,
} as const

export const candleInterval = z
  .enum(Object.keys(candleSeconds) as [keyof typeof candleSeconds, ...(keyof typeof candleSeconds)[]])
  .meta({ message: 'CandleInterval' })
  .describe('Length of a candle; M is a month')
  .default('1m')

const symbol = marketSymbol
const symbols = boundedArray(marketSymbol, 50).min(1).describe('Symbols of the markets')
const limit = (most: number, usual: number) => z.int().min(1).max(most).default(usual).describe('Most rows')
const currency = (what: string) =>
  z
    .string()
    .regex(/^[A-Za-z0-9]{1,16}$/, '1 to 16 letters or digits')
    .optional()
    .describe(what)

/** The tools of the exchange, for single reads. tools.subscribeExchange is for live data. */
export const exchangeTools = {
  markets_list: {
    description: 'Markets of the exchange, by their symbols',
    arguments: z.strictObject({
      base: currency('Only markets of this base currency, such as ETH'),
      quote: currency('Only markets of this quote currency, such as USDC'),
      limit: limit(1_000, 100),
    }),
  },
  market_get: { description: 'A market with its currencies', arguments: z.strictObject({ symbol }) },
  price_get: { description: 'Price of the last trade of a market', arguments: z.strictObject({ symbol }) },
  prices_list: { description: 'Prices of the last trades of several markets', arguments: z.strictObject({ symbols }) },
  average_price: {
    description: 'Average price of a market over the last minutes',
    arguments: z.strictObject({ symbol }),
  },
  ticker_get: { description: 'The last 24 hours of a market', arguments: z.strictObject({ symbol }) },
  tickers_list: { description: 'The last 24 hours of several markets', arguments: z.strictObject({ symbols }) },
  book_ticker: {
    description: 'Best bid and ask, and the spread',
    arguments: z.strictObject({ symbol }),
  },
  depth_get: {
    description: 'Bids and asks, the best first',
    arguments: z.strictObject({ symbol, limit: limit(100, 20) }),
  },
  trades_list: {
    description: 'Newest trades, oldest first',
    arguments: z.strictObject({ symbol, limit: limit(500, 20) }),
  },
  trades_since: {
    description: 'Trades from an id on, oldest first',
    arguments: z.strictObject({
      symbol,
      from_id: z.int().min(0).describe('Id of the first trade to return'),
      limit: limit(500, 100),
    }),
  },
  klines_list: {
    description: 'Candles, oldest first; the last one may not be closed yet',
    arguments: z.strictObject({
      symbol,
      interval: candleInterval,
      from: timestampInput.optional().describe('Candles that opened then or later; the newest ones if absent'),
      limit: limit(500, 100),
    }),
  },
  server_time: { description: 'Time of the exchange', arguments: z.strictObject({}) },
} as const satisfies ToolTable
