import { z } from 'zod'
import { operation } from '../shared/operation.ts'
import { address, hash, timestamp, uuid } from '../shared/primitives.ts'
import { eventId, lastEventId } from '../shared/values.ts'
import { alice, transactionHash } from './examples.ts'

/** The faucet and the bridge: plain HTTP beside the node, without a JSON-RPC name. */

const wei = z
  .string()
  .regex(/^\d{1,78}$/, 'a whole number of wei, in decimal digits')
  .describe('Wei, in decimal digits')

const claimStatus = z
  .enum(['queued', 'pending', 'success', 'failed'])
  .describe('Promised, sent to the chain, paid, or not paid')

const faucetClaim = z
  .object({
    txHash: z.string().describe('Hash of the payment; empty while it is queued'),
    claimId: uuid,
    status: claimStatus,
    address: address.describe('Who is paid'),
    amount: wei,
    createdAt: timestamp,
    nextClaimTime: timestamp.describe('When the address may claim again; absent where it may at once').optional(),
    error: z.string().describe('Why it failed, and when the address may claim again').optional(),
  })
  .meta({ id: 'FaucetClaim', description: 'A payment of the faucet and what became of it' })

const state = z
  .enum(['pending', 'relaying', 'complete', 'failed'])
  .describe('Submitted on the parent chain, processed by this chain, funds available, or failed')

const nextStep = z
  .enum(['wait_for_inclusion', 'wait_for_rollup', 'wait_for_output', 'prove', 'wait_for_maturity', 'finalize', 'none'])
  .describe('What the sender can do, or has to wait for')

const transferFields = {
  direction: z.enum(['deposit', 'withdrawal']).describe('To this chain, or back to the parent chain'),
  state,
  next_step: nextStep,
  confirmations: z.int().min(0).describe('Blocks that hold its first transaction, the first of them included'),
  estimated_seconds: z.int().min(0).describe('Until it is complete, if every step is taken at once').optional(),
  below_minimum: z.boolean().describe('Less than 0.01 ETH, which is carried all the same'),
  l1_tx_hash: hash.describe('Its transaction on the parent chain').optional(),
  l2_tx_hash: hash.describe('Its transaction on this chain').optional(),
  from_address: address.optional(),
  to_address: address.describe('Absent where it makes a contract that is not there').optional(),
  amount: wei.optional(),
  l1_block_number: z.int().optional(),
  l2_block_number: z.int().optional(),
  error: z.string().describe('Why it failed').optional(),
  updated_at: timestamp.optional(),
}

const bridgeStatus = z
  .object(transferFields)
  .meta({ id: 'BridgeStatus', description: 'How far a transfer over the bridge has come' })

const exampleStatus = {
  direction: 'deposit' as const,
  state: 'complete' as const,
  next_step: 'none' as const,
  confirmations: 12,
  below_minimum: false,
  l1_tx_hash: transactionHash,
  l2_tx_hash: '0x3f405162738495a6b7c8d9eafb0c1d2e3f405162738495a6b7c8d9eafb0c1d2e',
  from_address: alice,
  to_address: alice,
  amount: '10000000000000000',
  l1_block_number: 90,
  l2_block_number: 436,
  updated_at: '2025-10-04T10:06:26.000Z',
}

const exampleClaim = '5d0b8f0e-5f3c-4a6b-9a51-0d6f6f1a2b3c'

/** A hash, or a UUID. */
const claimName = /^(0x[0-9a-fA-F]{64}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$/

const transfer = hash.describe('Hash of the transfer on either chain')

/** Where there is nothing to wait for, a mended claim may follow at once. */
function momentAfter(now: Date, seconds: number | null | undefined): string {
  return new Date(now.getTime() + (seconds ?? 0) * 1_000).toISOString()
}

export const chainServices = {
  claimFaucet: operation({
    kind: 'unary',
    summary: 'Pays testnet currency to an address',
    description:
      'One payment an address in 24 hours. Where the chain does not answer, the payment is queued and made later, once. A refusal has the same shape, with success false and an error.',
    auth: 'none',
    rate: 'claim',
    onDisconnect: 'finish',
    http: { method: 'POST', path: '/faucet/api/claim' },
    input: z.strictObject({
      address: address.describe('Who is paid'),
      captcha: z.string().max(4_096).describe('Proof that a human asks, where the faucet wants one').optional(),
    }),
    output: z.object({
      success: z.boolean(),
      txHash: z.string().describe('Hash of the payment; empty when refused, and while the payment is queued'),
      amount: wei,
      nextClaimTime: timestamp.describe(
        'When a claim may succeed again: the moment itself where only its fields are wrong',
      ),
      error: z.string().describe('Why it was refused').optional(),
      claimId: uuid.describe('Asks what became of it while it has no hash').optional(),
      status: claimStatus.optional(),
    }),
    errors: ['UNIMPLEMENTED', 'UNAVAILABLE'],
    refusalFacts: ({ retryAfterSeconds }, now): Record<string, string> =>
      retryAfterSeconds == null ? {} : { next_claim_time: momentAfter(now, retryAfterSeconds) },
    refusal: ({ message, details }, now) => ({
      success: false,
      txHash: '',
      amount: '0',
      nextClaimTime: details?.metadata?.next_claim_time ?? momentAfter(now, details?.retryAfterSeconds),
      error: message,
    }),
    example: {
      input: { address: alice },
      output: {
        success: true,
        txHash: transactionHash,
        amount: '10000000000000000000',
        nextClaimTime: '2025-10-05T10:06:26.000Z',
        claimId: exampleClaim,
        status: 'pending',
      },
    },
  }),
  faucetClaim: operation({
    kind: 'unary',
    summary: 'What became of a payment of the faucet',
    auth: 'none',
    rate: 'node',
    http: { method: 'GET', path: '/faucet/api/claim/{tx_hash}' },
    input: z.strictObject({
      tx_hash: z
        .string()
        .regex(claimName, 'a hash or the id of a claim, as answered by the claim')
        .describe('Hash of the payment, or the id of the claim'),
    }),
    output: faucetClaim,
    errors: ['UNIMPLEMENTED', 'UNAVAILABLE', 'NOT_FOUND'],
    example: {
      input: { tx_hash: transactionHash },
      output: {
        txHash: transactionHash,
        claimId: exampleClaim,
        status: 'success',
        address: alice,
        amount: '10000000000000000000',
        createdAt: '2025-10-04T10:06:26.000Z',
      },
    },
  }),
  bridgeStatus: operation({
    kind: 'unary',
    summary: 'How far a transfer over the bridge has come',
    auth: 'none',
    rate: 'node',
    http: { method: 'GET', path: '/bridge/api/status/{l1_tx_hash}' },
    input: z.strictObject({ l1_tx_hash: transfer }),
    output: bridgeStatus,
    errors: ['UNIMPLEMENTED', 'UNAVAILABLE', 'NOT_FOUND'],
    example: { input: { l1_tx_hash: transactionHash }, output: exampleStatus },
  }),
  watchBridge: operation({
    kind: 'stream',
    summary: 'Each step of a transfer over the bridge, until it is complete or failed',
    auth: 'none',
    rate: 'node',
    http: { method: 'GET', path: '/bridge/api/watch/{l1_tx_hash}' },
    input: z.strictObject({
      l1_tx_hash: transfer,
      last_event_id: lastEventId.optional(),
    }),
    output: z.object({ id: eventId.describe('Of this event; give it back to go on after it'), ...transferFields }),
    errors: ['UNIMPLEMENTED', 'UNAVAILABLE', 'NOT_FOUND'],
    example: { input: { l1_tx_hash: transactionHash }, output: { id: 'deposit:3', ...exampleStatus } },
  }),
}
