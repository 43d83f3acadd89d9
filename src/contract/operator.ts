import { z } from 'zod'
import { operation } from './shared/operation.ts'
import { address } from './shared/primitives.ts'
import { sample } from './shared/samples.ts'
import { wallet, walletRef } from './shared/values.ts'

const scope = z.enum(['global', 'chain', 'wallet']).describe('What the order covers: everything, a chain or a wallet')

const halt = z
  .object({
    scope,
    id: z.string().describe('Chain id or wallet address; absent for global').optional(),
  })
  .meta({ id: 'TradingHalt', description: 'An order that stops trading' })

const haltInput = z
  .strictObject({
    scope,
    id: z.string().min(1).max(100).describe('Chain id or wallet address; needed unless the scope is global').optional(),
  })
  .refine((input) => input.scope === 'global' || input.id !== undefined, {
    path: ['id'],
    message: 'needed unless the scope is global',
  })

const haltsOutput = z.object({ halts: z.array(halt).describe('The orders now in force') })

export const operator = {
  haltTrading: operation({
    kind: 'unary',
    summary: 'Stop real trades everywhere, on a chain or for a wallet',
    description: 'Holds on every replica and across restarts until it is lifted. Simulations go on.',
    auth: 'operator',
    rate: 'default',
    http: { method: 'POST', path: '/api/v1/operator/trading/halt' },
    input: haltInput,
    output: haltsOutput,
    errors: [],
    example: {
      input: { scope: 'wallet', id: sample.wallet },
      output: { halts: [{ scope: 'wallet', id: sample.wallet }] },
    },
  }),

  resumeTrading: operation({
    kind: 'unary',
    summary: 'Lift an order that stops trading',
    description: 'Lifting an order that is not in force changes nothing.',
    auth: 'operator',
    rate: 'default',
    http: { method: 'POST', path: '/api/v1/operator/trading/resume' },
    input: haltInput,
    output: haltsOutput,
    errors: [],
    example: { input: { scope: 'global' }, output: { halts: [] } },
  }),

  listHalts: operation({
    kind: 'unary',
    summary: 'List the orders that stop trading now',
    auth: 'operator',
    rate: 'default',
    http: { method: 'GET', path: '/api/v1/operator/trading/halts' },
    input: z.strictObject({}),
    output: haltsOutput,
    errors: [],
    example: { input: {}, output: { halts: [{ scope: 'chain', id: String(sample.chainId) }] } },
  }),

  grantWallet: operation({
    kind: 'unary',
    summary: 'Give an account a wallet whose key a remote signer holds',
    description:
      'The address must be one that the signer at SIGNER_URL lists, and is given to one account only: no other can use ' +
      'or see it. The wallet counts among the ten of the account.',
    auth: 'operator',
    rate: 'default',
    http: { method: 'POST', path: '/api/v1/operator/wallets' },
    input: z.strictObject({
      email: z.email().max(254).describe('E-mail address of the account'),
      wallet_ref: walletRef.describe('Name to give the wallet'),
      address: address.describe('An account of the remote signer'),
    }),
    output: wallet,
    errors: ['NOT_FOUND', 'ALREADY_EXISTS', 'FAILED_PRECONDITION', 'UNAVAILABLE'],
    example: {
      input: { email: 'ada@example.com', wallet_ref: 'vault', address: sample.wallet },
      output: { wallet_ref: 'vault', address: sample.wallet, funded: false, custody: 'remote_signer' },
    },
  }),
}
