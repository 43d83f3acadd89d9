import { z } from 'zod'
import { operatorReads } from './operator-reads.ts'
import { operation } from './shared/operation.ts'
import { checkedAddress, inputText, timestamp } from './shared/primitives.ts'
import { sample } from './shared/samples.ts'
import { haltScope, wallet, walletRef } from './shared/values.ts'

const halt = z
  .object({
    scope: haltScope,
    id: z.string().describe('Chain id or wallet address; absent for global').optional(),
    created_at: timestamp.describe('Since when it is in force'),
    reason: z
      .string()
      .describe(
        'Why the gateway itself set it, such as a final block that left the chain; absent where an operator did',
      )
      .optional(),
  })
  .meta({ id: 'TradingHalt', description: 'A halt of trading' })

const haltInput = z
  .strictObject({
    scope: haltScope,
    id: inputText
      .min(1)
      .max(100)
      .describe('Chain id or wallet address; required unless the scope is global')
      .optional(),
  })
  .refine((input) => input.scope === 'global' || input.id !== undefined, {
    path: ['id'],
    message: 'is required unless the scope is global',
  })
  .refine((input) => input.scope !== 'global' || input.id === undefined, {
    path: ['id'],
    message: 'must be left out with the scope global; send the scope chain or wallet to halt only that',
  })

const haltsOutput = z.object({ halts: z.array(halt).describe('The halts that are in force') })

export const operator = {
  ...operatorReads,

  haltTrading: operation({
    kind: 'unary',
    summary: 'Stop real trades everywhere, on a chain or for a wallet',
    description: 'It applies to every replica and across restarts until it is lifted. Simulations continue.',
    auth: 'operator',
    rate: 'operator',
    http: { method: 'POST', path: '/api/v1/operator/trading/halt' },
    input: haltInput,
    output: haltsOutput,
    errors: [],
    example: {
      input: { scope: 'wallet', id: sample.wallet },
      output: { halts: [{ scope: 'wallet', id: sample.wallet, created_at: sample.at }] },
    },
  }),

  resumeTrading: operation({
    kind: 'unary',
    summary: 'Lift a halt of trading',
    description: 'Lifting a halt that is not in force has no effect.',
    auth: 'operator',
    rate: 'operator',
    http: { method: 'POST', path: '/api/v1/operator/trading/resume' },
    input: haltInput,
    output: haltsOutput,
    errors: [],
    example: { input: { scope: 'global' }, output: { halts: [] } },
  }),

  listHalts: operation({
    kind: 'unary',
    summary: 'List the halts of trading that are in force',
    auth: 'operator',
    rate: 'operator',
    http: { method: 'GET', path: '/api/v1/operator/trading/halts' },
    input: z.strictObject({}),
    output: haltsOutput,
    errors: [],
    example: { input: {}, output: { halts: [{ scope: 'chain', id: String(sample.chainId), created_at: sample.at }] } },
  }),

  grantWallet: operation({
    kind: 'unary',
    summary: 'Give an account a wallet whose key a remote signer holds',
    description:
      'The signer at SIGNER_URL must list the address, and only one account can have it: no other account can use ' +
      'or see it. The wallet counts towards the ten wallets of the account.',
    auth: 'operator',
    rate: 'operator',
    http: { method: 'POST', path: '/api/v1/operator/wallets' },
    input: z.strictObject({
      email: z.email().max(254).describe('E-mail address of the account'),
      wallet_ref: walletRef.describe('Name for the wallet'),
      address: checkedAddress.describe('An account of the remote signer'),
    }),
    output: wallet,
    errors: ['NOT_FOUND', 'ALREADY_EXISTS', 'FAILED_PRECONDITION', 'UNAVAILABLE'],
    example: {
      input: { email: 'ada@example.com', wallet_ref: 'vault', address: sample.wallet },
      output: { wallet_ref: 'vault', address: sample.wallet, funded: false, custody: 'remote_signer' },
    },
  }),
}
