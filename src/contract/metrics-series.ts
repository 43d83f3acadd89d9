import { z } from 'zod'
import { bounds } from './shared/limits.ts'
import { operation } from './shared/operation.ts'
import { page, pageQuery, timestamp, timestampInput } from './shared/primitives.ts'
import { sample } from './shared/samples.ts'
import { agentName, amount, signedAmount } from './shared/values.ts'

const closedTrade = z
  .object({
    kind: z
      .enum(['trade', 'gas'])
      .meta({ message: 'ClosedTradeKind' })
      .describe('trade: a token was sold; gas: gas was paid for transactions that traded nothing'),
    execution_id: z
      .string()
      .describe('Id of the execution; for gas that of the trade that failed, absent where there is none')
      .optional(),
    closed_at: timestamp.describe('When it was booked'),
    agent: z.string().describe('Label that the caller chose to book it under; it proves no identity'),
    wallet_address: z.string().describe('Wallet that traded'),
    chain_id: z.int().describe('Chain of the trade'),
    token_symbol: z.string().describe('Symbol of the token sold; absent for gas').optional(),
    token_address: z.string().describe('Address of the token sold; absent for gas').optional(),
    quantity: z.number().describe('Quantity sold, in units of the token; 0 for gas'),
    quantity_decimal: amount.describe('quantity, exact'),
    entry_price_usd: z.number().describe('Average cost of a unit, in US dollars; null for gas').nullable(),
    entry_price_usd_decimal: signedAmount.describe('entry_price_usd, exact to 18 digits').nullable(),
    exit_price_usd: z
      .number()
      .describe('What a sold unit brought, in US dollars: the value of the trade by unit; null for gas')
      .nullable(),
    exit_price_usd_decimal: amount.describe('exit_price_usd, exact to 18 digits').nullable(),
    profit_usd: z.number().describe('Value less cost less gas, in US dollars; below zero for a loss'),
    profit_usd_decimal: signedAmount.describe('profit_usd, exact'),
    fee_usd: z
      .number()
      .describe(
        'Fee of the pools, in US dollars; with valued_by token_out the exit is after it, else the entry of what was ' +
          'bought has it. Null where the route is not known',
      )
      .nullable(),
    fee_usd_decimal: amount.describe('fee_usd, exact to 18 digits').nullable(),
    gas_usd: z.number().describe('Cost of the gas, in US dollars'),
    gas_usd_decimal: amount.describe('gas_usd, exact'),
    held_seconds: z
      .int()
      .describe('Since when the token was held; null for gas, and where an earlier version bought it')
      .nullable(),
    valued_by: z
      .enum(['token_in', 'token_out', 'cost'])
      .meta({ message: 'ValuedBy' })
      .describe(
        'What the value is taken from: the price of the token sold, that of the token bought, or the cost of what was ' +
          'sold. Null for gas, and where an earlier version booked it',
      )
      .nullable(),
    tx_hash: z
      .string()
      .describe('Hash of the swap, or of the transaction between your wallets; absent for other gas')
      .optional(),
  })
  .meta({ id: 'ClosedTrade', description: 'A sale and what it brought' })

const bucket = z
  .enum(['hour', 'day'])
  .meta({ message: 'SeriesBucket' })
  .describe('Length of a bucket, in UTC')
  .default('day')

const most = bounds.seriesBuckets

const seriesInput = {
  start: timestampInput
    .describe('The series begins with the bucket of this moment; absent: 30 buckets before the end')
    .optional(),
  end: timestampInput.describe('The series ends before this moment, with a whole bucket; absent: now').optional(),
  bucket,
}

const volumePoint = z
  .object({
    start: timestamp.describe('Start of the bucket'),
    volume_usd: z.number().describe('Volume in US dollars'),
    volume_usd_decimal: amount.describe('volume_usd, exact'),
  })
  .meta({ id: 'VolumePoint', description: 'The volume of an hour or a day' })

const profitPoint = z
  .object({
    start: timestamp.describe('Start of the bucket'),
    realized_pnl_usd: z.number().describe('Profit realised in the bucket, after gas, in US dollars'),
    realized_pnl_usd_decimal: signedAmount.describe('realized_pnl_usd, exact'),
    total_realized_pnl_usd: z.number().describe('Profit realised up to the end of the bucket, in US dollars'),
    total_realized_pnl_usd_decimal: signedAmount.describe('total_realized_pnl_usd, exact'),
    unrealized_pnl_usd: z
      .number()
      .describe('Value less cost of what was held at the last snapshot in or before the bucket; null without one')
      .nullable(),
    unrealized_pnl_usd_decimal: signedAmount.describe('unrealized_pnl_usd, exact').nullable(),
  })
  .meta({ id: 'ProfitPoint', description: 'The profit of an hour or a day' })

/** What was closed, and volume and profit over time. */
export const metricsSeries = {
  listClosedTrades: operation({
    kind: 'unary',
    summary: 'List what you sold and what it brought, newest first',
    description:
      'Each sale of a token closes as much of its position, at average cost. The sum of profit_usd is the realised ' +
      'profit. The period includes its start and excludes its end.',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    mcp: 'call',
    http: { method: 'GET', path: '/api/v1/metrics/trades/closed' },
    input: z.strictObject({
      ...pageQuery,
      agent: agentName.describe('Trades under this label').optional(),
      start: timestampInput.describe('Trades closed from this moment on').optional(),
      end: timestampInput.describe('Trades closed before this moment').optional(),
    }),
    output: page(closedTrade),
    table: 'items',
    errors: [],
    example: {
      input: { limit: 20 },
      output: {
        items: [
          {
            kind: 'trade',
            execution_id: sample.execution,
            closed_at: sample.at,
            agent: 'trading_team',
            wallet_address: sample.wallet,
            chain_id: sample.chainId,
            token_symbol: 'WETH',
            token_address: sample.weth,
            quantity: 0.5,
            quantity_decimal: '0.5',
            entry_price_usd: 2450,
            entry_price_usd_decimal: '2450',
            exit_price_usd: 2500,
            exit_price_usd_decimal: '2500',
            profit_usd: 24.68,
            profit_usd_decimal: '24.68',
            fee_usd: 3.75,
            fee_usd_decimal: '3.75',
            gas_usd: 0.32,
            gas_usd_decimal: '0.32',
            held_seconds: 86_400,
            valued_by: 'token_out',
            tx_hash: sample.transaction,
          },
        ],
        next_cursor: null,
      },
    },
  }),

  volumeSeries: operation({
    kind: 'unary',
    summary: 'Read your trading volume by hour or day',
    description: `Buckets without a trade are there with 0. At most ${most} buckets.`,
    auth: 'session',
    scope: 'read',
    rate: 'default',
    mcp: 'call',
    http: { method: 'GET', path: '/api/v1/metrics/volume/series' },
    input: z.strictObject({ ...seriesInput, agent: agentName.describe('Trades under this label').optional() }),
    output: z.object({ points: z.array(volumePoint).describe('The buckets, oldest first') }),
    table: 'points',
    errors: [],
    example: {
      input: { start: '2026-03-14T00:00:00Z', end: '2026-03-15T00:00:00Z', bucket: 'day' },
      output: { points: [{ start: '2026-03-14T00:00:00.000Z', volume_usd: 1248.175, volume_usd_decimal: '1248.175' }] },
    },
  }),

  profitSeries: operation({
    kind: 'unary',
    summary: 'Read your profit by hour or day',
    description:
      'The unrealised profit is that of hourly snapshots, which are stored for 7 days, and of daily ones, which are stored ' +
      `for a year. At most ${most} buckets.`,
    auth: 'session',
    scope: 'read',
    rate: 'default',
    mcp: 'call',
    http: { method: 'GET', path: '/api/v1/metrics/pnl/series' },
    input: z.strictObject(seriesInput),
    output: z.object({ points: z.array(profitPoint).describe('The buckets, oldest first') }),
    table: 'points',
    errors: [],
    example: {
      input: { start: '2026-03-14T00:00:00Z', end: '2026-03-15T00:00:00Z', bucket: 'day' },
      output: {
        points: [
          {
            start: '2026-03-14T00:00:00.000Z',
            realized_pnl_usd: 24.68,
            realized_pnl_usd_decimal: '24.68',
            total_realized_pnl_usd: 12.5,
            total_realized_pnl_usd_decimal: '12.5',
            unrealized_pnl_usd: -1.25,
            unrealized_pnl_usd_decimal: '-1.25',
          },
        ],
      },
    },
  }),
}
