import { z } from 'zod'
import { operation } from '../shared/operation.ts'
import { address, except, hash, inputText, timestamp, uuid } from '../shared/primitives.ts'
import { eventId, lastEventId } from '../shared/values.ts'
import { alice, transactionHash } from './examples.ts'

/** The faucet and the bridge, which have no JSON-RPC name. */

const wei = z
  .string()
  .regex(/^\d{1,78}$/, 'a whole number of wei, in decimal digits')
  .describe('Wei, in decimal digits')

const claimStatus = z
  .enum(['queued', 'pending', 'success', 'failed'])
  .meta({ message: 'FaucetClaimStatus' })
  .describe('Accepted, sent to the chain, paid, or not paid')

const recipient = except(address, /^0x0+$/, 'is the zero address, from which nobody can spend; send your own').describe(
  'Recipient of the payment',
)

const faucetClaim = z
  .object({
    txHash: z.string().describe('Hash of the payment; empty while it is queued'),
    claimId: uuid,
    status: claimStatus,
    address: address.describe('Recipient of the payment'),
    amount: wei,
    createdAt: timestamp,
    nextClaimTime: timestamp.describe('When the address may claim again; absent where it may claim now').optional(),
    error: z.string().describe('Why it failed, and when the address may claim again').optional(),
  })
  .meta({ id: 'FaucetClaim', description: 'A payment of the faucet and its state' })

const state = z
  .enum(['pending', 'relaying', 'complete', 'failed'])
  .meta({ message: 'BridgeState' })
  .describe('Submitted on the parent chain, processed by this chain, funds available, or failed')

const nextStep = z
  .enum(['wait_for_inclusion', 'wait_for_rollup', 'wait_for_output', 'prove', 'wait_for_maturity', 'finalize', 'none'])
  .meta({ message: 'BridgeNextStep' })
  .describe('What the sender can do next, or has to wait for')

const transferFields = {
  direction: z
    .enum(['deposit', 'withdrawal'])
    .meta({ message: 'BridgeDirection' })
    .describe('To this chain, or back to the parent chain'),
  state,
  next_step: nextStep,
  confirmations: z
    .int()
    .min(0)
    .describe('Confirmations of its first transaction; the block that contains it counts as one'),
  estimated_seconds: z
    .int()
    .min(0)
    .describe('Seconds until it is complete, if every step is taken immediately')
    .optional(),
  below_minimum: z.boolean().describe('Less than 0.01 ETH; the amount is transferred nevertheless'),
  l1_tx_hash: hash
    .describe('Its transaction on the parent chain; of a withdrawal its proof, and later its payment')
    .optional(),
  l2_tx_hash: hash.describe('Its transaction on this chain').optional(),
  withdrawal_hash: hash.describe('Of a withdrawal, the hash by which the portal knows it').optional(),
  from_address: address.optional(),
  to_address: address.describe('Absent for the creation of a contract that does not exist').optional(),
  amount: wei.optional(),
  l1_block_number: z.int().optional(),
  l2_block_number: z.int().optional(),
  error: z.string().describe('Why it failed').optional(),
  updated_at: timestamp.optional(),
}

const bridgeTransfer = z
  .object(transferFields)
  .meta({ id: 'BridgeTransfer', description: 'One bridge transfer of a transaction' })

/** The most transfers that a status lists. */
export const mostTransfers = 50

/** The fields of a transfer, which describe all together where a transaction has several, and each of them. */
const statusFields = {
  ...transferFields,
  direction: transferFields.direction.describe(
    'To this chain, or back to the parent chain; of several that of the first',
  ),
  state: state.describe('Of several the least advanced of those that did not fail; failed only where all failed'),
  next_step: nextStep.describe('What the sender can do next, or has to wait for; of several what can be done first'),
  confirmations: transferFields.confirmations.describe('Confirmations of its first transaction; of several the fewest'),
  estimated_seconds: transferFields.estimated_seconds.describe(
    'Seconds until it is complete, if every step is taken immediately; of several until the last one is',
  ),
  below_minimum: z.boolean().describe('One is a deposit of less than 0.01 ETH; it is transferred nevertheless'),
  l1_tx_hash: hash.describe('Its transaction on the parent chain; absent where several have different ones').optional(),
  l2_tx_hash: hash.describe('Its transaction on this chain; absent where several have different ones').optional(),
  withdrawal_hash: hash.describe('Of one withdrawal, the hash by which the portal knows it').optional(),
  from_address: address.describe('Absent where several have different ones').optional(),
  to_address: address
    .describe('Absent for the creation of a contract that does not exist, and where several have different ones')
    .optional(),
  amount: wei.describe('Wei, in decimal digits; of several the sum of those with the same direction').optional(),
  error: z.string().describe('Why it failed; of several how many failed, and why').optional(),
  transfers: z
    .array(bridgeTransfer)
    .max(mostTransfers)
    .describe(
      `Each transfer that the transaction begins, proves or finalizes, in their order; of more than ${mostTransfers} the completed ones are left out first`,
    ),
  transfers_total: z.int().min(1).describe('How many transfers the transaction has'),
}

const bridgeStatus = z
  .object(statusFields)
  .meta({ id: 'BridgeStatus', description: 'The status of the bridge transfers of a transaction' })

const exampleTransfer = {
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

const exampleStatus = { ...exampleTransfer, transfers: [exampleTransfer], transfers_total: 1 }

const exampleClaim = '5d0b8f0e-5f3c-4a6b-9a51-0d6f6f1a2b3c'

/** A hash, or a UUID. */
const claimName = /^(0x[0-9a-fA-F]{64}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$/

const transfer = hash.describe('Hash of the transfer on either chain')

/** The moment after a wait; without a wait a corrected claim may follow now. */
function momentAfter(now: Date, seconds: number | null | undefined): string {
  return new Date(now.getTime() + (seconds ?? 0) * 1_000).toISOString()
}

export const chainServices = {
  claimFaucet: operation({
    kind: 'unary',
    summary: 'Pays testnet currency to an address',
    description:
      'One payment for each address in 24 hours. If the chain does not respond, the payment is queued and made later, once. A refusal has the same shape, with success false and an error.',
    auth: 'none',
    rate: 'claim',
    onDisconnect: 'finish',
    http: { method: 'POST', path: '/faucet/api/claim' },
    input: z.strictObject({
      address: recipient,
      captcha: inputText.max(4_096).describe('CAPTCHA response, where the faucet requires one').optional(),
    }),
    output: z.object({
      success: z.boolean(),
      txHash: z.string().describe('Hash of the payment; empty when refused, and while the payment is queued'),
      amount: wei,
      nextClaimTime: timestamp.describe('When a claim can succeed again; now, where only its fields are invalid'),
      error: z.string().describe('Why the claim was refused').optional(),
      claimId: uuid.describe('Id of the claim, to read its state while the payment has no hash').optional(),
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
    summary: 'The state of a payment of the faucet',
    auth: 'none',
    rate: 'node',
    mcp: 'call',
    http: { method: 'GET', path: '/faucet/api/claim/{tx_hash}' },
    input: z.strictObject({
      tx_hash: z
        .string()
        .regex(claimName, 'a hash or the id of a claim, as the claim returned it')
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
    summary: 'The status of the bridge transfers of a transaction',
    description:
      'A transaction may begin, prove or finalize several transfers. The fields beside `transfers` describe all of them together.',
    auth: 'none',
    rate: 'node',
    work: 'counted',
    http: { method: 'GET', path: '/bridge/api/status/{l1_tx_hash}' },
    input: z.object({ l1_tx_hash: transfer }),
    output: bridgeStatus,
    errors: ['UNIMPLEMENTED', 'UNAVAILABLE', 'NOT_FOUND'],
    example: { input: { l1_tx_hash: transactionHash }, output: exampleStatus },
  }),
  watchBridge: operation({
    kind: 'stream',
    summary: 'Each step of the bridge transfers of a transaction, until the last is complete or has failed',
    auth: 'none',
    rate: 'node',
    work: 'counted',
    http: { method: 'GET', path: '/bridge/api/watch/{l1_tx_hash}' },
    input: z.object({
      l1_tx_hash: transfer,
      last_event_id: lastEventId.optional(),
    }),
    output: z.object({
      id: eventId.describe('Id of this event; send it as last_event_id to resume after it'),
      ...statusFields,
    }),
    errors: ['UNIMPLEMENTED', 'UNAVAILABLE', 'NOT_FOUND'],
    example: { input: { l1_tx_hash: transactionHash }, output: { id: 'deposit:3', ...exampleStatus } },
  }),
}
