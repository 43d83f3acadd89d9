import { z } from 'zod'
import { operation } from '../shared/operation.ts'
import { page, pageQuery, timestamp, uuid } from '../shared/primitives.ts'
import { sample } from '../shared/samples.ts'
import { amount, eventId, executionStatus, lastEventId } from '../shared/values.ts'

const chain = z
  .object({
    chain_id: z.int().describe('Id of the chain'),
    name: z.string().describe('Name of the chain'),
    native_symbol: z.string().describe('Symbol of the native currency'),
    explorer_url: z.string().describe('Address of its block explorer; null where there is none').nullable(),
    tokens: z
      .array(
        z
          .object({
            symbol: z.string().describe('Symbol of the token'),
            address: z.string().describe('Address of the token'),
            decimals: z.int32().describe('Digits after the point'),
            test: z
              .boolean()
              .describe('True for a token to try the risk checks on; trade it for no other end')
              .optional(),
          })
          .meta({ id: 'ChainToken', description: 'A token known on a chain' }),
      )
      .describe('Tokens that can be quoted and traded'),
    venues: z
      .array(z.string())
      .describe('What fills swaps: exchanges, and wrapped_native, which wraps and unwraps the native currency'),
    subgraph_url: z.string().describe('Address of its subgraph, where there is one').optional(),
  })
  .meta({ id: 'Chain', description: 'A chain to trade on' })

const finality = z
  .enum(['unsafe', 'safe', 'finalized'])
  .describe('How firm the block is: unsafe may leave the chain, finalized never does')

const execution = z
  .object({
    execution_id: uuid.describe('Id of the execution'),
    status: executionStatus,
    state: z
      .enum([
        'requested',
        'simulated',
        'reserved',
        'signed',
        'broadcast',
        'included',
        'failed',
        'replaced',
        'safe',
        'finalized',
        'reorganised',
      ])
      .describe(
        'How far it has come. replaced: sent again with a higher fee; included, safe, finalized: how firm its block is; ' +
          'reorganised: its block left the chain and it is sent again',
      ),
    finality: finality.optional(),
    message: z.string().describe('What happened, in a sentence'),
    chain_id: z.int().describe('Chain of the trade'),
    wallet_ref: z.string().describe('Wallet that trades'),
    wallet_address: z.string().describe('Its address'),
    agent: z.string().describe('Agent in whose name the trade is booked'),
    idempotency_key: z.string().describe('Key it was asked for with'),
    token_in_address: z.string().describe('Token sold'),
    token_out_address: z.string().describe('Token bought'),
    amount_in: amount.describe('How much to sell, in units of the token in'),
    minimum_out: amount.describe('Least it may yield, in units of the token out').optional(),
    quote_id: z.string().describe('Quote it was bound to').optional(),
    venue: z.string().describe('Exchange that fills it').optional(),
    tx_hash: z.string().describe('Hash of the swap transaction').optional(),
    explorer_url: z.string().describe('Where to look at the transaction').optional(),
    fill: z
      .object({
        amount_in: amount.describe('What was sold, in units of the token in'),
        amount_out: amount.describe('What was received, in units of the token out'),
        gas_used: amount.describe('Gas used, in gas units'),
        fee_native: amount.describe('Paid for gas, in units of the native currency'),
        block_number: z.int().describe('Block of the transaction'),
        finality: finality.optional(),
      })
      .meta({ id: 'Fill', description: 'What a trade came to, read from its receipt' })
      .optional(),
    created_at: timestamp.describe('When it was asked for'),
    updated_at: timestamp.describe('When it last changed'),
  })
  .meta({ id: 'Execution', description: 'A real trade from request to receipt' })

const executionId = uuid.describe('Id of the execution')

const sampleExecution: z.input<typeof execution> = {
  execution_id: sample.execution,
  status: 'success',
  state: 'included',
  message: 'Swapped 0.5 WETH for 1246.181903 USDC.',
  chain_id: sample.chainId,
  wallet_ref: 'default',
  wallet_address: sample.wallet,
  agent: 'trading_team',
  idempotency_key: 'rebalance-2026-03-14',
  token_in_address: sample.weth,
  token_out_address: sample.usdc,
  amount_in: '0.5',
  minimum_out: '1239.950993',
  quote_id: sample.quote,
  venue: 'uniswap_v3',
  tx_hash: sample.transaction,
  explorer_url: `http://127.0.0.1:8000/explorer/tx/${sample.transaction}`,
  fill: {
    amount_in: '0.5',
    amount_out: '1246.181903',
    gas_used: '128402',
    fee_native: '0.000128402',
    block_number: 4_211,
  },
  created_at: sample.at,
  updated_at: '2026-03-14T09:26:56.012Z',
}

/** What trading leans on: chains, and the record of real trades. */
export const tradingRecords = {
  listChains: operation({
    kind: 'unary',
    summary: 'List the chains to trade on, the default one first',
    auth: 'session',
    rate: 'default',
    http: { method: 'GET', path: '/api/v1/chains' },
    input: z.strictObject({}),
    output: z.array(chain),
    errors: [],
    example: {
      input: {},
      output: [
        {
          chain_id: sample.chainId,
          name: 'sandbox',
          native_symbol: 'ETH',
          explorer_url: 'http://127.0.0.1:8000/explorer',
          tokens: [
            { symbol: 'WETH', address: sample.weth, decimals: 18 },
            { symbol: 'USDC', address: sample.usdc, decimals: 6 },
          ],
          venues: ['uniswap_v2', 'uniswap_v3', 'wrapped_native'],
        },
      ],
    },
  }),

  getExecution: operation({
    kind: 'unary',
    summary: 'Read the present state of a real trade',
    auth: 'session',
    rate: 'default',
    http: { method: 'GET', path: '/api/v1/multi-agent/executions/{execution_id}' },
    input: z.strictObject({ execution_id: executionId }),
    output: execution,
    errors: ['NOT_FOUND'],
    example: { input: { execution_id: sample.execution }, output: sampleExecution },
  }),

  listExecutions: operation({
    kind: 'unary',
    summary: 'List your real trades, newest first',
    auth: 'session',
    rate: 'default',
    http: { method: 'GET', path: '/api/v1/multi-agent/executions' },
    input: z.strictObject(pageQuery),
    output: page(execution),
    errors: [],
    example: { input: { limit: 20 }, output: { items: [sampleExecution], next_cursor: null } },
  }),

  watchExecution: operation({
    kind: 'stream',
    summary: 'Follow a real trade until it is settled',
    description:
      'Every move it makes is one event, those before the call too unless a last event is named, ' +
      'which must be one of this execution.',
    auth: 'session',
    rate: 'default',
    http: { method: 'GET', path: '/api/v1/multi-agent/executions/{execution_id}/watch' },
    input: z.strictObject({
      execution_id: executionId,
      last_event_id: lastEventId.optional(),
      until: z
        .enum(['included', 'safe', 'finalized'])
        .describe('How firm its block must be for the stream to end; absent: included')
        .optional(),
    }),
    output: z.object({
      id: eventId.describe('<execution_id>:<number>; resume after it'),
      ...execution.shape,
    }),
    errors: ['NOT_FOUND', 'UNAVAILABLE'],
    example: {
      input: { execution_id: sample.execution },
      output: { id: `${sample.execution}:6`, ...sampleExecution },
    },
  }),
}
