import { encodeErrorResult, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { rpcCodeOf, simulationErrors } from '../../../contract/shared/errors.ts'
import { DomainError } from '../../../domain/core/errors.ts'
import { DiskError } from '../../../sandbox/log/disk-errors.ts'
import { nodeError } from './node-errors.ts'

const said = encodeErrorResult({ abi: parseAbi(['error Error(string)']), errorName: 'Error', args: ['no'] })
const own = '0x12345678'

test.each([
  [
    'a revert with a reason',
    'eth_call',
    { code: 3, message: 'execution reverted: no', data: said },
    'EXECUTION_REVERTED',
    'execution reverted: no',
    { data: said },
  ],
  [
    'a revert with a custom error',
    'eth_call',
    { code: -32000, message: 'execution reverted', data: { data: own } },
    'EXECUTION_REVERTED',
    'execution reverted',
    { data: own },
  ],
  [
    'a revert without data',
    'eth_estimateGas',
    { code: 3, message: 'execution reverted' },
    'EXECUTION_REVERTED',
    'execution reverted',
    { data: '0x' },
  ],
  [
    'an old nonce',
    'eth_sendRawTransaction',
    { code: -32000, message: 'nonce too low: next nonce 5, tx nonce 0' },
    'TRANSACTION_REJECTED',
    'nonce too low: ',
    { refusal: 'nonce_too_low' },
  ],
  [
    'a fee below the base fee',
    'eth_sendRawTransaction',
    { code: -32003, message: 'max fee per gas less than block base fee' },
    'TRANSACTION_REJECTED',
    'max fee per gas less than block base fee: ',
    { refusal: 'fee_below_base_fee' },
  ],
  [
    'a cheap replacement',
    'eth_sendRawTransaction',
    { code: -32000, message: 'replacement transaction underpriced' },
    'TRANSACTION_REJECTED',
    'replacement transaction underpriced: ',
    { refusal: 'replacement_underpriced' },
  ],
  [
    'a transaction that waits already',
    'eth_sendRawTransaction',
    { code: -32000, message: 'already known' },
    'TRANSACTION_REJECTED',
    'already known',
    { refusal: 'already_known' },
  ],
  [
    'a refusal with an unknown text',
    'eth_sendRawTransaction',
    { code: -32003, message: 'oversized data' },
    'TRANSACTION_REJECTED',
    'oversized data',
    { refusal: 'other' },
  ],
  [
    'a full pool',
    'eth_sendRawTransaction',
    { code: -32003, message: 'txpool is full' },
    'UNAVAILABLE',
    'txpool is full',
    undefined,
  ],
  [
    'bytes that are not a transaction',
    'eth_sendRawTransaction',
    { code: -32602, message: 'cannot be decoded' },
    'INVALID_ARGUMENT',
    'cannot be decoded',
    undefined,
  ],
  [
    'a pruned state, with the text of the node that names the first block it has',
    'eth_call',
    { code: 4444, message: 'the state of this block is no longer kept; it is from block 7 on' },
    'NOT_FOUND',
    'the state of this block is no longer kept; it is from block 7 on',
    undefined,
  ],
  [
    'a block that is not there',
    'eth_getBalance',
    { code: -32602, message: 'BlockOutOfRangeError: block height is 4' },
    'NOT_FOUND',
    'header not found',
    undefined,
  ],
  [
    'state that is gone',
    'eth_call',
    { code: -32000, message: 'missing trie node 12ab (path ) state 0x1 is not available' },
    'NOT_FOUND',
    'header not found',
    undefined,
  ],
  [
    'a method that it lacks',
    'debug_traceCall',
    { code: -32601, message: 'the method debug_traceCall does not exist' },
    'UNIMPLEMENTED',
    'does not serve debug_traceCall',
    undefined,
  ],
  [
    'a method that is switched off',
    'debug_traceCall',
    { code: -32000, message: 'Method debug_traceCall is not available on this plan' },
    'UNIMPLEMENTED',
    'does not serve debug_traceCall',
    undefined,
  ],
  [
    'a tracer that it lacks',
    'debug_traceCall',
    { code: -32602, message: 'unsupported tracer type' },
    'UNIMPLEMENTED',
    'no such tracer',
    undefined,
  ],
  [
    'a limit of logs',
    'eth_getLogs',
    { code: -32005, message: 'query returned more than 10000 results' },
    'LIMIT_EXCEEDED',
    'allows less at once: query returned more than 10000 results',
    undefined,
  ],
  [
    'a pool that is too large',
    'txpool_content',
    { code: -32005, message: 'response size: 5000000 bytes of transactions wait, and at most 4194304 are shown' },
    'LIMIT_EXCEEDED',
    'allows less at once: response size: 5000000 bytes of transactions wait, and at most 4194304 are shown',
    undefined,
  ],
  [
    'a limit of rate',
    'eth_call',
    { code: -32005, message: 'daily request count exceeded' },
    'UNAVAILABLE',
    'limits its rate',
    undefined,
  ],
  [
    'a call that its sender cannot pay for',
    'eth_estimateGas',
    { code: -32003, message: 'Insufficient funds for gas * price + value' },
    'FAILED_PRECONDITION',
    'insufficient funds for gas * price + value: ',
    undefined,
  ],
  [
    'an access list whose sender cannot pay for it',
    'eth_createAccessList',
    { code: -32000, message: 'failed to apply transaction: insufficient funds for gas * price + value' },
    'FAILED_PRECONDITION',
    'Name a from that can; left out, it is the zero address.',
    undefined,
  ],
  [
    'a machine that stopped',
    'eth_call',
    { code: -32603, message: 'EVM error OutOfGas' },
    'FAILED_PRECONDITION',
    'out of gas',
    undefined,
  ],
  [
    'a full disk of the embedded chain',
    'eth_sendRawTransaction',
    new DiskError(new Error('ENOSPC')),
    'UNAVAILABLE',
    'free some space and try again',
    undefined,
  ],
  [
    'a node that is not ready',
    'eth_sendRawTransaction',
    { code: -32002, message: 'resource unavailable' },
    'UNAVAILABLE',
    'not ready; try again',
    undefined,
  ],
  ['a failure of the node', 'eth_getBalance', { code: -32603, message: 'boom' }, 'UNAVAILABLE', 'try again', undefined],
  ['nothing', 'eth_getBalance', new TypeError('fetch failed'), 'UNAVAILABLE', 'does not respond', undefined],
])('%s', (_, method, thrown, code, text, metadata) => {
  const error = nodeError(method, thrown)
  expect(error).toMatchObject({ code, message: expect.stringContaining(text) })
  expect(error.details.metadata).toEqual(metadata)
})

test('errors of the domain stay as they are, and no address is shown', () => {
  const error = new DomainError('NOT_FOUND', 'gone')
  expect(nodeError('eth_call', error)).toBe(error)
  const leaky = nodeError('eth_call', { code: -32000, message: 'upstream https://node.example/key-123 said\u202e no' })
  expect(leaky.message).toBe('upstream [node] said no')
  expect(String(leaky.cause)).not.toContain('key-123')
})

test.each(Object.entries(simulationErrors))('a simulation that a node refuses: %s', (simulation, { jsonRpc, row }) => {
  const refused = nodeError('eth_simulateV1', { code: jsonRpc, message: 'err: said by the node' })
  expect(refused).toMatchObject({ code: row, message: 'err: said by the node', details: { metadata: { simulation } } })
  expect(rpcCodeOf(refused.code, refused.details.metadata)).toBe(jsonRpc)
  // Elsewhere these numbers mean nothing.
  expect(nodeError('eth_getLogs', { code: jsonRpc, message: 'no' }).details.metadata?.simulation).toBeUndefined()
})

test.each([
  ['debug_traceBlockByNumber', 'block #268435455 not found', 'header not found'],
  ['debug_traceCall', 'block #268435455 not found', 'header not found'],
  ['debug_traceBlockByHash', `block 0x${'5a'.repeat(32)} not found`, 'header not found'],
  ['debug_traceBlockByNumber', 'genesis is not traceable', 'header not found'],
  ['eth_feeHistory', 'request beyond head block: requested 268435455, head 41', 'header not found'],
  ['debug_traceTransaction', 'transaction not found', 'transaction not found'],
])("go-ethereum's words at %s, '%s', say that something is not there", (method, message, text) => {
  const error = nodeError(method, { code: -32000, message })
  expect([error.code, error.message]).toEqual(['NOT_FOUND', expect.stringContaining(text)])
})

test('a trace that takes too long is over a limit, and the node is not to blame', () => {
  const error = nodeError('debug_traceTransaction', { code: -32000, message: 'execution timeout' })
  expect([error.code, error.message]).toEqual(['LIMIT_EXCEEDED', expect.stringContaining('timeout')])
})
