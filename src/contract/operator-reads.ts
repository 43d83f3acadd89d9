import { z } from 'zod'
import { bounds } from './shared/limits.ts'
import { operation } from './shared/operation.ts'
import { hash, timestamp } from './shared/primitives.ts'
import { sample } from './shared/samples.ts'
import { amount } from './shared/values.ts'

const methodCalls = z
  .object({
    method: z.string().describe('JSON-RPC name of the method; other stands for all that are not of this contract'),
    calls: z.int().min(1).describe('How often the node was called for it since the gateway started'),
    failed: z.int().min(0).describe('How many of these calls brought no result'),
  })
  .meta({ id: 'UpstreamCalls', description: 'The calls of one method of a node' })

const upstream = z
  .object({
    name: z
      .string()
      .describe(
        'Chain id, host of its URL and its number in the setting, such as 1/example.com/2; the rest of the URL is never ' +
          'shown. embedded for the embedded chain',
      ),
    healthy: z
      .boolean()
      .describe('True where it responded to its last call and is at most 1 block behind the highest node'),
    latency_ms: z.int().min(0).describe('How long its last response took; absent before the first one').optional(),
    blocks_behind: z
      .int()
      .min(0)
      .describe('How many blocks it is behind the highest node, as last checked; absent where there is only one')
      .optional(),
    calls: z
      .array(methodCalls)
      .describe(
        `Its calls since the gateway started, as a provider counts them: of ${bounds.countedMethods} methods at most, the ` +
          'most called one first; absent for the embedded chain',
      )
      .optional(),
    failing_methods: z
      .array(z.string())
      .describe('Methods at which it failed and has not shown since that it serves them; absent where there are none')
      .optional(),
    slowed_by_ms: z
      .int()
      .min(0)
      .describe('How many milliseconds the gateway waits between calls, since the node limits its rate; else 0')
      .optional(),
  })
  .meta({ id: 'ChainUpstream', description: 'A node behind a chain, as the client of the gateway knows it' })

const chainHealth = z
  .object({
    chain_id: z.int().describe('Id of the chain'),
    name: z.string().describe('Name of the chain'),
    head_number: z.int().min(0).describe('Number of the newest block; absent where no node responds').optional(),
    head_hash: hash.describe('Its hash').optional(),
    head_at: timestamp.describe('Its time').optional(),
    age_seconds: z.int().min(0).describe('Its age').optional(),
    stale: z
      .boolean()
      .describe(
        'True where the newest block is older than five block times, or cannot be read: /health/ready fails then',
      ),
    upstreams: z.array(upstream).describe('The nodes of the chain, the preferred one first'),
  })
  .meta({ id: 'ChainHealth', description: 'The newest block of a chain and the health of its nodes' })

const queue = z
  .object({
    chain_id: z.int().describe('Id of the chain'),
    sender: z.string().describe('Address that sends'),
    waiting: z.int().min(1).describe('How many of its transactions have a nonce and no block yet'),
    oldest: z
      .object({
        purpose: z
          .enum(['trade', 'revoke_approval', 'starting_funds', 'faucet_payment', 'unused_nonce', 'unknown'])
          .meta({ message: 'TransactionPurpose' })
          .describe(
            'What it is for: a trade, the end of an approval that its trade did not use, the starting funds of a wallet, a ' +
              'payment of the faucet, an empty transaction that uses up a nonce, or a purpose of another version',
          ),
        nonce: z.int().min(0).describe('Its nonce'),
        waiting_since: timestamp
          .describe('When its nonce was reserved; absent where an earlier version of the gateway reserved it')
          .optional(),
      })
      .meta({
        id: 'QueuedTransaction',
        description: 'The transaction with the lowest nonce, which the others wait for',
      }),
  })
  .meta({ id: 'TransactionQueue', description: 'The transactions of one sender that wait for a block' })

/** What an operator may read of the state and the settings. */
export const operatorReads = {
  chainHealth: operation({
    kind: 'unary',
    summary: 'Read the newest block of each chain to trade on, and the health of its nodes',
    description: 'It waits at most 5 seconds for a chain. URLs of nodes are never shown, for they may hold keys.',
    auth: 'operator',
    rate: 'operator',
    http: { method: 'GET', path: '/api/v1/operator/chains' },
    input: z.strictObject({}),
    output: z.object({ chains: z.array(chainHealth).describe('The connected chains, the default one first') }),
    errors: [],
    example: {
      input: {},
      output: {
        chains: [
          {
            chain_id: sample.chainId,
            name: 'sandbox',
            head_number: 4_211,
            head_hash: sample.transaction,
            head_at: sample.at,
            age_seconds: 1,
            stale: false,
            upstreams: [
              {
                name: '84532/node.example/1',
                healthy: true,
                latency_ms: 3,
                calls: [{ method: 'eth_call', calls: 120, failed: 2 }],
                slowed_by_ms: 0,
              },
            ],
          },
        ],
      },
    },
  }),

  listQueues: operation({
    kind: 'unary',
    summary: 'List the senders whose transactions wait for a block, the longest waiting first',
    description:
      `At most ${bounds.pageItems} of them. A sender without such transactions is not listed. It covers every process that ` +
      'shares the database.',
    auth: 'operator',
    rate: 'operator',
    http: { method: 'GET', path: '/api/v1/operator/queues' },
    input: z.strictObject({}),
    output: z.object({ queues: z.array(queue).describe('The queues, the longest waiting first') }),
    errors: [],
    example: {
      input: {},
      output: {
        queues: [
          {
            chain_id: sample.chainId,
            sender: sample.wallet,
            waiting: 2,
            oldest: { purpose: 'trade', nonce: 7, waiting_since: sample.at },
          },
        ],
      },
    },
  }),

  getCaps: operation({
    kind: 'unary',
    summary: 'Read the limits of real trades that apply to every account',
    description:
      'They are settings of the gateway. Owners can limit single wallets further with trading.setWalletPolicy.',
    auth: 'operator',
    rate: 'operator',
    http: { method: 'GET', path: '/api/v1/operator/caps' },
    input: z.strictObject({}),
    output: z
      .object({
        trading_enabled: z.boolean().describe('False where the gateway only simulates trades'),
        max_trade_usd: amount.describe('Highest value of one trade in USD (MAX_TRADE_USD); null: unlimited').nullable(),
        max_daily_usd: amount
          .describe('Highest total value of the trades of an account in any 24 hours (MAX_DAILY_USD); null: unlimited')
          .nullable(),
        // Lists are absent and not null: protobuf has no null for a list.
        tokens: z
          .array(z.string())
          .describe('The only tokens that may be sold or bought, by address (TRADE_TOKENS); absent or empty: all')
          .optional(),
        venues: z.array(z.string()).describe('The only venues (TRADE_VENUES); absent or empty: all').optional(),
        chains: z.array(z.int()).describe('Ids of the only chains (TRADE_CHAINS); absent or empty: all').optional(),
      })
      .meta({ id: 'TradingCaps', description: 'The limits of real trades of every account' }),
    errors: [],
    example: {
      input: {},
      output: {
        trading_enabled: true,
        max_trade_usd: '500',
        max_daily_usd: null,
        tokens: [sample.weth, sample.usdc],
        chains: [sample.chainId],
      },
    },
  }),
}
