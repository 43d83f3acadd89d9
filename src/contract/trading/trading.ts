import { z } from 'zod'
import { boundedArray } from '../shared/bounded.ts'
import { entities, intent, team } from '../shared/intents.ts'
import { operation } from '../shared/operation.ts'
import { checkedAddress, inputText, uuid } from '../shared/primitives.ts'
import { sample, sampleQuote, sampleRisk, sampleSwap } from '../shared/samples.ts'
import {
  quote,
  quoteInput,
  quoteToAssess,
  riskCheckNames,
  riskReport,
  riskThresholds,
  swapInput,
} from '../shared/swap-values.ts'
import {
  agentName,
  amount,
  chainId,
  chainName,
  executionStatus,
  freeText,
  idempotencyKey,
  quoteId,
  walletRef,
} from '../shared/values.ts'
import { tradingLive } from './live.ts'
import { tradingPolicy } from './policy.ts'
import { tradingRecords } from './records.ts'
import { tradingWallets } from './wallets.ts'

const executeInput = z
  .strictObject({
    input: swapInput,
    confirm: z.boolean().describe('Must be true for a real trade').optional(),
    skip_risk: z
      .boolean()
      .describe('Trade without the risk checks, which only the embedded chain allows; thresholds still apply')
      .default(false),
    thresholds: riskThresholds.optional(),
    wallet_ref: walletRef.describe('Wallet that trades; required for a real trade').optional(),
    idempotency_key: idempotencyKey
      .describe(
        'Key of your choice, one for each trade; required for a real one. Sending it again never trades twice, and with ' +
          'another request it is refused. Only a trade that was sent uses the key, whatever its outcome. After an error, or a ' +
          'response without execution_id, any request can use it. It is stored for 30 days',
      )
      .optional(),
    quote_id: quoteId.describe('Trade this quote only; it must be valid and unused').optional(),
    await_confirmation: z
      .boolean()
      .describe('True: the trade waits until the account confirms it, whatever its value and the session')
      .optional(),
    ask_first: z
      .boolean()
      .describe(
        'True: a trade that need not wait for the account is simulated and not made, so that you can ask a person first',
      )
      .optional(),
    confirmation_id: inputText
      .min(1)
      .max(128)
      .describe(
        'Id of your choice for the yes of a person. It begins one trade: once one has begun with it, even one that was then ' +
          'refused, no other begins with it. It is stored for 30 days',
      )
      .optional(),
    agent: agentName.default('trading_team'),
  })
  .superRefine((request, context) => {
    if (request.input.simulate_only !== false) return
    const demand = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
    if (request.confirm !== true) demand('confirm', 'must be true for a real trade')
    if (request.wallet_ref === undefined) demand('wallet_ref', 'is required for a real trade')
    if (request.idempotency_key === undefined) demand('idempotency_key', 'is required for a real trade')
  })

const transaction = z
  .object({
    to: z.string().describe('Contract that it calls'),
    value: amount.describe('Native currency that it sends, in its units: 1 is one ether, not one wei'),
    data: z.string().describe('The call as hex bytes'),
    function: z.string().describe('Function that it calls, such as approve(address,uint256)'),
    purpose: z.string().describe('What it does, such as "allows the router to take 0.5 WETH"'),
  })
  .meta({ id: 'TradeTransaction', description: 'A transaction of a trade, as it would be signed' })

const riskInput = z
  .strictObject({
    chain: chainName.describe('evm for the chain of chain_id, or the name or id of a chain').default('evm'),
    addresses: boundedArray(checkedAddress, 20)
      .describe('Tokens to check, in addition to those of a known quote')
      .default([]),
    checks: boundedArray(z.enum(riskCheckNames).meta({ message: 'RiskCheckName' }), 3)
      .describe('Checks to run; all of them where it is absent or empty')
      .default([...riskCheckNames]),
    chain_id: chainId.describe("Chain of the tokens; absent: the quote's, else the default").optional(),
  })
  .meta({ id: 'RiskInput', description: 'What to check' })

/** Codes that placing a trade may return. */
const placing = [
  'FAILED_PRECONDITION',
  'PERMISSION_DENIED',
  'TRANSACTION_REJECTED',
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
] as const

/** What becomes of a swap that is simulated, traded or confirmed. */
const executeOutput = z.object({
  status: executionStatus,
  message: z.string().describe('What happened, in one sentence'),
  tx_hash: z.string().describe('Hash of the swap transaction of a real trade').optional(),
  explorer_url: z.string().describe('URL of the transaction in a block explorer').optional(),
  execution_id: uuid.describe('Id of the real trade, for trading.getExecution and trading.watchExecution').optional(),
  quote: quote.optional(),
  risk: riskReport.optional(),
  expected_out: amount.describe('Expected yield of the swap, in units of the token to buy').optional(),
  minimum_out: amount.describe('Least yield of the swap, in units of the token to buy').optional(),
  amount_out: amount.describe('Yield of the swap, in units of the token to buy').optional(),
  gas_used: amount.describe('Gas used, in gas units; estimated for a simulation').optional(),
  transactions: z
    .array(transaction)
    .describe(
      'For a simulation that a real trade would pass: what would be signed, in this order. Without wallet_ref an ' +
        'address that holds nothing stands for yours',
    )
    .optional(),
  replayed: z.boolean().describe('True where the key was used before, so that nothing new was traded').optional(),
  confirm_url: z.string().describe('Where the account confirms the trade, which waits for that').optional(),
  confirmation_needed: z
    .boolean()
    .describe('True for a simulation whose real trade would wait for the account to confirm it')
    .optional(),
})

export const trading = {
  quote: operation({
    kind: 'unary',
    summary: 'Quote a swap without trading',
    description:
      'The best route over the known venues at the newest block; valid for 30 seconds. Venues on which the gateway may ' +
      'not trade are used only where no other venue fills the swap; with wallet_ref, only venues that the wallet may use.',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    http: { method: 'POST', path: '/api/v1/multi-agent/quote/evm/pseudo' },
    input: quoteInput,
    output: quote,
    errors: ['NOT_FOUND', 'FAILED_PRECONDITION', 'UNAVAILABLE', 'DEADLINE_EXCEEDED'],
    example: { input: { input: sampleSwap }, output: sampleQuote },
  }),

  assessRisk: operation({
    kind: 'unary',
    summary: 'Assess the risk of a quote',
    description:
      'With quote_id alone the quote is looked up, with its chain and tokens. A quote that is sent back is looked up too ' +
      'and must be unchanged; any other is flagged.',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    http: { method: 'POST', path: '/api/v1/multi-agent/risk/preview' },
    input: z
      .strictObject({
        quote: quoteToAssess.optional(),
        quote_id: quoteId.describe('Id of a quote of this gateway, in place of quote and input').optional(),
        input: riskInput.optional(),
        thresholds: riskThresholds.optional(),
      })
      .superRefine(({ quote, quote_id, input }, context) => {
        const demand = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
        if (quote === undefined && quote_id === undefined)
          demand('quote_id', 'is required; send the quote_id of a quote, or the quote itself')
        if (quote !== undefined && quote_id !== undefined) demand('quote_id', 'must be left out where quote is sent')
        if (quote !== undefined && input === undefined) demand('input', 'is required with quote')
      }),
    output: riskReport,
    errors: ['NOT_FOUND', 'UNAVAILABLE', 'DEADLINE_EXCEEDED'],
    example: {
      input: { quote_id: sample.quote, thresholds: { max_price_impact_bps: 100, min_liquidity_usd: 50_000 } },
      output: sampleRisk,
    },
  }),

  execute: operation({
    kind: 'unary',
    summary: 'Simulate a swap, or execute it',
    description:
      'A simulation unless input.simulate_only is false. A real trade needs confirm as true, wallet_ref and ' +
      'idempotency_key. It waits up to 30 seconds for its block, and then returns pending with an execution_id.',
    auth: 'session',
    scope: 'trade',
    rate: 'default',
    parts: ['trading.quote'],
    trades: {
      when: ({ input, ask_first, await_confirmation }) =>
        input.simulate_only === false && (ask_first !== true || await_confirmation === true),
      counts: 'instead',
    },
    http: { method: 'POST', path: '/api/v1/multi-agent/execute/evm' },
    input: executeInput,
    output: executeOutput,
    errors: ['NOT_FOUND', 'ALREADY_EXISTS', ...placing],
    onDisconnect: 'finish',
    example: {
      input: {
        input: { ...sampleSwap, simulate_only: false },
        confirm: true,
        thresholds: { max_price_impact_bps: 100 },
        wallet_ref: 'default',
        idempotency_key: 'rebalance-2026-03-14',
      },
      output: {
        status: 'success',
        message: 'Swapped 0.5 WETH for 1246.181903 USDC.',
        tx_hash: sample.transaction,
        explorer_url: `http://127.0.0.1:8000/explorer/tx/${sample.transaction}`,
        execution_id: sample.execution,
        risk: sampleRisk,
        expected_out: '1246.181903',
        minimum_out: '1239.950993',
        amount_out: '1246.181903',
        gas_used: '128402',
      },
    },
  }),

  confirmExecution: operation({
    kind: 'unary',
    summary: 'Confirm or decline a trade that waits for it',
    description:
      'For the account itself: a session whose grant has confirm_above_usd cannot confirm its own trades. An approved trade ' +
      'is evaluated anew, its risk too, with the amount and at least the minimum that it showed. One whose risk was not ' +
      'acknowledged goes on waiting. A declined one is over, like one that ' +
      'was not confirmed in ten minutes, and its idempotency key is free. Sent again, it changes nothing.',
    auth: 'user',
    rate: 'restrain',
    trades: { when: ({ approve }) => approve, counts: 'besides' },
    http: { method: 'POST', path: '/api/v1/multi-agent/executions/{execution_id}/confirm' },
    input: z.strictObject({
      execution_id: uuid.describe('Id of the execution'),
      approve: z.boolean().describe('True trades, false declines'),
      acknowledge: boundedArray(z.enum(['risk_high', 'risk_unknown']).meta({ message: 'RiskAcknowledgement' }), 2)
        .describe(
          'The risk that you accept: an approval needs risk_high where the risk is high now, risk_unknown where it is unknown',
        )
        .default([]),
    }),
    output: executeOutput,
    errors: ['NOT_FOUND', ...placing],
    onDisconnect: 'finish',
    example: {
      input: { execution_id: sample.execution, approve: true },
      output: {
        status: 'success',
        message: 'Swapped 0.5 WETH for 1246.181903 USDC.',
        tx_hash: sample.transaction,
        explorer_url: `http://127.0.0.1:8000/explorer/tx/${sample.transaction}`,
        execution_id: sample.execution,
        amount_out: '1246.181903',
      },
    },
  }),

  previewIntent: operation({
    kind: 'unary',
    summary: 'Find the intent of a text and the team that handles it',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    mcp: 'call',
    http: { method: 'POST', path: '/api/v1/multi-agent/preview' },
    input: z.object({ text: freeText.describe('The request in plain words') }),
    output: z.object({
      intent,
      team,
      entities,
      confidence: z.number().describe('0 (a guess) to 1'),
      missing: z.array(z.string()).describe('Entities that the intent still needs'),
      question: z.string().describe('Question to the user, where something is missing or unclear').optional(),
    }),
    errors: [],
    example: {
      input: { text: 'Swap 0.5 WETH for USDC' },
      output: {
        intent: 'trade',
        team: 'trading_team',
        entities: {
          amount: '0.5',
          amount_of: 'token_in',
          amount_currency: 'token_units',
          share: null,
          token_in: 'WETH',
          token_out: 'USDC',
          tokens: ['WETH', 'USDC'],
          chain: null,
          chains: [],
          addresses: [],
          recipient: null,
          transactions: [],
          slippage_bps: null,
          protocols: [],
          wallet: null,
          since: null,
          until: null,
        },
        confidence: 0.99,
        missing: [],
      },
    },
  }),

  previewRun: operation({
    kind: 'unary',
    summary: 'Find the intent of a text and preview its result',
    description:
      'Research, a quote and the risk of its swap run concurrently within 20 seconds, as far as the text requests them. The swap is that of evm_input, else the one that the text names. The summary names a part that failed. Nothing is traded.',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    mcp: 'call',
    http: { method: 'POST', path: '/api/v1/multi-agent/preview/run' },
    input: z.strictObject({
      text: freeText.describe('The request in plain words'),
      evm_input: swapInput.optional(),
      thresholds: riskThresholds.optional(),
    }),
    output: z.object({
      intent,
      team,
      summary: z.string().describe('The findings in words'),
      quote: quote.optional(),
      risk: riskReport.optional(),
    }),
    errors: ['NOT_FOUND', 'FAILED_PRECONDITION', 'UNAVAILABLE', 'DEADLINE_EXCEEDED'],
    example: {
      input: { text: 'Swap 0.5 WETH for USDC', evm_input: sampleSwap, thresholds: { max_price_impact_bps: 100 } },
      output: {
        intent: 'trade',
        team: 'trading_team',
        summary: '0.5 WETH would yield 1246.181903 USDC on uniswap_v3; the risk is low.',
        quote: sampleQuote,
        risk: sampleRisk,
      },
    },
  }),

  ...tradingRecords,
  ...tradingLive,
  ...tradingWallets,
  ...tradingPolicy,
}
