import { z } from 'zod'
import { operation } from '../shared/operation.ts'
import { hash, inputText, page, pageQuery, timestamp, timestampInput, uuid } from '../shared/primitives.ts'
import { sample } from '../shared/samples.ts'
import { riskReport } from '../shared/swap-values.ts'
import { agentName, amount, eventId, executionStatus, idempotencyKey, lastEventId } from '../shared/values.ts'

const chain = z
  .object({
    chain_id: z.int().describe('Id of the chain'),
    name: z.string().describe('Name of the chain'),
    native_symbol: z.string().describe('Symbol of the native currency'),
    explorer_url: z.string().describe('URL of its block explorer; null where there is none').nullable(),
    tokens: z
      .array(
        z
          .object({
            symbol: z.string().describe('Symbol of the token'),
            address: z.string().describe('Address of the token'),
            decimals: z.int32().describe('Digits after the point'),
            test: z
              .boolean()
              .describe('True for a token that exists to test the risk checks; do not trade it otherwise')
              .optional(),
          })
          .meta({ id: 'ChainToken', description: 'A token known on a chain' }),
      )
      .describe('Tokens that can be quoted and traded'),
    venues: z
      .array(z.string())
      .describe('Venues that fill swaps: exchanges, and wrapped_native, which wraps and unwraps the native currency'),
    subgraph_url: z.string().describe('URL of its subgraph, where there is one').optional(),
    halted: z.boolean().describe('True while an operator halted real trades on it, or everywhere'),
  })
  .meta({ id: 'Chain', description: 'A chain to trade on' })

const finality = z
  .enum(['unsafe', 'safe', 'finalized'])
  .meta({ message: 'Finality' })
  .describe('Finality of the block: an unsafe one may be reorganised, a finalized one never is')

const executionState = z
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
    'awaiting_confirmation',
    'rejected',
  ])
  .meta({ message: 'ExecutionState' })

const usdLeft = (of: string) => z.number().describe(`What the daily cap of ${of} leaves, in USD`).optional()

/** What decides whether a person agrees to a trade. Fields are absent where it waited already when the gateway was updated. */
const awaited = z
  .object({
    until: timestamp.describe('When it is discarded unless it was confirmed'),
    expected_out: amount.describe('Expected yield when it was requested, in units of the token to buy'),
    url: z.string().describe('Page of the console to confirm it on'),
    session: z
      .object({
        session_id: uuid.describe('Id of the session'),
        name: z.string().describe('Its name now; may be empty'),
      })
      .meta({ id: 'AskingSession', description: 'The session that asked for a trade' })
      .optional(),
    chain_id: z.int().describe('Chain of the trade'),
    chain_name: z.string().describe('Name of the chain'),
    value_usd: z.number().describe('Value in USD when it was requested; absent without a price').optional(),
    value_usd_decimal: amount.describe('The same, exactly').optional(),
    price_deviation_bps: z
      .number()
      .describe('How much less than by the price feeds it yields, in basis points; absent without feeds')
      .optional(),
    price_impact_bps: z.int().describe('How much it moves the price, in basis points').optional(),
    slippage_bps: z.int().describe('Slippage that it allows, in basis points').optional(),
    minimum_out: amount.describe('Least yield, in units of the token to buy').optional(),
    risk: riskReport.optional(),
    risk_skipped: z.boolean().describe('True where the request asked to trade whatever the risk'),
    caps_left_usd: z
      .object({ session_daily: usdLeft('the session'), account_daily: usdLeft('the account') })
      .meta({ id: 'CapsLeft', description: 'What daily caps leave; a cap that is not set is absent' }),
  })
  .meta({ id: 'AwaitedConfirmation', description: 'What a trade that waits for its confirmation shows' })

/** A real trade. */
export const execution = z
  .object({
    execution_id: uuid.describe('Id of the execution'),
    status: executionStatus,
    state: executionState.describe(
      'State of the trade. replaced: sent again with a higher fee; included, safe, finalized: finality of its block; ' +
        'reorganised: its block left the chain and it is sent again; awaiting_confirmation: nothing is sent before the ' +
        'account confirms it',
    ),
    finality: finality.optional(),
    message: z.string().describe('What happened, in one sentence'),
    chain_id: z.int().describe('Chain of the trade'),
    wallet_ref: z.string().describe('Wallet that trades'),
    wallet_address: z.string().describe('Its address'),
    agent: z.string().describe('Label that the caller chose to book the trade under; it proves no identity'),
    session_id: uuid.describe('Session that requested it, which is known; absent in trades of version 0.1').optional(),
    idempotency_key: z.string().describe('Idempotency key of the request'),
    token_in_address: z.string().describe('Token sold'),
    token_out_address: z.string().describe('Token bought'),
    amount_in: amount.describe('Amount to sell, in units of the token to sell'),
    minimum_out: amount.describe('Least yield, in units of the token to buy').optional(),
    quote_id: z.string().describe('Quote that the trade is bound to').optional(),
    venue: z.string().describe('Exchange that fills the trade').optional(),
    tx_hash: z.string().describe('Hash of the swap transaction').optional(),
    explorer_url: z.string().describe('URL of the transaction in a block explorer').optional(),
    fill: z
      .object({
        amount_in: amount.describe('Amount sold, in units of the sold token'),
        amount_out: amount.describe('Amount received, in units of the bought token'),
        gas_used: amount.describe('Gas used, in gas units'),
        fee_native: amount.describe('Paid for gas, in units of the native currency'),
        block_number: z.int().describe('Block of the transaction'),
        finality: finality.optional(),
        at: timestamp.describe('When the gateway read it from its block').optional(),
      })
      .meta({ id: 'Fill', description: 'The fill of a trade, read from its receipt' })
      .optional(),
    awaits: awaited.optional(),
    created_at: timestamp.describe('When it was requested'),
    updated_at: timestamp.describe('When it last changed'),
  })
  .meta({ id: 'Execution', description: 'A real trade from request to receipt' })

const timelineStep = z
  .object({
    step: z
      .enum([
        'quote',
        'requested',
        'risk',
        'reserved',
        'signed',
        'replaced',
        'cancelled',
        'broadcast',
        'included',
        'safe',
        'finalized',
        'reorganised',
        'failed',
        'rejected',
      ])
      .meta({ message: 'TradeStep' })
      .describe(
        'What happened. reserved: it passed its checks and got its nonces; replaced: signed again with a higher fee; ' +
          'cancelled: one was signed that uses up its nonce and at most ends the approval; broadcast: a node accepted it',
      ),
    at: timestamp.describe('When'),
    message: z.string().describe('What happened, in one sentence'),
    nonce: z.int().describe('Nonce of the transaction').optional(),
    tx_hash: z.string().describe('Hash of the transaction').optional(),
  })
  .meta({ id: 'TimelineStep', description: 'A step in the life of a trade' })

const executionId = uuid.describe('Id of the execution')

export const sampleExecution: z.input<typeof execution> = {
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
    at: '2026-03-14T09:26:56.012Z',
  },
  created_at: sample.at,
  updated_at: '2026-03-14T09:26:56.012Z',
}

const sampleTimeline: z.input<typeof timelineStep>[] = [
  { step: 'quote', at: sample.at, message: 'Quoted 1246.181903 USDC for 0.5 WETH on uniswap_v3.' },
  { step: 'requested', at: '2026-03-14T09:26:54.012Z', message: 'The trade was requested.' },
  { step: 'risk', at: '2026-03-14T09:26:54.112Z', message: 'The risk is low, with a score of 8.' },
  { step: 'reserved', at: '2026-03-14T09:26:54.120Z', message: 'The trade passed its checks.', nonce: 7 },
  {
    step: 'signed',
    at: '2026-03-14T09:26:54.130Z',
    message: 'The swap was signed.',
    nonce: 7,
    tx_hash: sample.transaction,
  },
]

/** The id of an event of an execution: the execution and the number of the event; an empty text is none. */
export const executionEventId = /^(?:[0-9a-fA-F-]{36}:([0-9]{1,9}))?$/

/** Chains, and the records of real trades. */
export const tradingRecords = {
  listChains: operation({
    kind: 'unary',
    summary: 'List the chains to trade on, the default one first',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    mcp: 'call',
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
          halted: false,
        },
      ],
    },
  }),

  getExecution: operation({
    kind: 'unary',
    summary: 'Read the current state of a real trade',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    mcp: 'call',
    http: { method: 'GET', path: '/api/v1/multi-agent/executions/{execution_id}' },
    input: z
      .object({
        execution_id: executionId.optional(),
        idempotency_key: idempotencyKey
          .describe(
            'Key of a trade of the last 30 days that waits or was made; a refused or declined one frees its key',
          )
          .optional(),
      })
      .superRefine(({ execution_id, idempotency_key }, context) => {
        if ((execution_id === undefined) === (idempotency_key === undefined)) {
          const message = 'send execution_id or idempotency_key, and only one of them'
          context.addIssue({ code: 'custom', path: ['execution_id'], message })
        }
      }),
    output: execution,
    errors: ['NOT_FOUND'],
    example: { input: { execution_id: sample.execution }, output: sampleExecution },
  }),

  listExecutions: operation({
    kind: 'unary',
    summary: 'List your real trades, newest first',
    description:
      'Filters can be combined. Where few of many trades match, a page may have fewer items than its limit, or none; next_cursor ' +
      'is then still the cursor of the next page.',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    http: { method: 'GET', path: '/api/v1/multi-agent/executions' },
    input: z.strictObject({
      ...pageQuery,
      status: executionStatus
        .extract(['success', 'pending', 'failed', 'rejected'])
        .meta({ message: 'ExecutionStatus' })
        .describe('Trades with this outcome: a swap that was mined and reverted is failed, whatever its state')
        .optional(),
      state: executionState.describe('Trades in this state').optional(),
      token: inputText
        .min(1)
        .max(64)
        .describe('Trades that sell or buy the token of this symbol or address')
        .optional(),
      agent: agentName.describe('Trades under this label').optional(),
      tx_hash: hash.describe('The trade of this transaction: its swap, or another of the last 30 days').optional(),
      start: timestampInput.describe('Trades requested from this moment on').optional(),
      end: timestampInput.describe('Trades requested before this moment').optional(),
    }),
    output: page(execution),
    errors: [],
    example: { input: { limit: 20 }, output: { items: [sampleExecution], next_cursor: null } },
  }),

  getTimeline: operation({
    kind: 'unary',
    summary: 'Read the life of a real trade, step by step',
    description:
      'From its quote and its risk over each signed attempt to the final block, oldest first. The steps are stored ' +
      'permanently, except safe, which is stored for 30 days. Of a trade with more than 1,000 records the newest are used.',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    mcp: 'call',
    http: { method: 'GET', path: '/api/v1/multi-agent/executions/{execution_id}/timeline' },
    input: z.strictObject({ execution_id: executionId }),
    output: z.object({ steps: z.array(timelineStep).describe('What happened, oldest first') }),
    errors: ['NOT_FOUND'],
    example: { input: { execution_id: sample.execution }, output: { steps: sampleTimeline } },
  }),

  watchExecution: operation({
    kind: 'stream',
    summary: 'Follow a real trade until it is settled',
    description:
      'Each change of its state is an event, also those before the call, unless a last event is given, ' +
      'which must be of this execution.',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    http: { method: 'GET', path: '/api/v1/multi-agent/executions/{execution_id}/watch' },
    input: z.object({
      execution_id: executionId,
      last_event_id: lastEventId.meta({ pattern: executionEventId.source }).optional(),
      until: z
        .enum(['included', 'safe', 'finalized'])
        .meta({ message: 'ExecutionState' })
        .describe('Finality of its block at which the stream ends; absent: included')
        .optional(),
    }),
    output: z.object({
      id: eventId.describe('<execution_id>:<number>; send it to resume after this event'),
      ...execution.shape,
    }),
    errors: ['NOT_FOUND', 'UNAVAILABLE'],
    example: {
      input: { execution_id: sample.execution },
      output: { id: `${sample.execution}:6`, ...sampleExecution },
    },
  }),
}
