import { z } from 'zod'
import { operation } from '../shared/operation.ts'
import { freeValue, hash, quantity, withOneof } from '../shared/primitives.ts'
import { blockHash, exampleHeader, exampleLog, token, transferTopic } from './examples.ts'
import { logFilter } from './inputs.ts'
import { node } from './node.ts'
import { blockHeader, log } from './values.ts'

/** Logs, polled filters, and the subscription. */

const filter = logFilter
/** A thousand addresses, and a thousand topics at each of four places, with the fields around them. */
const filterValues = 5_100
const filterId = quantity.toLowerCase().describe('The id that the creation of the filter returned')
const exampleFilter = { fromBlock: '0x1b4', toBlock: 'latest', address: token, topics: [transferTopic] }
const exampleFilterId = '0x5d3a9c41f07be286'

const subscriptionType = z
  .enum(['newHeads', 'logs', 'newPendingTransactions', 'syncing'])
  .meta({ message: 'SubscriptionType' })

export const chainLogs = {
  getLogs: node('eth_getLogs', {
    streamedBy: 'chain.streamLogs',
    summary: 'The logs that match a filter',
    work: true,
    description:
      'At most 10,000 blocks and 10,000 logs for each query; read a larger range in parts, or by chain.streamLogs.',
    values: filterValues,
    params: { filter },
    output: z.array(log),
    errors: ['NOT_FOUND'],
    example: { input: { filter: exampleFilter }, output: [exampleLog] },
  }),
  // It has no JSON-RPC name: nodes have none for it, and REST serves no logs.
  streamLogs: operation({
    kind: 'stream',
    summary: 'The logs that match a filter, in messages of whole blocks, oldest first, until the end of the range',
    description:
      'At most 100,000 blocks, and any number of logs. A message has all matching logs of one or more blocks, and at most ' +
      '1 MiB as protobuf, except for one block with more. Blocks without such logs are left out. Where the chain is ' +
      'reorganised meanwhile, the stream ends with UNAVAILABLE. It counts the whole range as work when it is opened.',
    values: filterValues,
    auth: 'none',
    rate: 'node',
    work: true,
    input: z.strictObject({ filter }),
    output: z.object({ logs: z.array(log).describe('All logs of one or more blocks, in order') }),
    errors: ['UNIMPLEMENTED', 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'LIMIT_EXCEEDED', 'PERMISSION_DENIED', 'NOT_FOUND'],
    example: { input: { filter: exampleFilter }, output: { logs: [exampleLog] } },
  }),
  newFilter: node('eth_newFilter', {
    summary: 'Creates a filter for logs and returns its id',
    description:
      'An API key, or a client address without one, can have at most 20 filters of all kinds. One that is not read for 5 minutes is removed.',
    values: filterValues,
    params: { filter },
    changes: true,
    output: quantity,
    example: { input: { filter: { address: token } }, output: exampleFilterId },
  }),
  newBlockFilter: node('eth_newBlockFilter', {
    summary: 'Creates a filter for new blocks and returns its id',
    params: {},
    changes: true,
    output: quantity,
    example: { input: {}, output: exampleFilterId },
  }),
  newPendingTransactionFilter: node('eth_newPendingTransactionFilter', {
    summary: 'Creates a filter for pending transactions and returns its id',
    params: {},
    changes: true,
    output: quantity,
    example: { input: {}, output: exampleFilterId },
  }),
  // A removed filter is FAILED_PRECONDITION (-32000): at that code client libraries create the filter again.
  getFilterChanges: node('eth_getFilterChanges', {
    summary: 'What is new since the last call: logs, or hashes of blocks or transactions',
    description:
      'At most 10,000 logs and 3 MiB, of whole blocks: the next call returns those of later blocks. One block may have more.',
    params: { filterId },
    changes: true,
    output: z.array(freeValue),
    errors: ['FAILED_PRECONDITION'],
    example: { input: { filterId: exampleFilterId }, output: [blockHash] },
  }),
  getFilterLogs: node('eth_getFilterLogs', {
    streamedBy: 'chain.streamLogs',
    summary: 'All logs that match a filter',
    work: true,
    params: { filterId },
    changes: true,
    output: z.array(log),
    errors: ['FAILED_PRECONDITION', 'NOT_FOUND'],
    example: { input: { filterId: exampleFilterId }, output: [exampleLog] },
  }),
  uninstallFilter: node('eth_uninstallFilter', {
    summary: 'Removes a filter; false where there was none',
    params: { filterId },
    changes: true,
    output: z.boolean(),
    example: { input: { filterId: exampleFilterId }, output: true },
  }),
  // eth_unsubscribe is not an operation: a subscription belongs to its WebSocket connection, which ends the stream.
  subscribe: operation({
    values: filterValues,
    kind: 'stream',
    summary: 'New block headers, logs, pending transactions or changes of the sync state, as they happen',
    description:
      'Each event has the one field of its type. Over JSON-RPC it needs a WebSocket, and eth_unsubscribe ends it; ' +
      'elsewhere closing the stream does.',
    auth: 'none',
    rate: 'node',
    rpc: { method: 'eth_subscribe', params: ['type', 'filter'] },
    input: z.strictObject({
      type: subscriptionType,
      filter: logFilter.optional().describe('For logs only'),
    }),
    output: withOneof(
      z.object({
        type: subscriptionType,
        head: blockHeader.optional().describe('For newHeads'),
        log: log.optional().describe('For logs; removed is true where a reorganisation removed it'),
        transactionHash: hash.describe('For newPendingTransactions').optional(),
        syncing: z.boolean().describe('For syncing').optional(),
      }),
      'event',
      ['head', 'log', 'transactionHash', 'syncing'],
    ),
    errors: ['UNIMPLEMENTED', 'UNAVAILABLE'],
    example: { input: { type: 'newHeads' }, output: { type: 'newHeads', head: exampleHeader } },
  }),
}
