import { describe, expect, test } from 'vitest'
import { refusalOf } from './refusals.ts'

/** The error texts of each node, from its source, with their parameters. */
const sayings: Record<string, readonly (readonly [string, string])[]> = {
  anvil: [
    ['nonce too low', 'nonce_too_low'],
    ['Insufficient funds for gas * price + value', 'insufficient_funds'],
    ['replacement transaction underpriced', 'replacement_underpriced'],
    ['max fee per gas less than block base fee', 'fee_below_base_fee'],
    ['transaction underpriced', 'underpriced'],
    ['intrinsic gas too low', 'gas_too_low'],
    ['intrinsic gas too high', 'gas_too_high'],
    ['invalid chain id for signer', 'wrong_chain'],
    ['Incompatible EIP-155 transaction, signed for another chain', 'wrong_chain'],
  ],
  geth: [
    ['nonce too low: next nonce 5, tx nonce 3', 'nonce_too_low'],
    ['nonce too high: address 0x1, tx: 9 state: 5', 'nonce_too_high'],
    ['insufficient funds for gas * price + value: balance 0, tx cost 21000, overshot 21000', 'insufficient_funds'],
    ['replacement transaction underpriced: new tx gas fee cap 1 <= 2 queued', 'replacement_underpriced'],
    ['max fee per gas less than block base fee: address 0x1, maxFeePerGas: 1, baseFee: 7', 'fee_below_base_fee'],
    ['transaction underpriced: gas tip cap 0, minimum needed 1', 'underpriced'],
    ['intrinsic gas too low: gas 20000, minimum needed 21000', 'gas_too_low'],
    ['exceeds block gas limit', 'gas_too_high'],
    ['invalid chain id for signer: have 5 want 1', 'wrong_chain'],
    ['invalid sender', 'wrong_chain'],
    ['txpool is full', 'pool_full'],
    ['account limit exceeded: tx count 16', 'pool_full'],
    ['address already reserved', 'pool_full'],
    ['future transaction tries to replace pending', 'pool_full'],
    ['in-flight transaction limit reached for delegated accounts', 'pool_full'],
  ],
  reth: [
    ['nonce too low: next nonce 5, tx nonce 3', 'nonce_too_low'],
    ['nonce too high', 'nonce_too_high'],
    ['insufficient funds for gas * price + value: have 0 want 1', 'insufficient_funds'],
    ['replacement transaction underpriced', 'replacement_underpriced'],
    ['max fee per gas less than block base fee', 'fee_below_base_fee'],
    ['transaction underpriced', 'underpriced'],
    ['intrinsic gas too low', 'gas_too_low'],
    ['intrinsic gas too high', 'gas_too_high'],
    ['exceeds block gas limit', 'gas_too_high'],
    ['invalid chain ID', 'wrong_chain'],
    ['txpool is full', 'pool_full'],
    ['address already reserved', 'pool_full'],
  ],
  nethermind: [
    ['OldNonce, Current nonce: 12, nonce of rejected tx: 11.', 'nonce_too_low'],
    ['nonce too low', 'nonce_too_low'],
    ['NonceGap, Future nonce. Expected nonce: 3', 'nonce_too_high'],
    ['nonce too far in future', 'nonce_too_high'],
    ['InsufficientFunds, Account balance: 0, cumulative cost: 1', 'insufficient_funds'],
    ['insufficient funds for gas * price + value', 'insufficient_funds'],
    ['ReplacementNotAllowed', 'replacement_underpriced'],
    ['FeeTooLow, MaxFeePerGas too low.', 'underpriced'],
    ['FeeTooLowToCompete', 'underpriced'],
    ['transaction underpriced', 'underpriced'],
    ['GasLimitExceeded, Gas limit: 30000000, gas limit of rejected tx: 40000000', 'gas_too_high'],
    ['gas limit reached', 'gas_too_high'],
    ['FailedToResolveSender', 'wrong_chain'],
    ['failed to recover sender', 'wrong_chain'],
    ['pending transaction type conflict', 'pool_full'],
    ['node is syncing', 'not_ready'],
  ],
  erigon: [
    ['nonce too low: address 0x1, tx: 1 state: 2', 'nonce_too_low'],
    ['insufficient funds', 'insufficient_funds'],
    ['could not replace existing tx', 'replacement_underpriced'],
    ['INTERNAL_ERROR: could not replace existing tx', 'replacement_underpriced'],
    ['replaced by transaction with higher tip', 'replacement_underpriced'],
    ['fee cap less than block base fee', 'fee_below_base_fee'],
    ['underpriced', 'underpriced'],
    ['fee too low', 'underpriced'],
    ['IntrinsicGas', 'gas_too_low'],
    ['gas limit too high. Max: 16777216', 'gas_too_high'],
    ['pending sub-pool is full', 'pool_full'],
    ['baseFee sub-pool is full', 'pool_full'],
    ['queued sub-pool is full', 'pool_full'],
    ['spammer', 'pool_full'],
  ],
  nobody: [['the moon is in the wrong house', 'other']],
}

const known: Record<string, readonly string[]> = {
  anvil: ['transaction already imported'],
  geth: ['already known'],
  reth: ['already known'],
  nethermind: ['AlreadyKnown', 'already known'],
  erigon: ['already known', 'existing tx with same hash', 'INTERNAL_ERROR: existing tx with same hash', 'mined'],
  besu: ['Known transaction'],
}

describe.each(Object.entries(sayings))('%s', (_node, rows) => {
  test.each(rows)('%s', (message, kind) => expect(refusalOf(message)?.kind).toBe(kind))
})

describe.each(Object.entries(known))('%s has it already', (_node, messages) => {
  test.each(messages)('%s', (message) => expect(refusalOf(message)).toBeNull())
})
